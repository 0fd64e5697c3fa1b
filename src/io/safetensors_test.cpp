#include "io/safetensors.h"

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"

namespace plimsoll::io {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::byte> file_of(const std::string& header, size_t data_bytes) {
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  const uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  for (size_t i = 0; i < data_bytes; ++i) bytes[8 + header.size() + i] = static_cast<std::byte>(i);
  return bytes;
}

std::string refusal(const std::string& header, size_t data_bytes) {
  const auto bytes = file_of(header, data_bytes);
  try {
    parse_safetensors(bytes, "m.safetensors");
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("[m.safetensors] "));
    return error.what();
  }
  return "accepted";
}

TEST(Safetensors, ReadsTensorsAndMetadata) {
  const auto bytes =
      file_of(R"({"b":{"dtype":"F16","shape":[2,3],"data_offsets":[8,20]},"__metadata__":{"format":"pt"},)"
              R"("a":{"dtype":"I64","shape":[],"data_offsets":[0,8]}, "e":{"dtype":"F32","shape":[0],)"
              R"("data_offsets":[8,8]}}   )",
              20);
  const auto file = parse_safetensors(bytes, "m.safetensors");
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(file.tensors()[1].name, "e");
  EXPECT_EQ(file.metadata(), (SafetensorsFile::Metadata{{"format", "pt"}}));
  const SafetensorsTensor& b = file.tensor("b");
  EXPECT_EQ(b.dtype, SafetensorsDtype::kF16);
  EXPECT_EQ(b.shape, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(file.tensor_bytes(b).size(), 12u);
  EXPECT_EQ(file.tensor_bytes(b)[0], std::byte{8});
  EXPECT_TRUE(file.tensor_bytes(file.tensor("e")).empty());
  EXPECT_EQ(file.tensor("a").shape.size(), 0u);
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_THAT([&] { file.tensor("c"); }, ThrowsMessage<FileError>("[m.safetensors] tensor 'c' is missing"));
}

TEST(Safetensors, AFileMayHoldNoTensors) { EXPECT_EQ(refusal("{}", 0), "accepted"); }

TEST(Safetensors, RefusesOffsetsThatLie) {
  const auto one = [](const std::string& offsets) {
    return R"({"w":{"dtype":"F32","shape":[1000,1000],"data_offsets":)" + offsets + "}}";
  };
  EXPECT_THAT(refusal(one("[0,4]"), 4), HasSubstr("tensor 'w': data_offsets span 4 bytes, which do not match"));
  EXPECT_THAT(refusal(one("[0,4000000]"), 4), HasSubstr("tensor 'w': data_offsets [0, 4000000] do not fit in the 4"));
  EXPECT_THAT(refusal(one("[8,0]"), 8), HasSubstr("tensor 'w': data_offsets [8, 0] are reversed"));
  EXPECT_THAT(refusal(one("[0]"), 4), HasSubstr("tensor 'w': data_offsets holds 1 numbers"));
  EXPECT_THAT(refusal(one("[-1,4]"), 4), HasSubstr("'w.data_offsets'"));
  EXPECT_THAT(refusal(one("\"0\""), 4), HasSubstr("'w.data_offsets'"));
}

TEST(Safetensors, RefusesOverlapsGapsAndLeftovers) {
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}";
  };
  EXPECT_EQ(refusal(two("[4,8]", "[0,4]"), 8), "accepted");
  EXPECT_THAT(refusal(two("[0,4]", "[2,6]"), 6), HasSubstr("tensor 'b': data_offsets overlap"));
  EXPECT_THAT(refusal(two("[0,4]", "[6,10]"), 10), HasSubstr("tensor 'b': data_offsets leave a gap of 2 bytes"));
  EXPECT_THAT(refusal(two("[0,4]", "[4,8]"), 9), HasSubstr("data: 1 bytes at the end of the file"));
}

TEST(Safetensors, RefusesHeadersThatLie) {
  auto bytes = file_of("{}", 0);
  bytes[0] = std::byte{3};
  EXPECT_THAT([&] { parse_safetensors(bytes, "m"); },
              ThrowsMessage<FileError>(HasSubstr("header: 3 bytes at offset 8")));
  bytes[7] = std::byte{0x80};
  EXPECT_THAT([&] { parse_safetensors(bytes, "m"); }, ThrowsMessage<FileError>(HasSubstr("header length")));
  EXPECT_THAT([&] { parse_safetensors(std::span(bytes).first(7), "m"); },
              ThrowsMessage<FileError>(HasSubstr("header length")));
  EXPECT_THAT(refusal("[]", 0), HasSubstr("'header': expected an object"));
  EXPECT_THAT(refusal("{", 0), HasSubstr("is not valid JSON"));
}

