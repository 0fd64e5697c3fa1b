// SmolLM2's own tokenizer, out of its GGUF file: ids of the golden set, time to load and memory held.
// Needs SmolLM2-135M-Instruct: `plimsoll pull smollm2-135m-instruct`, or PLIMSOLL_TEST_MODEL with the file's path.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/text/chat_template.h"
#include "plimsoll/text/tokenizer.h"

#include "base/file.h"
#include "golden/tokenizer/golden_set.h"
#include "io/gguf.h"

namespace plimsoll::text {
namespace {

namespace fs = std::filesystem;

bool is_smollm2(const fs::path& path) {
  std::string name = path.string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.ends_with(".gguf") && name.find("smollm2-135m-instruct") != std::string::npos;
}

std::optional<std::string> find_model() {
  if (const char* named = std::getenv("PLIMSOLL_TEST_MODEL")) return named;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(base::plimsoll_home(), error); at != fs::end(at);
       at.increment(error)) {
    if (error) break;
    if (at->is_regular_file(error) && is_smollm2(at->path())) return at->path().string();
  }
  return std::nullopt;
}

// The model's file with its tables by index.
class Model {
 public:
  explicit Model(const std::string& path)
      : bytes_(base::read_file(path, uint64_t{1} << 30)),
        file_(io::parse_gguf(std::as_bytes(std::span(bytes_)), path)) {
    for (const std::string_view token : file_.get_strings("tokenizer.ggml.tokens")) tokens_.push_back(token);
    for (const std::string_view rule : file_.get_strings("tokenizer.ggml.merges")) merges_.push_back(rule);
  }

  GgufTokenizerValues values() const {
    GgufTokenizerValues values;
    values.path = file_.path();
    values.model = file_.get_string("tokenizer.ggml.model");
    values.pre = file_.get_string("tokenizer.ggml.pre");
    values.tokens = {tokens_.size(), [this](size_t i) { return tokens_[i]; }};
    values.merges = {merges_.size(), [this](size_t i) { return merges_[i]; }};
    const auto types = file_.get_array<int32_t>("tokenizer.ggml.token_type");
    values.token_types = [types](size_t i) -> int64_t { return types[i]; };
    values.token_type_count = types.size();
    values.bos_token_id = file_.get_u32("tokenizer.ggml.bos_token_id");
    values.eos_token_id = file_.get_u32("tokenizer.ggml.eos_token_id");
    values.unknown_token_id = file_.get_u32("tokenizer.ggml.unknown_token_id");
    values.add_bos_token = file_.get_bool("tokenizer.ggml.add_bos_token");
    return values;
  }

  std::string_view chat_template() const { return file_.get_string("tokenizer.chat_template"); }

 private:
  std::string bytes_;
  io::GgufFile file_;
  std::vector<std::string_view> tokens_;
  std::vector<std::string_view> merges_;
};

class SmolLm2 : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = find_model();
    if (!path)
      GTEST_SKIP() << "SmolLM2-135M-Instruct is neither in " << base::plimsoll_home()
                   << " nor named by PLIMSOLL_TEST_MODEL";
    model_.emplace(*path);
  }

  std::optional<Model> model_;
};

TEST_F(SmolLm2, IdsEqualTheReference) {
  const Tokenizer tokenizer(spec_from_gguf_values(model_->values()));
  const fs::path folder = PLIMSOLL_TOKENIZER_GOLDEN;
  golden::expect_reference(tokenizer, golden::load_texts(folder), golden::load_ids(folder, "smollm2"));
}

TEST_F(SmolLm2, LoadsFastAndStaysSmall) {
  const auto start = std::chrono::steady_clock::now();
  const Tokenizer tokenizer(spec_from_gguf_values(model_->values()));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("load_milliseconds", static_cast<int>(seconds.count() * 1000));
  RecordProperty("footprint_bytes", static_cast<int>(tokenizer.footprint_bytes()));
  EXPECT_LT(seconds.count(), 1.0);  // 20 ms undisturbed
  EXPECT_LT(tokenizer.footprint_bytes(), size_t{6} << 20);
}

TEST_F(SmolLm2, EndsAndBeginningsAreTheModels) {
  const Tokenizer tokenizer(spec_from_gguf_values(model_->values()));
  EXPECT_EQ(tokenizer.eos(), 2);
  EXPECT_FALSE(tokenizer.adds_bos());
  EXPECT_EQ(tokenizer.encode("").size(), 0u);
  const auto ends = tokenizer.end_ids();
  EXPECT_TRUE(std::find(ends.begin(), ends.end(), *tokenizer.find_added("<|endoftext|>")) != ends.end());
}

TEST_F(SmolLm2, ChatTemplateIsRecognised) {
  const auto format = recognise_chat_template(model_->chat_template());
  ASSERT_TRUE(format);
  const Tokenizer tokenizer(spec_from_gguf_values(model_->values()));
  const std::vector<ChatMessage> messages{{"user", "Hi <|im_end|>"}};
  const auto ids = tokenizer.encode(render_chat(*format, messages));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), *tokenizer.find_added("<|im_end|>")), 2);
}

}  // namespace
}  // namespace plimsoll::text
