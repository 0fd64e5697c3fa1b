#include "lm/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plimsoll/fast.h"

namespace plimsoll::lm {

namespace {

using std::numbers::pi;

void stretch_llama3(const RopeScaling& scaling, std::vector<double>& inverse) {
  const double low = scaling.low_frequency_factor;
  const double high = scaling.high_frequency_factor;
  for (double& period : inverse) {
    const double wavelength = 2 * pi * period;
    if (wavelength < scaling.original_context / high) continue;
    if (wavelength > scaling.original_context / low) {
      period *= scaling.factor;
      continue;
    }
    const double smooth = (scaling.original_context / wavelength - low) / (high - low);
    period = period / ((1 - smooth) / scaling.factor + smooth);
  }
}

// Index of the frequency that turns `rotations` times over the original context.
double yarn_bound(const Config& config, double rotations) {
  const double turns = config.rope_scaling.original_context / (rotations * 2 * pi);
  return config.head_dim * std::log(turns) / (2 * std::log(config.rope_base));
}

void stretch_yarn(const Config& config, std::vector<double>& inverse) {
  const RopeScaling& scaling = config.rope_scaling;
  const double low = std::max(std::floor(yarn_bound(config, scaling.beta_fast)), 0.0);
  const double high = std::min(std::ceil(yarn_bound(config, scaling.beta_slow)), config.head_dim - 1.0);
  const double width = std::max(high - low, 0.001);
  for (size_t i = 0; i < inverse.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / width, 0.0, 1.0);
    inverse[i] /= ramp / scaling.factor + (1 - ramp);
  }
}

double yarn_attention(const RopeScaling& scaling) {
  if (scaling.attention_factor) return *scaling.attention_factor;
  return scaling.factor > 1 ? 0.1 * std::log(scaling.factor) + 1 : 1.0;
}

}  // namespace

RopeFrequencies rope_frequencies(const Config& config) {
  RopeFrequencies result;
  for (int i = 0; i < config.head_dim; i += 2) {
    result.inverse.push_back(std::pow(config.rope_base, static_cast<double>(i) / config.head_dim));
  }
  switch (config.rope_scaling.kind) {
    case RopeScaling::Kind::kNone:
      break;
    case RopeScaling::Kind::kLinear:
      for (double& period : result.inverse) period *= config.rope_scaling.factor;
      break;
    case RopeScaling::Kind::kLlama3:
      stretch_llama3(config.rope_scaling, result.inverse);
      break;
    case RopeScaling::Kind::kYarn:
      stretch_yarn(config, result.inverse);
      result.attention = yarn_attention(config.rope_scaling);
      break;
  }
  return result;
}

Rope::Rope(const Config& config, const std::vector<float>& factors)
    : dims_(config.head_dim), traditional_(config.rope_traditional), base_(static_cast<float>(config.rope_base)) {
  RopeFrequencies frequencies = rope_frequencies(config);
  score_factor_ = static_cast<float>(frequencies.attention * frequencies.attention);
  if (config.rope_scaling.kind == RopeScaling::Kind::kNone && factors.empty()) return;
  for (size_t i = 0; i < factors.size(); ++i) frequencies.inverse[i] *= factors[i];
  inverse_ = array(frequencies.inverse.begin(), {dims_ / 2}, float32);
}

array Rope::operator()(const array& x, const array& offset) const {
  const auto base = inverse_ ? std::optional<float>() : base_;
  return fast::rope(x, dims_, traditional_, base, 1.0f, offset, inverse_);
}

}  // namespace plimsoll::lm
