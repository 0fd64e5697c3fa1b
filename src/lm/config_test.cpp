#include "plimsoll/lm/config.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plimsoll/errors.h"
#include "lm/rope.h"

namespace plimsoll::lm {
namespace {

using nlohmann::json;

class ConfigFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("plimsoll_config_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static json plain() {
    return {{"model_type", "llama"},    {"vocab_size", 320},          {"num_hidden_layers", 2},
            {"hidden_size", 64},        {"intermediate_size", 128},   {"num_attention_heads", 4},
            {"num_key_value_heads", 2}, {"rms_norm_eps", 1e-6},       {"max_position_embeddings", 4096},
            {"rope_theta", 10000.0},    {"tie_word_embeddings", true}};
  }

  Config read(const json& fields) const {
    const auto path = folder_ / "config.json";
    std::ofstream(path) << fields;
    return config_from_json_file(path.string());
  }

  // What reading `plain()` with one field changed says.
  std::string refusal(const char* field, const json& value) const {
    json fields = plain();
    fields[field] = value;
    try {
      read(fields);
    } catch (const FileError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(ConfigFile, TakesWhatItSays) {
  const Config config = read(plain());
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.tied_embeddings, true);
  EXPECT_FALSE(config.rope_traditional);
  EXPECT_FALSE(config.qkv_bias);
}

TEST_F(ConfigFile, ArchitecturesBringTheirTraits) {
  json fields = plain();
  fields["model_type"] = "qwen2";
  EXPECT_TRUE(read(fields).qkv_bias);
  fields["model_type"] = "qwen3";
  EXPECT_TRUE(read(fields).qk_norm);
}

TEST_F(ConfigFile, RefusalsNameFileAndField) {
  using testing::AllOf;
  using testing::HasSubstr;
  const auto names = [](const char* field) { return AllOf(HasSubstr("config.json"), HasSubstr(field)); };
  EXPECT_THAT(refusal("model_type", "mamba"), names("model_type"));
  EXPECT_THAT(refusal("vocab_size", 0), names("vocab_size"));
  EXPECT_THAT(refusal("hidden_size", -64), names("hidden_size"));
  EXPECT_THAT(refusal("hidden_size", "wide"), names("hidden_size"));
  EXPECT_THAT(refusal("num_hidden_layers", 1 << 30), names("num_hidden_layers"));
  EXPECT_THAT(refusal("num_key_value_heads", 3), names("num_key_value_heads"));
  EXPECT_THAT(refusal("head_dim", 15), names("head_dim"));
  EXPECT_THAT(refusal("rms_norm_eps", 0.0), names("rms_norm_eps"));
  EXPECT_THAT(refusal("rope_theta", -1.0), names("rope_theta"));
  EXPECT_THAT(refusal("hidden_act", "gelu"), names("hidden_act"));
  EXPECT_THAT(refusal("mlp_bias", true), names("mlp_bias"));
  EXPECT_THAT(refusal("use_sliding_window", true), names("use_sliding_window"));
  EXPECT_THAT(refusal("rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}), names("rope_type"));
  EXPECT_THAT(refusal("rope_scaling", {{"rope_type", "linear"}}), names("factor"));
  EXPECT_THAT(refusal("quantization", {{"group_size", 48}, {"bits", 4}}), names("group_size"));
  EXPECT_THAT(refusal("quantization", {{"group_size", 64}, {"bits", 7}}), names("bits"));
  EXPECT_THAT(refusal("quantization", {{"mode", "mxfp4"}}), names("mode"));
  EXPECT_THAT(refusal("quantization_config", {{"quant_method", "awq"}}), names("quantization_config"));
}

TEST_F(ConfigFile, ReadsEndTokensFromBothFiles) {
  json fields = plain();
  fields["eos_token_id"] = 5;
  std::ofstream(folder_ / "generation_config.json") << R"({"eos_token_id": [7, 5]})";
  EXPECT_EQ(read(fields).eos, (std::vector<text::TokenId>{5, 7}));
}

TEST_F(ConfigFile, ReadsQuantizationOfSingleLayers) {
  json fields = plain();
  fields["quantization"] = {{"group_size", 64}, {"bits", 4}, {"lm_head", {{"group_size", 32}, {"bits", 8}}}};
  const Config config = read(fields);
  EXPECT_EQ(config.quantization->bits, 4);
  EXPECT_EQ(config.quantization_overrides.at("lm_head").bits, 8);
}

TEST(RopeFrequencies, Llama3KeepsHighAndStretchesLowOnes) {
  Config config;
  config.head_dim = 64;
  config.rope_base = 500000.0;
  config.rope_scaling = {.kind = RopeScaling::Kind::kLlama3, .factor = 8.0, .original_context = 8192.0};
  const auto scaled = rope_frequencies(config).inverse;
  config.rope_scaling = {};
  const auto plain = rope_frequencies(config).inverse;
  EXPECT_DOUBLE_EQ(scaled.front(), plain.front());
  EXPECT_DOUBLE_EQ(scaled.back(), 8.0 * plain.back());
  for (size_t i = 1; i < scaled.size(); ++i) EXPECT_GT(scaled[i], scaled[i - 1]);
}

TEST(RopeFrequencies, YarnScalesScoresToo) {
  Config config;
  config.head_dim = 64;
  config.rope_scaling = {.kind = RopeScaling::Kind::kYarn, .factor = 4.0, .original_context = 32768.0};
  EXPECT_NEAR(rope_frequencies(config).attention, 0.1 * std::log(4.0) + 1.0, 1e-12);
  config.rope_scaling.attention_factor = 1.0;
  EXPECT_EQ(rope_frequencies(config).attention, 1.0);
}

}  // namespace
}  // namespace plimsoll::lm
