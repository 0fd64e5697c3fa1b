// The commands that report: devices, inspect, eval, bench, make-tiny.
#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "cli/models.h"

namespace plimsoll::cli_tests {
namespace {

using testing::HasSubstr;

std::string golden_model(const std::string& name) { return PLIMSOLL_TESTS_DIR "/golden/models/" + name; }

TEST(Devices, TellsOfTheCpuAndEveryOtherDevice) {
  const json object = run_json({"devices", "--threads", "3", "--memory-limit", "100MiB"});
  const json& cpu = object["devices"][0];
  EXPECT_EQ(cpu["name"], "cpu");
  EXPECT_EQ(cpu["threads"], 3);
  EXPECT_GE(cpu["cores"], 1);
  EXPECT_EQ(cpu["memory"]["limit"], 100 << 20);
  EXPECT_GT(cpu["total_memory"], cpu["memory"]["limit"]);
  EXPECT_FALSE(cpu["features"].empty());
  const std::string text = run({"devices"}).out;
  for (size_t i = 1; i < object["devices"].size(); ++i) {
    const json& device = object["devices"][i];
    EXPECT_EQ(device["available"].get<bool>(), device["reason"].is_null());
    EXPECT_THAT(text, HasSubstr(device["name"].get<std::string>()));
    for (const json& feature : device["features"]) {
      EXPECT_TRUE(feature["present"].get<bool>() || !feature["use"].get<std::string>().empty()) << feature;
    }
  }
}

TEST(Inspect, ListsAGgufFile) {
  const json object = run_json({"inspect", golden_model("llama-mixed.gguf")});
  EXPECT_THAT(object["format"].get<std::string>(), HasSubstr("GGUF"));
  EXPECT_THAT(object["metadata"]["general.architecture"].get<std::string>(), HasSubstr("llama"));
  EXPECT_GT(object["types"].size(), 1u);
  uint64_t tensors = 0;
  for (const auto& [name, total] : object["types"].items()) tensors += total["tensors"].get<uint64_t>();
  EXPECT_EQ(tensors, object["tensors"].size());
  const json& tensor = object["tensors"][0];
  for (const char* field : {"name", "type", "shape", "bytes", "usable"}) EXPECT_TRUE(tensor.contains(field)) << field;
}

TEST(Inspect, ListsAFolderWithItsQuantization) {
  const json object = run_json({"inspect", golden_model("llama-mlx-4bit")});
  EXPECT_EQ(object["format"], "model folder");
  EXPECT_EQ(object["quantization"], "affine, 4 bits, groups of 32");
  EXPECT_EQ(object["metadata"]["architecture"], "llama");
  EXPECT_TRUE(object["types"].contains("uint32"));
}

TEST(Inspect, PrintsEveryTensorForPeople) {
  const Outcome outcome = run({"inspect", tiny_model()});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part : {"GGUF 3", "metadata", "llama.block_count", "token_embd.weight", "F32"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST(Eval, GivesThePerplexityOfATextAndOfItsLines) {
  const std::string text = write_file("text.txt", "The quick brown fox jumps over the lazy dog.");
  const json whole = run_json({"eval", "--model", tiny_model(), "--data", text, "--dtype", "float32"});
  EXPECT_EQ(whole["predicted_tokens"], 60);  // 36 bytes, and 8 spaces of 3 bytes each: U+2581
  EXPECT_DOUBLE_EQ(whole["perplexity"].get<double>(), std::exp(whole["mean_loss"].get<double>()));
  EXPECT_GT(whole["perplexity"], 1.0);

  const std::string lines = write_file("lines.jsonl",
                                       "{\"text\": \"The quick brown fox jumps over the lazy dog.\"}\n"
                                       "{\"text\": \"The quick brown fox jumps over the lazy dog.\"}\n");
  const json twice = run_json({"eval", "--model", tiny_model(), "--data", lines, "--dtype", "float32"});
  EXPECT_EQ(twice["documents"], 2);
  EXPECT_EQ(twice["predicted_tokens"], 120);
  EXPECT_NEAR(twice["mean_loss"].get<double>(), whole["mean_loss"].get<double>(), 1e-9);
}

TEST(Bench, MeasuresAModel) {
  const json object = run_json({"bench", "lm", "--model", tiny_model(), "--prompt-tokens", "16", "--generate-tokens",
                                "8", "--repeats", "3", "--threads", "2", "--dtype", "float32", "--device", "cpu"});
  for (const char* side : {"prefill", "decode"}) {
    const json& spread = object[side];
    EXPECT_GT(spread["min"], 0.0);
    EXPECT_LE(spread["min"], spread["median"]);
    EXPECT_LE(spread["median"], spread["max"]);
    EXPECT_EQ(object[std::string(side) + "_tokens_per_second"], spread["median"]);
  }
  EXPECT_EQ(object["dtype"], "float32");
  EXPECT_EQ(object["threads"], 2);
  EXPECT_TRUE(object["instructions"].is_string());
}

TEST(Bench, MeasuresOperationsAgainstTheCeilings) {
  const json object = run_json(
      {"bench", "op", "softmax", "quantized", "--rows", "4", "--columns", "64", "--inner", "256", "--repeats", "1"});
  EXPECT_GT(object["ceilings"]["bytes_per_second"], 0.0);
  EXPECT_GT(object["ceilings"]["flops_per_second"], 0.0);
  ASSERT_EQ(object["results"].size(), 2u);
  EXPECT_EQ(object["results"][0]["operation"], "softmax");
  EXPECT_EQ(object["results"][1]["format"], "Q4_K");
  for (const json& result : object["results"]) EXPECT_GT(result["seconds"]["median"], 0.0);
}

TEST(MakeTiny, WritesTheSameBytesForTheSameSeed) {
  const auto bytes = [](const std::string& name, const std::string& seed) {
    const std::string path = scratch_folder() + "/" + name;
    EXPECT_EQ(run({"make-tiny", path, "--seed", seed}).exit_code, 0);
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
  };
  const std::string first = bytes("a.gguf", "1");
  EXPECT_EQ(first, bytes("b.gguf", "1"));
  EXPECT_NE(first, bytes("c.gguf", "2"));
}

}  // namespace
}  // namespace plimsoll::cli_tests
