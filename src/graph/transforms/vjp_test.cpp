#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "graph/array_desc.h"
#include "gtest/gtest.h"

namespace plimsoll {
namespace {

using Scalar = std::function<array(const array&)>;

TEST(Grad, OfAPolynomial) {
  const Scalar f = [](const array& x) { return x * x * x; };
  EXPECT_FLOAT_EQ(grad(f)(array(2.0f)).item<float>(), 12.0f);
  EXPECT_FLOAT_EQ(grad(grad(f))(array(2.0f)).item<float>(), 12.0f);
  EXPECT_FLOAT_EQ(grad(grad(grad(f)))(array(2.0f)).item<float>(), 6.0f);
}

TEST(Grad, SumsOverPathsAndBroadcasts) {
  const auto f = [](const std::vector<array>& in) { return sum(in[0] * in[1] + in[0]); };
  const std::vector<array> gradients = grad(f, {0, 1})({array({1.0f, 2.0f, 3.0f}), array(2.0f)});
  EXPECT_TRUE(array_equal(gradients[0], array({3.0f, 3.0f, 3.0f})).item<bool>());
  EXPECT_EQ(gradients[1].item<float>(), 6.0f);
}

TEST(Grad, OfWhatDoesNotDependIsZero) {
  const Scalar f = [](const array& x) { return stop_gradient(x) * array(3.0f); };
  EXPECT_EQ(grad(f)(array(5.0f)).item<float>(), 0.0f);
  const auto g = [](const std::vector<array>& in) { return in[0] * array(2.0f); };
  EXPECT_EQ(grad(g, {1})({array(1.0f), array(1.0f)})[0].item<float>(), 0.0f);
}

TEST(Grad, RefusesWrongUse) {
  const auto f = [](const std::vector<array>& in) { return sum(in[0]); };
  EXPECT_THROW(grad(f, {1})({array(1.0f)}), std::invalid_argument);
  EXPECT_THROW(grad(f, {0, 0})({array(1.0f)}), std::invalid_argument);
  EXPECT_THROW(grad(f, std::vector<int>{})({array(1.0f)}), std::invalid_argument);
  const auto vector_valued = [](const std::vector<array>& in) { return in[0]; };
  EXPECT_THROW(grad(vector_valued)({array({1.0f, 2.0f})}), std::invalid_argument);
}

TEST(Vjp, ChecksItsCotangents) {
  const VectorFunction f = [](const std::vector<array>& in) { return std::vector<array>{in[0] * in[0]}; };
  EXPECT_THROW(vjp(f, {array(1.0f)}, {}), std::invalid_argument);
  EXPECT_THROW(vjp(f, {array(1.0f)}, {array({1.0f})}), std::invalid_argument);
}

TEST(Grad, EvaluationInsideAFunctionKeepsItsGraph) {
  const Scalar f = [](const array& x) {
    array y = x * x;
    y.eval();
    return y * x;
  };
  EXPECT_FLOAT_EQ(grad(f)(array(3.0f)).item<float>(), 27.0f);
}

TEST(Grad, LeavesNoGraphBehind) {
  const size_t before = live_node_count();
  {
    const Scalar f = [](const array& x) { return exp(sin(x)); };
    array g = grad(f)(array(0.3f));
    g.eval();
    EXPECT_EQ(live_node_count(), before);
  }
  EXPECT_EQ(live_node_count(), before);
}

}  // namespace
}  // namespace plimsoll
