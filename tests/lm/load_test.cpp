// Model files that do not fit what they declare, and the model made on the spot.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"
#include "plimsoll/ops.h"
#include "lm/golden.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A copy of a golden folder to be damaged.
class DamagedFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("plimsoll_damaged_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::copy(golden::path("models/llama-hf"), folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Rewrites the tensors of the folder after a change.
  void change(const std::function<void(std::unordered_map<std::string, array>&)>& edit) const {
    const std::string file = (folder_ / "model.safetensors").string();
    auto tensors = load_safetensors(file).first;
    edit(tensors);
    save_safetensors(file, tensors);
  }

  std::string refusal() const {
    try {
      golden::load_float32(folder_.string());
    } catch (const FileError& error) {
      return error.what();
    }
    return "loaded";
  }

  fs::path folder_;
};

TEST_F(DamagedFolder, LoadsWhenRewrittenUnchanged) {
  change([](auto&) {});
  EXPECT_EQ(refusal(), "loaded");
}

TEST_F(DamagedFolder, NamesAMissingTensor) {
  change([](auto& tensors) { tensors.erase("model.layers.1.mlp.up_proj.weight"); });
  EXPECT_THAT(refusal(), HasSubstr("model.layers.1.mlp.up_proj.weight"));
}

TEST_F(DamagedFolder, NamesATensorOfAnotherShape) {
  change([](auto& tensors) {
    array& weight = tensors.at("model.layers.0.self_attn.k_proj.weight");
    weight = transpose(weight);
  });
  EXPECT_THAT(refusal(), HasSubstr("model.layers.0.self_attn.k_proj.weight"));
}

TEST_F(DamagedFolder, NamesATensorThatNobodyKnows) {
  change([](auto& tensors) { tensors.emplace("model.layers.0.self_attn.q_proj.bias", zeros({64})); });
  EXPECT_THAT(refusal(), HasSubstr("model.layers.0.self_attn.q_proj.bias"));
}

TEST_F(DamagedFolder, NamesATensorThatHoldsNoFloats) {
  change([](auto& tensors) {
    array& norm = tensors.at("model.norm.weight");
    norm = astype(norm, int32);
  });
  EXPECT_THAT(refusal(), HasSubstr("model.norm.weight"));
}

TEST_F(DamagedFolder, NamesAMissingFile) {
  fs::remove(folder_ / "tokenizer.json");
  EXPECT_THAT(refusal(), HasSubstr("tokenizer.json"));
}

TEST(Load, SaysWhenThereIsNoSuchModel) {
  try {
    lm::Model::load("no-such-model");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no-such-model"));
  }
}

TEST(Load, RefusesActivationsThatAreNoFloats) {
  EXPECT_THROW(lm::Model::load(golden::path("models/llama-f32.gguf"), {.dtype = int32}), std::invalid_argument);
}

TEST(Load, EveryActivationDtypeGenerates) {
  const std::vector<text::TokenId> prompt{60, 100, 110};
  for (const Dtype dtype : {float32, bfloat16, float16}) {
    for (const char* name : {"models/llama-mixed.gguf", "models/qwen2-f32.gguf", "models/llama-mlx-4bit"}) {
      const lm::Model model = lm::Model::load(golden::path(name), {.dtype = dtype});
      EXPECT_EQ(lm::generate(model, prompt, golden::greedy(6)).tokens.size(), 6u) << name << " " << dtype;
    }
  }
}

TEST(TinyModelFile, IsTheSameEachTimeAndGenerates) {
  const fs::path first = fs::temp_directory_path() / "plimsoll_tiny_a.gguf";
  const fs::path second = fs::temp_directory_path() / "plimsoll_tiny_b.gguf";
  lm::make_tiny_model(first.string(), 20);
  lm::make_tiny_model(second.string(), 20);
  const auto content = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(content(first), content(second));

  const lm::Model model = golden::load_float32(first.string());
  const auto ids = model.tokenizer().encode("Hello, world");
  EXPECT_EQ(ids.size(), 15u);  // BOS and a token per byte; the space is U+2581, of three bytes
  const auto result = lm::generate(model, ids, golden::greedy(32));
  EXPECT_EQ(result.text.size(), 32u);
  for (const char c : result.text) EXPECT_TRUE(c >= ' ' && c <= '~') << "character " << static_cast<int>(c);
  fs::remove(first);
  fs::remove(second);
}

}  // namespace
}  // namespace plimsoll
