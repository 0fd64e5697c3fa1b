#include "io/gguf.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"

#include "io/gguf_writer.h"

namespace plimsoll::io {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::byte> bytes_of(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37);
  return bytes;
}

GgufWriter sample() {
  GgufWriter writer;
  writer.add("general.architecture", "llama");
  writer.add<uint32_t>("llama.block_count", 30);
  writer.add<int64_t>("llama.context_length", 8192);
  writer.add<float>("llama.rope.freq_base", 10000.5f);
  writer.add<bool>("tokenizer.ggml.add_bos_token", true);
  const std::vector<std::string> tokens = {"<s>", "", "h\xc3\xa9"};
  writer.add_strings("tokenizer.ggml.tokens", tokens);
  const std::vector<float> scores = {0.0f, -1.5f, 2.0f};
  writer.add_array<float>("tokenizer.ggml.scores", scores);
  const std::vector<uint64_t> matrix = {64, 3}, vector = {5}, none = {0, 7};
  writer.add_tensor("blk.0.attn_q.weight", GgmlType::kQ4_1, matrix, bytes_of(2 * 3 * 20));
  writer.add_tensor("output_norm.weight", GgmlType::kF32, vector, bytes_of(20));
  writer.add_tensor("empty", GgmlType::kF32, none, {});
  writer.add_tensor("scalar", GgmlType::kI64, {}, bytes_of(8));
  return writer;
}

class Gguf : public testing::Test {
 protected:
  std::vector<std::byte> bytes_ = sample().serialize();
  GgufFile file_ = parse_gguf(bytes_, "m.gguf");
};

TEST_F(Gguf, ReadsMetadata) {
  EXPECT_EQ(file_.version(), 3u);
  EXPECT_EQ(file_.alignment(), 32u);
  EXPECT_EQ(file_.metadata().size(), 7u);
  EXPECT_EQ(file_.get_string("general.architecture"), "llama");
  EXPECT_EQ(file_.get_u32("llama.block_count"), 30u);
  EXPECT_EQ(file_.get_u64("llama.context_length"), 8192u);
  EXPECT_EQ(file_.get_i32("llama.context_length"), 8192);
  EXPECT_EQ(file_.get_f32("llama.rope.freq_base"), 10000.5f);
  EXPECT_TRUE(file_.get_bool("tokenizer.ggml.add_bos_token"));
  const GgufStrings tokens = file_.get_strings("tokenizer.ggml.tokens");
  EXPECT_EQ(tokens.size(), 3u);
  EXPECT_EQ(std::vector<std::string_view>(tokens.begin(), tokens.end()),
            (std::vector<std::string_view>{"<s>", "", "h\xc3\xa9"}));
  const auto scores = file_.get_array<float>("tokenizer.ggml.scores");
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[1], -1.5f);
}

TEST_F(Gguf, ReadsTensors) {
  ASSERT_EQ(file_.tensors().size(), 4u);
  const GgufTensor& matrix = file_.tensor("blk.0.attn_q.weight");
  EXPECT_EQ(matrix.type, GgmlType::kQ4_1);
  EXPECT_EQ(matrix.shape(), (std::vector<int32_t>{3, 64}));
  EXPECT_EQ(matrix.offset % 32, 0u);
  EXPECT_TRUE(std::ranges::equal(file_.tensor_bytes(matrix), bytes_of(120)));
  EXPECT_TRUE(std::ranges::equal(file_.tensor_bytes(file_.tensor("output_norm.weight")), bytes_of(20)));
  EXPECT_EQ(file_.tensor("scalar").shape(), std::vector<int32_t>{});
  EXPECT_EQ(file_.find_tensor("nothing"), nullptr);
  EXPECT_THAT([&] { file_.tensor("nothing"); }, ThrowsMessage<FileError>("[m.gguf] tensor 'nothing' is missing"));
}

TEST_F(Gguf, NamedTensorWithoutElementsIsEmpty) {
  const GgufTensor& empty = file_.tensor("empty");
  EXPECT_EQ(empty.shape(), (std::vector<int32_t>{7, 0}));
  EXPECT_TRUE(file_.tensor_bytes(empty).empty());
}

TEST_F(Gguf, EmptyTensorAtTheVeryEndNeedsNoPadding) {
  GgufWriter writer;
  const std::vector<uint64_t> none = {0};
  writer.add_tensor("e", GgmlType::kF32, none, {});
  auto bytes = writer.serialize();
  bytes.resize(8 + 16 + 8 + 1 + 4 + 8 + 4 + 8);
  const auto file = parse_gguf(bytes, "m.gguf");
  EXPECT_TRUE(file.tensor_bytes(file.tensor("e")).empty());
}

TEST_F(Gguf, ReadsVersion2) {
  bytes_[4] = std::byte{2};
  EXPECT_EQ(parse_gguf(bytes_, "m.gguf").version(), 2u);
}

TEST_F(Gguf, ReadsAFileWithoutAnything) {
  const auto bytes = GgufWriter().serialize();
  EXPECT_TRUE(parse_gguf(std::span(bytes).first(24), "m.gguf").tensors().empty());
}