TEST(Safetensors, RefusesFieldsThatLie) {
  const std::string good = R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(refusal(good, 2), "accepted");
  EXPECT_THAT(refusal(with("[2]", "[-2]"), 2), HasSubstr("'w.shape': expected an integer that is not negative"));
  EXPECT_THAT(refusal(with("[2]", "[18446744073709551616]"), 2), HasSubstr("'w.shape'"));
  EXPECT_THAT(refusal(with("[2]", "[4294967296]"), 2), HasSubstr("'w': shape: dimension 0"));
  EXPECT_THAT(refusal(with("[2]", "[2147483647,2147483647,2147483647]"), 2), HasSubstr("do not match shape"));
  EXPECT_THAT(refusal(with("[2]", "2"), 2), HasSubstr("'w.shape': expected an array"));
  EXPECT_THAT(refusal(with("U8", "Q9"), 2), HasSubstr("tensor 'w': dtype 'Q9' is unknown"));
  EXPECT_THAT(refusal(with("\"U8\"", "8"), 2), HasSubstr("'w.dtype': expected a string"));
  EXPECT_THAT(refusal(with("dtype", "type"), 2), HasSubstr("tensor 'w': dtype is missing"));
  EXPECT_THAT(refusal(with("shape", "shap"), 2), HasSubstr("tensor 'w': shape is missing"));
  EXPECT_THAT(refusal(with("data_", "date_"), 2), HasSubstr("tensor 'w': data_offsets is missing"));
  EXPECT_THAT(refusal(with("\"w\"", "\"\""), 2), HasSubstr("a tensor has no name"));
  EXPECT_THAT(refusal(with("{\"w\"", "{\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"w\""), 2),
              HasSubstr("duplicate key 'w'"));
  EXPECT_THAT(refusal(with("{\"w\"", "{\"__metadata__\":{\"n\":1},\"w\""), 2), HasSubstr("'n': expected a string"));
  EXPECT_THAT(refusal(with("{\"w\"", "{\"__metadata__\":1,\"w\""), 2), HasSubstr("'__metadata__': expected an object"));
}

TEST(Safetensors, MetadataMayBeNull) {
  const auto bytes = file_of(R"({"__metadata__":null,"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2);
  const auto file = parse_safetensors(bytes, "m");
  EXPECT_TRUE(file.metadata().empty());
  EXPECT_EQ(file.tensors().size(), 1u);
}

TEST(Safetensors, ADtypeThatIsOnlyListedIsRefusedWhenUsed) {
  const auto bytes = file_of(R"({"w":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", 2);
  const auto file = parse_safetensors(bytes, "m");
  EXPECT_THAT([&] { file.require_computed(file.tensor("w")); },
              ThrowsMessage<FileError>("[m] tensor 'w' has dtype F8_E4M3, which Plimsoll does not support"));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const auto bytes = file_of(R"({"w":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})", 9);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_THROW(parse_safetensors(cut, "m"), FileError) << size;
  }
}

TEST(SafetensorsIndex, MapsWeightsToFiles) {
  const auto index = parse_safetensors_index(
      R"({"metadata":{"total_size":8},"weight_map":{"b":"m-2.safetensors","a":"m-1.safetensors","c":"m-2.safetensors"}})",
      "i.json");
  EXPECT_EQ(index.files, (std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"}));
  ASSERT_EQ(index.weights.size(), 3u);
  EXPECT_EQ(index.weights[0].name, "b");
  EXPECT_EQ(index.weights[0].file, 1u);
  EXPECT_EQ(index.weights[1].file, 0u);
}

TEST(SafetensorsIndex, RefusesNamesThatLeadOutOfTheFolder) {
  for (const char* name : {"../m.safetensors", "/m.safetensors", "a/m.safetensors", "a\\\\m.safetensors",
                           ".safetensors", "..safetensors", "m.bin", "", "m\\u0000.safetensors"}) {
    const std::string text = R"({"weight_map":{"w":")" + std::string(name) + "\"}}";
    EXPECT_THAT([&] { parse_safetensors_index(text, "i.json"); },
                ThrowsMessage<FileError>(HasSubstr("[i.json] field 'w': ")))
        << name;
  }
  EXPECT_THROW(parse_safetensors_index("{}", "i.json"), FileError);
  EXPECT_THROW(parse_safetensors_index(R"({"weight_map":[]})", "i.json"), FileError);
  EXPECT_THROW(parse_safetensors_index(R"({"weight_map":{"w":1}})", "i.json"), FileError);
}

}  // namespace
}  // namespace plimsoll::io
