// Views, slices, joining and other rearrangements, against index arithmetic on the host.
#include <algorithm>
#include <functional>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

using Index = std::vector<int>;

// The elements of an array of `shape` whose element at `index` is source[from(index)].
std::vector<double> picked(const array& source, const Shape& shape, const std::function<Index(const Index&)>& from) {
  const std::vector<double> values = doubles(source);
  std::vector<double> out;
  Index index(shape.size(), 0);
  for (size_t n = element_count_of(shape); n > 0; --n) {
    const Index at = from(index);
    size_t position = 0;
    for (size_t i = 0; i < at.size(); ++i)
      position = position * static_cast<size_t>(source.shape()[i]) + static_cast<size_t>(at[i]);
    out.push_back(values[position]);
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < shape[i]) break;
      index[i] = 0;
    }
  }
  return out;
}

TEST(Views, TransposesOfEveryDtypeAndLayout) {
  for (const Dtype dtype : kRealDtypes) {
    const array a = any_array({5, 3, 37}, dtype, 1);
    for (const std::vector<int>& order :
         {std::vector<int>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
      Shape shape;
      for (const int axis : order) shape.push_back(a.shape(axis));
      const std::vector<double> want = picked(a, shape, [&](const Index& index) {
        Index at(3);
        for (size_t i = 0; i < 3; ++i) at[static_cast<size_t>(order[i])] = index[i];
        return at;
      });
      for (const array& x : all_layouts_of(a)) {
        const array moved = transpose(x, order);
        EXPECT_EQ(moved.shape(), shape);
        expect_close(moved, want, 0, "transpose");
        expect_close(contiguous(moved), want, 0, "contiguous");
        expect_close(reshape(moved, {-1}), want, 0, "reshape of a transpose");
      }
    }
  }
}

TEST(Views, LargeTransposesAreCopiedInTiles) {
  const array a = reshape(arange(517 * 261), {517, 261});
  const std::vector<double> want = picked(a, {261, 517}, [](const Index& i) { return Index{i[1], i[0]}; });
  expect_close(contiguous(transpose(a)), want, 0);
  for (const Dtype dtype : {uint8, float16, int64}) {
    const array narrow = astype(remainder(a, array(100)), dtype);
    expect_matches(contiguous(transpose(narrow)), transpose(narrow), 0);
    expect_matches(transpose(contiguous(transpose(narrow))), narrow, 0);
  }
}

// Source and target at every byte offset modulo 16, with lengths on both sides of whole blocks.
TEST(Views, CopiesAtEveryByteOffset) {
  const array bytes = any_array({200}, uint8, 1), more = any_array({200}, uint8, 2);
  const std::vector<double> base = doubles(bytes), update = doubles(more);
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; to += 3) {
      const int length = 5 + 11 * ((from * 16 + to) % 15);
      std::vector<double> want = base;
      std::copy_n(update.begin() + from, length, want.begin() + to);
      expect_close(slice_update(bytes, slice(more, {from}, {from + length}), {to}, {to + length}), want, 0, "update");
    }
  }
  for (const Dtype dtype : {uint16, float32, int64}) {
    const array a = any_array({6, 37}, dtype, 3);
    for (int from = 0; from < 9; ++from) {
      const array part = slice(a, {0, from}, {6, 37});
      expect_matches(contiguous(part), part, 0, "rows");
      expect_matches(contiguous(slice(part, {0, 0}, part.shape(), {2, 2})), slice(part, {0, 0}, part.shape(), {2, 2}),
                     0, "every other");
    }
  }
}

TEST(Views, TilesTransposeBatchesAndOddSizes) {
  for (const Dtype dtype : {uint8, int16, float32, int64}) {
    const array a = any_array({3, 131, 70}, dtype, 4);
    const std::vector<double> want = picked(a, {70, 3, 131}, [](const Index& i) { return Index{i[1], i[2], i[0]}; });
    expect_close(contiguous(transpose(a, {2, 0, 1})), want, 0, "batched");
    const array odd = slice(a, {0, 1, 3}, {3, 130, 70});
    const std::vector<double> turned =
        picked(odd, {3, 67, 129}, [](const Index& i) { return Index{i[0], i[2], i[1]}; });
    expect_close(contiguous(transpose(odd, {0, 2, 1})), turned, 0, "at an odd offset");
  }
}

