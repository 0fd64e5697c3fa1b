// Arrays over mapped files, and files written from arrays.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"
#include "plimsoll/memory.h"
#include "plimsoll/ops.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

class LoadFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("plimsoll_load_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

bool same(const array& a, const array& b) { return a.dtype() == b.dtype() && array_equal(a, b).item<bool>(); }

TEST_F(LoadFile, SafetensorsCarryEveryDtype) {
  std::unordered_map<std::string, array> saved;
  for (const Dtype dtype : {bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32,
                            float64, complex64}) {
    saved.emplace(std::string(name_of(dtype)), astype(reshape(arange(6), {2, 3}), dtype));
  }
  saved.emplace("empty", zeros({0, 4}));
  saved.emplace("scalar", array(3.5f));
  save_safetensors(file("all.safetensors"), saved, {{"format", "pt"}, {"note", "x"}});
  const auto [loaded, metadata] = load_safetensors(file("all.safetensors"));
  ASSERT_EQ(loaded.size(), saved.size());
  for (const auto& [name, values] : saved) EXPECT_TRUE(same(loaded.at(name), values)) << name;
  EXPECT_EQ(metadata.at("note"), "x");
}

TEST_F(LoadFile, SavesViewsAsTheyRead) {
  const array base = reshape(arange(12), {3, 4});
  save_safetensors(file("v.safetensors"), {{"t", transpose(base)}, {"s", slice(base, {0, 1}, {3, 3})}});
  const auto loaded = load_safetensors(file("v.safetensors")).first;
  EXPECT_TRUE(same(loaded.at("t"), transpose(base)));
  EXPECT_TRUE(same(loaded.at("s"), slice(base, {0, 1}, {3, 3})));
}

TEST_F(LoadFile, CountsAMappingUntilItsLastArrayIsGone) {
  save_safetensors(file("m.safetensors"), {{"a", ones({1 << 16})}, {"b", ones({1 << 16})}});
  const MemoryStats before = memory_stats();
  {
    auto tensors = load_safetensors(file("m.safetensors")).first;
    EXPECT_GE(memory_stats().mapped - before.mapped, size_t{2} << 18);
    EXPECT_EQ(memory_stats().active, before.active);
    tensors.erase("a");
    EXPECT_LT(memory_stats().mapped - before.mapped, size_t{2} << 18);
    EXPECT_EQ(sum(tensors.at("b")).item<float>(), 65536.0f);
  }
  EXPECT_EQ(memory_stats().mapped, before.mapped);
}

TEST_F(LoadFile, CopiesTensorsThatAreNotAligned) {
  const std::string header = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";  // 8 + 54 bytes
  std::ofstream out(file("u.safetensors"), std::ios::binary);
  const uint64_t length = header.size();
  const float values[] = {1.5f, -2.0f};
  out.write(reinterpret_cast<const char*>(&length), 8) << header;
  out.write(reinterpret_cast<const char*>(values), sizeof(values));
  out.close();
  ASSERT_NE((8 + header.size()) % 4, 0u);
  const auto loaded = load_safetensors(file("u.safetensors")).first;
  EXPECT_TRUE(same(loaded.at("x"), array({1.5f, -2.0f})));
}

TEST_F(LoadFile, FoldersFollowTheirIndex) {
  save_safetensors(file("a.safetensors"), {{"x", ones({2})}});
  save_safetensors(file("b.safetensors"), {{"y", zeros({3})}});
  const auto write_index = [&](const char* text) { std::ofstream(file("model.safetensors.index.json")) << text; };
  write_index(R"({"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}})");
  EXPECT_EQ(load_safetensors_folder(folder_.string()).first.size(), 2u);
  write_index(R"({"weight_map": {"x": "a.safetensors", "z": "b.safetensors"}})");
  EXPECT_THROW(load_safetensors_folder(folder_.string()), FileError);
  save_safetensors(file("b.safetensors"), {{"x", zeros({3})}, {"z", zeros({3})}});
  EXPECT_THROW(load_safetensors_folder(folder_.string()), FileError);
}

TEST_F(LoadFile, GgufRoundTrip) {
  const std::map<std::string, array> saved{{"w", astype(reshape(arange(6), {2, 3}), float16)}, {"n", ones({4})}};
  const std::map<std::string, GgufMetadata> metadata{{"general.architecture", std::string("llama")},
                                                     {"a.count", uint32_t{7}},
                                                     {"a.flag", true},
                                                     {"a.rate", 0.5f},
                                                     {"a.names", std::vector<std::string>{"x", "yz"}},
                                                     {"a.scores", std::vector<float>{1.0f, 2.0f}},
                                                     {"a.kinds", std::vector<int32_t>{-1, 3}}};
  save_gguf(file("m.gguf"), saved, metadata);
  const GgufFile loaded = load_gguf(file("m.gguf"));
  for (const auto& [name, values] : saved) EXPECT_TRUE(same(*loaded.tensors().at(name).data, values)) << name;
  EXPECT_EQ(loaded.tensors().at("w").type, "F16");
  EXPECT_EQ(loaded.find_int("a.count"), 7);
  EXPECT_EQ(loaded.find_bool("a.flag"), true);
  EXPECT_EQ(loaded.find_float("a.rate"), 0.5);
  EXPECT_EQ(loaded.find_float("a.count"), 7.0);
  EXPECT_EQ(loaded.find_string("general.architecture"), "llama");
  EXPECT_EQ(loaded.find_strings("a.names"), (std::vector<std::string_view>{"x", "yz"}));
  EXPECT_EQ(loaded.find_floats("a.scores"), (std::vector<float>{1.0f, 2.0f}));
  EXPECT_EQ(loaded.find_ints("a.kinds"), (std::vector<int64_t>{-1, 3}));
  EXPECT_FALSE(loaded.find_int("a.missing"));
  EXPECT_EQ(loaded.metadata().size(), metadata.size());
  EXPECT_THROW(loaded.find_int("a.names"), FileError);
  EXPECT_THROW(save_gguf(file("m.gguf"), {{"b", ones({2}, bool_)}}), std::invalid_argument);
}

TEST_F(LoadFile, RefusalsNameTheFile) {
  EXPECT_THROW(load_safetensors(file("missing.safetensors")), FileError);
  EXPECT_THROW(load_gguf(file("missing.gguf")), FileError);
  save_safetensors(file("big.safetensors"), {{"x", ones({1 << 18})}});
  clear_cache();
  const size_t before = set_memory_limit(get_active_memory() + (1 << 19));
  try {
    load_safetensors(file("big.safetensors"));
    ADD_FAILURE() << "mapped a file beyond the limit";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("big.safetensors"));
  }
  set_memory_limit(before);
}

}  // namespace
}  // namespace plimsoll
