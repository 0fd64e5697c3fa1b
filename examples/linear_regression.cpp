// Gradient descent on a least-squares problem whose answer is known.
#include <plimsoll/plimsoll.h>

#include <cmath>
#include <iostream>
#include <vector>

namespace pl = plimsoll;

int main() {
  constexpr int kFeatures = 8;
  constexpr int kExamples = 256;
  constexpr float kRate = 0.1F;
  pl::random::seed(7);

  const pl::array truth = pl::random::normal({kFeatures});
  const pl::array x = pl::random::normal({kExamples, kFeatures});
  const pl::array y = pl::matmul(x, truth);

  const auto loss = [&](const pl::array& w) { return pl::mean(pl::square(pl::subtract(pl::matmul(x, w), y))); };
  const auto loss_and_gradient = pl::value_and_grad(loss);

  pl::array w = pl::zeros({kFeatures});
  for (int step = 0; step < 200; ++step) {
    const auto [value, gradient] = loss_and_gradient(w);
    w = pl::subtract(w, pl::multiply(pl::array(kRate), gradient));
    pl::eval(w);
    if (step % 50 == 0) std::cout << "step " << step << ": loss " << value.item<float>() << '\n';
  }

  const auto error = pl::max(pl::abs(pl::subtract(w, truth))).item<float>();
  std::cout << "largest error of a weight: " << error << '\n';
  return error < 1e-3F ? 0 : 1;
}
