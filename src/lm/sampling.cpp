#include "plimsoll/lm/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <fmt/format.h>

namespace plimsoll::lm {

namespace {

constexpr double kCold = 1e-6;  // temperatures below it choose the first candidate, without a division

bool precedes(const Candidate& a, const Candidate& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

void require(bool condition, const char* option, double value, const char* range) {
  if (!condition) throw std::invalid_argument(fmt::format("[Sampler] {} {} is not {}", option, value, range));
}

void check_options(const SamplingOptions& o) {
  require(std::isfinite(o.temperature) && o.temperature >= 0, "temperature", o.temperature, "0 or more");
  require(o.top_k >= 0, "top-k", o.top_k, "0 or more");
  require(o.top_p >= 0 && o.top_p <= 1, "top-p", o.top_p, "between 0 and 1");
  require(o.min_p >= 0 && o.min_p <= 1, "min-p", o.min_p, "between 0 and 1");
  require(std::isfinite(o.repetition_penalty) && o.repetition_penalty > 0, "repetition penalty", o.repetition_penalty,
          "above 0");
}

void penalize(std::span<const text::TokenId> history, double penalty, std::vector<Candidate>& all) {
  std::vector<bool> seen(all.size());
  for (const text::TokenId id : history) {
    if (id < 0 || static_cast<size_t>(id) >= all.size() || seen[static_cast<size_t>(id)]) continue;
    seen[static_cast<size_t>(id)] = true;
    double& logit = all[static_cast<size_t>(id)].logit;
    logit = logit > 0 ? logit / penalty : logit * penalty;
  }
}

// Every token that can be drawn at all, in the order of ids.
void fill(std::span<const float> logits, std::span<const text::TokenId> history, const SamplingOptions& options,
          std::vector<Candidate>& all) {
  all.clear();
  all.reserve(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) throw std::domain_error(fmt::format("[Sampler] the logit of token {} is NaN", i));
    all.push_back({static_cast<text::TokenId>(i), logits[i], 0.0});
  }
  if (options.repetition_penalty != 1.0) penalize(history, options.repetition_penalty, all);
  std::erase_if(all, [](const Candidate& c) { return c.logit == -std::numeric_limits<double>::infinity(); });
  if (all.empty()) throw std::domain_error("[Sampler] no token has a logit above minus infinity");
}

double top_logit(std::span<const Candidate> all) { return std::ranges::min_element(all, precedes)->logit; }

// Sets probabilities at a temperature, summing to 1. An infinite logit takes everything.
void set_probabilities(std::span<Candidate> all, double temperature) {
  const double top = top_logit(all);
  double sum = 0.0;
  for (Candidate& c : all) {
    c.probability = c.logit == top ? 1.0 : std::exp((c.logit - top) / temperature);
    sum += c.probability;
  }
  for (Candidate& c : all) c.probability /= sum;
}

// Brings the first `count` candidates to the front, in order.
void order_front(std::vector<Candidate>& all, size_t count) {
  const auto middle = all.begin() + static_cast<ptrdiff_t>(std::min(count, all.size()));
  if (middle != all.end()) std::nth_element(all.begin(), middle, all.end(), precedes);
  std::sort(all.begin(), middle, precedes);
}

void keep_top_k(size_t k, std::vector<Candidate>& all) {
  if (k == 0 || k >= all.size()) return;
  order_front(all, k);
  all.resize(k);
}

// The prefix is short as a rule, so only as much as needed is brought into order.
void keep_top_p(double p, std::vector<Candidate>& all) {
  if (p >= 1) return;
  set_probabilities(all, 1.0);
  for (size_t ordered = 64;; ordered *= 8) {
    order_front(all, ordered);
    double mass = 0.0;
    for (size_t i = 0; i < std::min(ordered, all.size()); ++i) {
      mass += all[i].probability;
      if (mass >= p) return all.resize(i + 1);
    }
    if (ordered >= all.size()) return;
  }
}

void keep_min_p(double p, std::vector<Candidate>& all) {
  if (p <= 0) return;
  set_probabilities(all, 1.0);
  const double least = p * std::ranges::min_element(all, precedes)->probability;
  std::erase_if(all, [&](const Candidate& c) { return c.probability < least; });
}

// The survivors with their probabilities, in no particular order.
void filter(std::span<const float> logits, std::span<const text::TokenId> history, const SamplingOptions& options,
            std::vector<Candidate>& all) {
  fill(logits, history, options, all);
  if (options.temperature < kCold) {
    all = {*std::ranges::min_element(all, precedes)};
    all.front().probability = 1.0;
    return;
  }
  keep_top_k(static_cast<size_t>(options.top_k), all);
  keep_top_p(options.top_p, all);
  keep_min_p(options.min_p, all);
  set_probabilities(all, options.temperature);
}

}  // namespace

std::vector<Candidate> candidates(std::span<const float> logits, std::span<const text::TokenId> history,
                                  const SamplingOptions& options) {
  check_options(options);
  std::vector<Candidate> survivors;
  filter(logits, history, options, survivors);
  std::ranges::sort(survivors, precedes);
  return survivors;
}

Sampler::Sampler(const SamplingOptions& options) : options_(options) {
  check_options(options);
  state_ = options.seed ? *options.seed : (uint64_t{std::random_device{}()} << 32) ^ std::random_device{}();
}

bool Sampler::is_argmax() const { return options_.temperature < kCold && options_.repetition_penalty == 1.0; }

// SplitMix64 (Steele, Lea, Flood 2014): any seed is a good one, and the sequence is the same everywhere.
double Sampler::uniform() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

text::TokenId Sampler::sample(std::span<const float> logits, std::span<const text::TokenId> history) {
  filter(logits, history, options_, scratch_);
  if (scratch_.size() == 1) return scratch_.front().id;
  double left = uniform();
  for (const Candidate& c : scratch_) {
    left -= c.probability;
    if (left < 0) return c.id;
  }
  return scratch_.back().id;  // rounding left a remainder
}

}  // namespace plimsoll::lm