TEST_F(Gguf, TypedGettersNameKeyExpectedAndFoundType) {
  EXPECT_THAT([&] { file_.get_u32("general.architecture"); },
              ThrowsMessage<FileError>(
                  "[m.gguf] metadata key 'general.architecture': expected an integer that fits u32, found string"));
  EXPECT_THAT([&] { file_.get_array<uint8_t>("tokenizer.ggml.scores"); },
              ThrowsMessage<FileError>(
                  "[m.gguf] metadata key 'tokenizer.ggml.scores': expected array of u8, found array of f32"));
  EXPECT_THAT([&] { file_.get_strings("tokenizer.ggml.scores"); }, ThrowsMessage<FileError>(HasSubstr("array of f32")));
  EXPECT_THAT([&] { file_.get_bool("x"); }, ThrowsMessage<FileError>("[m.gguf] metadata key 'x' is missing"));
  EXPECT_THROW(file_.get_string("llama.block_count"), FileError);
  EXPECT_THROW(file_.get_f32("llama.block_count"), FileError);
  EXPECT_THROW(file_.get_bool("llama.block_count"), FileError);
}

TEST_F(Gguf, FallbacksStandOnlyForMissingKeys) {
  EXPECT_EQ(file_.get_u32("llama.block_count", 7u), 30u);
  EXPECT_EQ(file_.get_u32("missing", 7u), 7u);
  EXPECT_EQ(file_.get_f32("missing", 0.5f), 0.5f);
  EXPECT_EQ(file_.get_string("missing", "none"), "none");
  EXPECT_EQ(file_.get_bool("missing", true), true);
  EXPECT_THROW(file_.get_u32("general.architecture", 7u), FileError);
}

TEST_F(Gguf, IntegersOutOfRangeShowTheirValue) {
  GgufWriter writer;
  writer.add<int32_t>("negative", -1);
  writer.add<uint64_t>("large", uint64_t{1} << 40);
  const auto bytes = writer.serialize();
  const auto file = parse_gguf(bytes, "m.gguf");
  EXPECT_THAT([&] { file.get_u32("negative"); }, ThrowsMessage<FileError>(HasSubstr("found i32 -1")));
  EXPECT_THAT([&] { file.get_u32("large"); }, ThrowsMessage<FileError>(HasSubstr("found u64 1099511627776")));
  EXPECT_EQ(file.get_i32("negative"), -1);
}

TEST_F(Gguf, ValuesHaveATextForPeople) {
  EXPECT_EQ(file_.value("tokenizer.ggml.tokens").text(2), "['<s>', '', ...] (3 of string)");
  EXPECT_EQ(file_.value("tokenizer.ggml.scores").text(), "[0, -1.5, 2] (3 of f32)");
  EXPECT_EQ(file_.value("llama.block_count").text(), "30");
  EXPECT_EQ(file_.value("tokenizer.ggml.add_bos_token").text(), "true");
  EXPECT_EQ(file_.value("general.architecture").text(), "'llama'");
}

TEST_F(Gguf, ATypeThatIsOnlyListedIsRefusedWhenUsed) {
  GgufWriter writer;
  const std::vector<uint64_t> dims = {256, 2};
  writer.add_tensor("blk.0.ffn_up.weight", GgmlType::kQ4_K, dims, bytes_of(288));
  writer.add_tensor("blk.0.ffn_down.weight", GgmlType::kIQ2_XS, dims, bytes_of(148));
  const auto bytes = writer.serialize();
  const auto file = parse_gguf(bytes, "m.gguf");
  EXPECT_NO_THROW(file.require_computed(file.tensors()[0]));
  EXPECT_THAT(
      [&] { file.require_all_computed(); },
      ThrowsMessage<FileError>(HasSubstr("[m.gguf] tensor 'blk.0.ffn_down.weight' has type IQ2_XS, which Plimsoll "
                                         "does not support; it computes with F32, F16, Q4_0")));
}

TEST_F(Gguf, EveryTruncationIsRefusedOrReadsWhatIsThere) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    const std::vector<std::byte> cut(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(size));
    try {
      const auto file = parse_gguf(cut, "m.gguf");
      EXPECT_GE(size, file.tensors().back().offset + 8) << "size " << size;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("[m.gguf] "));
    }
  }
}

TEST_F(Gguf, ALargeVocabularyIsNotCopied) {
  GgufWriter writer;
  std::vector<std::string> tokens;
  for (int i = 0; i < 100000; ++i) tokens.push_back("token" + std::to_string(i));
  writer.add_strings("tokenizer.ggml.tokens", tokens);
  const auto bytes = writer.serialize();
  const auto file = parse_gguf(bytes, "m.gguf");
  const auto strings = file.get_strings("tokenizer.ggml.tokens");
  EXPECT_TRUE(std::equal(strings.begin(), strings.end(), tokens.begin(), tokens.end()));
  const auto* first = reinterpret_cast<const std::byte*>((*strings.begin()).data());
  EXPECT_TRUE(first >= bytes.data() && first < bytes.data() + bytes.size());
}

TEST(GgmlTypes, ComputedTypesAreNamedOnce) {
  EXPECT_EQ(computed_ggml_types(),
            "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, I8, I16, I32, I64, F64, BF16");
  EXPECT_FALSE(ggml_type_from_number(4).has_value());
  EXPECT_FALSE(ggml_type_from_number(1000).has_value());
  EXPECT_EQ(info(*ggml_type_from_number(14)).name, "Q6_K");
}

TEST(GgufWriter, RefusesBytesThatDoNotMatch) {
  GgufWriter writer;
  const std::vector<uint64_t> dims = {32};
  EXPECT_THROW(writer.add_tensor("x", GgmlType::kQ8_0, dims, bytes_of(33)), std::invalid_argument);
}

}  // namespace
}  // namespace plimsoll::io