TEST(Views, ShapesAlone) {
  const array a = reshape(arange(24), {2, 3, 4});
  EXPECT_EQ(reshape(a, {4, -1}).shape(), (Shape{4, 6}));
  EXPECT_EQ(flatten(a, 1).shape(), (Shape{2, 12}));
  EXPECT_EQ(flatten(array(1)).shape(), (Shape{1}));
  EXPECT_EQ(unflatten(flatten(a), 0, {2, -1, 4}).shape(), a.shape());
  EXPECT_EQ(squeeze(reshape(a, {1, 24, 1})).shape(), (Shape{24}));
  EXPECT_EQ(squeeze(reshape(a, {1, 24, 1}), -1).shape(), (Shape{1, 24}));
  EXPECT_EQ(expand_dims(a, std::vector<int>{0, -1}).shape(), (Shape{1, 2, 3, 4, 1}));
  EXPECT_EQ(transpose(a).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(moveaxis(a, 0, -1).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(swapaxes(a, 0, 2).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(broadcast_to(a, {5, 2, 3, 4}).shape(), (Shape{5, 2, 3, 4}));
  EXPECT_EQ(broadcast_shapes({3, 1}, {1, 4}), (Shape{3, 4}));
  expect_matches(reshape(transpose(a, {2, 0, 1}), {8, 3}), reshape(contiguous(transpose(a, {2, 0, 1})), {8, 3}), 0);
}

TEST(Views, SlicesFollowPythonsRules) {
  const array a = arange(10);
  expect_close(slice(a, {8}, {2}, {-2}), {8, 6, 4}, 0);
  expect_close(slice(slice(a, {9}, {-11}, {-1}), {2}, {5}), {7, 6, 5}, 0);
  expect_close(slice(a, {25}, {-50}, {-1}), {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 0);
  expect_close(slice(a, {-3}, {3}, {-1}), {7, 6, 5, 4}, 0);
  EXPECT_EQ(slice(a, {5}, {2}).size(), 0u);
  EXPECT_EQ(slice(a, {20}, {30}).size(), 0u);
  expect_close(slice(a, {-2}, {100}), {8, 9}, 0);
  const array b = reshape(arange(6), {2, 3});
  const array corner = slice(b, {1, 2}, {-3, -4}, {-1, -2});
  EXPECT_EQ(corner.shape(), (Shape{2, 2}));
  expect_close(corner, {5, 3, 2, 0}, 0);
  EXPECT_EQ(slice(ones({1, 200}), {128, 0}, {1, 200}).shape(), (Shape{0, 200}));
}

// K09: every operation on a reversed or strided view equals the same on a copy.
TEST(Views, ReversedViewsActAsTheirCopies) {
  const array a = random_array({6, 8}, float32, 5);
  const array view_of = slice(a, {5, 7}, {-7, -9}, {-1, -2});
  const array copy_of = array(doubles(view_of).begin(), view_of.shape(), float32);
  EXPECT_EQ(view_of.shape(), (Shape{6, 4}));
  expect_matches(sum(view_of, 1), sum(copy_of, 1), 1e-6);
  expect_matches(sort(view_of, 0), sort(copy_of, 0), 0);
  expect_matches(matmul(view_of, transpose(view_of)), matmul(copy_of, transpose(copy_of)), 1e-6);
  expect_matches(softmax(view_of, -1), softmax(copy_of, -1), 1e-6);
  expect_matches(reshape(view_of, {8, 3}), reshape(copy_of, {8, 3}), 0);
  expect_matches(exp(view_of), exp(copy_of), 0);
  expect_matches(transpose(view_of), transpose(copy_of), 0);
  expect_matches(cumsum(view_of, 1), cumsum(copy_of, 1), 1e-6);
  EXPECT_EQ(doubles(a).size(), 48u);
}

TEST(Views, SliceUpdates) {
  const array x = zeros({6}, int32);
  expect_close(slice_update(x, array({1, 2, 3}), {5}, {-7}, {-2}), {0, 3, 0, 2, 0, 1}, 0);
  for (const Dtype dtype : kRealDtypes) {
    const array base = any_array({4, 40}, dtype, 1), update = any_array({2, 13}, dtype, 2);
    std::vector<double> want = doubles(base);
    const std::vector<double> values = doubles(update);
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 13; ++j) want[(1 + 2 * i) * 40 + 1 + 3 * j] = values[i * 13 + j];
    }
    for (const array& b : all_layouts_of(base)) {
      expect_close(slice_update(b, update, {1, 1}, {4, 40}, {2, 3}), want, 0, "slice_update");
    }
    expect_matches(base, any_array({4, 40}, dtype, 1), 0, "the source is unchanged");
  }
  expect_close(slice_update(x, array(7), {1}, {3}), {0, 7, 7, 0, 0, 0}, 0);
}

TEST(Views, StartsKnownLater) {
  const array a = reshape(arange(20), {4, 5});
  expect_matches(slice(a, array({1, 2}), {0, 1}, {2, 2}), slice(a, {1, 2}, {3, 4}), 0);
  expect_matches(slice(a, array({9}), {0}, {2, 5}), slice(a, {2, 0}, {4, 5}), 0);  // clamped
  expect_matches(slice_update(a, zeros({1, 5}, int32), array({3}), {0}), slice_update(a, array(0), {3, 0}, {4, 5}), 0);
}

TEST(Views, Joining) {
  const array a = any_array({2, 3}, float16, 1), b = any_array({2, 2}, float16, 2), none = zeros({2, 0}, float16);
  const array joined = concatenate({a, none, b}, 1);
  EXPECT_EQ(joined.shape(), (Shape{2, 5}));
  expect_matches(slice(joined, {0, 0}, {2, 3}), a, 0);
  expect_matches(slice(joined, {0, 3}, {2, 5}), b, 0);
  EXPECT_EQ(concatenate({array({1}), array({1.5f})}, 0).dtype(), float32);
  expect_close(stack({array({1, 2}), array({3, 4})}, 1), {1, 3, 2, 4}, 0);
  expect_close(repeat(array({1, 2}), 2), {1, 1, 2, 2}, 0);
  expect_close(tile(array({1, 2}), {2, 2}), {1, 2, 1, 2, 1, 2, 1, 2}, 0);
  const std::vector<array> parts = split(arange(10), Shape{3, 7}, 0);
  ASSERT_EQ(parts.size(), 3u);
  expect_close(parts[1], {3, 4, 5, 6}, 0);
  EXPECT_EQ(split(ones({6, 2}), 3).size(), 3u);
}

TEST(Views, Padding) {
  const array a = reshape(arange(1, 5), {2, 2});
  expect_close(pad(a, 1), {0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0}, 0);
  expect_close(pad(array({1, 2}), {{2, 1}}, array(0), "edge"), {1, 1, 1, 2, 2}, 0);
  expect_close(pad(array({1, 2}), {{0, 1}}, array(9)), {1, 2, 9}, 0);
  expect_close(roll(arange(5), 2, 0), {3, 4, 0, 1, 2}, 0);
  expect_close(flip(a, 1), {2, 1, 4, 3}, 0);
  expect_close(diagonal(reshape(arange(9), {3, 3}), 1), {1, 5}, 0);
  expect_close(diag(array({1, 2})), {1, 0, 0, 2}, 0);
}

TEST(Views, BytesAndStrides) {
  const array f = array({1.0f, -2.0f});
  expect_close(view(f, uint32), {1065353216, 3221225472}, 0);
  EXPECT_EQ(view(f, uint8).shape(), (Shape{8}));
  EXPECT_EQ(view(view(f, uint16), float32).shape(), (Shape{2}));
  expect_matches(view(view(f, uint8), float32), f, 0);
  expect_close(as_strided(arange(6), {3, 2}, {1, 2}, 1), {1, 3, 2, 4, 3, 5}, 0);
}

TEST(Views, Nothing) {
  EXPECT_EQ(transpose(zeros({0, 3})).shape(), (Shape{3, 0}));
  EXPECT_EQ(reshape(zeros({0, 3}), {3, 0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(concatenate({zeros({0}), zeros({0})}, 0).size(), 0u);
  EXPECT_EQ(contiguous(transpose(zeros({0, 3, 2}))).size(), 0u);
  EXPECT_EQ(pad(zeros({0}), 2).shape(), (Shape{4}));
  EXPECT_EQ(flip(zeros({0, 2}), 0).size(), 0u);
  EXPECT_EQ(repeat(zeros({0}), 3).size(), 0u);
}

TEST(Views, Errors) {
  const array a = ones({2, 3});
  EXPECT_NE(refusal([&] { reshape(a, {4, 2}); }).find("[reshape]"), std::string::npos);
  EXPECT_NE(refusal([&] { reshape(a, {-1, -1}); }).find("[reshape]"), std::string::npos);
  EXPECT_EQ(refusal([&] { transpose(a, {0, 0}); }), "[transpose] axis 0 is given twice");
  EXPECT_EQ(refusal([&] { transpose(a, {0, 2}); }), "[transpose] axis 2 is out of range for 2 dimensions");
  EXPECT_NE(refusal([&] { squeeze(a, 0); }).find("[squeeze]"), std::string::npos);
  EXPECT_NE(refusal([&] { broadcast_to(a, {2, 4}); }), "");
  EXPECT_NE(refusal([&] { concatenate({a, ones({3, 2})}, 0); }).find("[concatenate]"), std::string::npos);
  EXPECT_NE(refusal([&] { as_strided(a, {4}, {2}, 0); }).find("[as_strided]"), std::string::npos);
  EXPECT_NE(refusal([&] { split(a, 2, 1); }).find("[split]"), std::string::npos);
  EXPECT_NE(refusal([&] { slice(a, {0}, {1}); }), "");
  EXPECT_NE(refusal([&] { pad(a, 1, array(0), "mirror"); }).find("[pad]"), std::string::npos);
}

TEST(Views, Gradients) {
  const array a = random_array({4, 6}, float64, 1), b = random_array({2, 3}, float64, 2);
  using X = const std::vector<array>&;
  expect_gradients([](X x) { return transpose(x[0]); }, {a});
  expect_gradients([](X x) { return reshape(transpose(x[0]), {3, 8}); }, {a});
  expect_gradients([](X x) { return broadcast_to(x[0], {5, 4, 6}); }, {a});
  expect_gradients([](X x) { return slice(x[0], {3, 5}, {-5, -7}, {-2, -1}); }, {a});
  expect_gradients([](X x) { return slice_update(x[0], x[1], {1, 0}, {3, 6}, {1, 2}); }, {a, b});
  expect_gradients([](X x) { return concatenate({x[0], slice(x[0], {0, 0}, {2, 6}), x[0]}, 0); }, {a});
  expect_gradients([](X x) { return pad(x[0], 2); }, {a});
  expect_gradients([](X x) { return repeat(x[0], 3, 1); }, {a});
  expect_gradients([](X x) { return roll(flip(x[0], 0), 2, 1); }, {a});
  expect_gradients([](X x) { return as_strided(x[0], {5, 4}, {2, 3}, 1); }, {a});
  expect_gradients([](X x) { return contiguous(transpose(x[0])); }, {a});
  expect_gradients([](X x) { return diagonal(x[0], 1); }, {a});
  expect_gradients([](X x) { return slice(x[0], array({1}), {0}, {2, 6}); }, {a});
  expect_gradients([](X x) { return slice_update(x[0], x[1], array({1, 2}), {0, 1}); }, {a, b});
}

}  // namespace
}  // namespace plimsoll
