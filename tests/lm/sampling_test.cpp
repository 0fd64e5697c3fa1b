// The sampler against the reference's filter chain, and the corners that broke others (case K16).
#include <cmath>
#include <limits>
#include <map>

#include "lm/golden.h"

namespace plimsoll {
namespace {

using golden::json;

float number(const json& value) {
  return value.is_string() ? std::strtof(value.get<std::string>().c_str(), nullptr) : value.get<float>();
}

TEST(Sampling, AgreesWithTheReference) {
  const json file = golden::load_json("lm/sampling.json");
  for (const json& c : file["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    std::vector<float> logits;
    for (const json& value : c["logits"]) logits.push_back(number(value));
    const std::vector<text::TokenId> history = c["history"];
    lm::SamplingOptions options;
    options.temperature = c["temperature"];
    options.top_k = c["top_k"];
    options.top_p = c["top_p"];
    options.min_p = c["min_p"];
    options.repetition_penalty = c["repetition_penalty"];
    if (c["error"]) {
      EXPECT_THROW(lm::candidates(logits, history, options), std::domain_error);
      continue;
    }
    const auto survivors = lm::candidates(logits, history, options);
    ASSERT_EQ(survivors.size(), c["survivors"].size());
    for (size_t i = 0; i < survivors.size(); ++i) {
      EXPECT_EQ(survivors[i].id, c["survivors"][i]);
      EXPECT_NEAR(survivors[i].probability, c["probabilities"][i], 2e-7);  // logits are float32 here
    }
  }
}

TEST(Sampling, DrawsEveryTokenAsOftenAsItsProbabilitySays) {
  const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
  lm::Sampler sampler({.temperature = 1.0, .seed = 7});
  std::map<text::TokenId, int> counts;
  for (int i = 0; i < 3000; ++i) ++counts[sampler.sample(logits, {})];
  // Four standard deviations of a binomial count of 3000.
  EXPECT_NEAR(counts[0], 1500, 110);
  EXPECT_NEAR(counts[1], 900, 101);
  EXPECT_NEAR(counts[2], 600, 88);
}

TEST(Sampling, ASeedGivesTheSameTokensAgain) {
  std::vector<float> logits(1000);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i % 17) * 0.3f;
  lm::Sampler first({.top_p = 0.9, .temperature = 0.8, .seed = 42});
  lm::Sampler second({.top_p = 0.9, .temperature = 0.8, .seed = 42});
  lm::Sampler other({.top_p = 0.9, .temperature = 0.8, .seed = 43});
  int different = 0;
  for (int i = 0; i < 50; ++i) {
    const auto token = first.sample(logits, {});
    EXPECT_EQ(second.sample(logits, {}), token);
    different += other.sample(logits, {}) != token;
  }
  EXPECT_GT(different, 0);
}

TEST(Sampling, TopPFindsItsPrefixAmongManyCandidates) {
  const std::vector<float> logits(100000, 1.0f);
  const auto survivors = lm::candidates(logits, {}, {.top_p = 0.5, .temperature = 1.0});
  EXPECT_NEAR(static_cast<double>(survivors.size()), 50000.0, 1.0);
  EXPECT_EQ(survivors.front().id, 0);
}

TEST(Sampling, InfinityTakesEverything) {
  const std::vector<float> logits{1.0f, std::numeric_limits<float>::infinity(), 2.0f};
  EXPECT_EQ(lm::Sampler({.temperature = 1.0, .seed = 1}).sample(logits, {}), 1);
}

TEST(Sampling, RefusesOptionsOutOfRange) {
  const std::vector<lm::SamplingOptions> wrong{{.repetition_penalty = 0.0}, {.top_k = -1},   {.top_p = 1.5},
                                               {.top_p = std::nan("")},     {.min_p = -0.1}, {.temperature = -1.0}};
  for (const lm::SamplingOptions& options : wrong) EXPECT_THROW(lm::Sampler{options}, std::invalid_argument);
  const std::vector<float> hopeless(3, -std::numeric_limits<float>::infinity());
  EXPECT_THROW(lm::Sampler({}).sample(hopeless, {}), std::domain_error);
}

}  // namespace
}  // namespace plimsoll
