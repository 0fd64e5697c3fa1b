#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <shaderc/shaderc.h>

#include "plimsoll/errors.h"
#include "base/file.h"
#include "base/sha256.h"
#include "hal/drivers/vulkan/disk_cache.h"
#include "hal/drivers/vulkan/shader_compiler.h"

namespace plimsoll::hal::vulkan {
namespace {

template <auto kRelease>
struct Release {
  template <typename Handle>
  void operator()(Handle* handle) const {
    kRelease(handle);
  }
};

using Compiler = std::unique_ptr<shaderc_compiler, Release<shaderc_compiler_release>>;
using CompileOptions = std::unique_ptr<shaderc_compile_options, Release<shaderc_compile_options_release>>;
using Result = std::unique_ptr<shaderc_compilation_result, Release<shaderc_result_release>>;

CompileOptions make_options() {
  CompileOptions options(shaderc_compile_options_initialize());
  if (options == nullptr) return nullptr;
  shaderc_compile_options_set_source_language(options.get(), shaderc_source_language_glsl);
  shaderc_compile_options_set_target_env(options.get(), shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  shaderc_compile_options_set_target_spirv(options.get(), shaderc_spirv_version_1_5);
  shaderc_compile_options_set_optimization_level(options.get(), shaderc_optimization_level_performance);
  return options;
}

std::vector<uint32_t> to_words(const char* bytes, size_t count) {
  std::vector<uint32_t> words(count / sizeof(uint32_t));
  std::memcpy(words.data(), bytes, words.size() * sizeof(uint32_t));
  return words;
}

std::vector<uint32_t> compile(const std::string& name, std::string_view source) {
  const Compiler compiler(shaderc_compiler_initialize());
  const CompileOptions options = make_options();
  if (compiler == nullptr || options == nullptr) throw DeviceError(fmt::format("[{}] shaderc does not start", name));
  const Result result(shaderc_compile_into_spv(compiler.get(), source.data(), source.size(),
                                               shaderc_glsl_compute_shader, name.c_str(), "main", options.get()));
  if (result == nullptr) throw DeviceError(fmt::format("[{}] shaderc ran out of memory", name));
  if (shaderc_result_get_compilation_status(result.get()) != shaderc_compilation_status_success) {
    throw DeviceError(
        fmt::format("[{}] the kernel does not compile:\n{}", name, shaderc_result_get_error_message(result.get())));
  }
  return to_words(shaderc_result_get_bytes(result.get()), shaderc_result_get_length(result.get()));
}

// What makes the same text compile to other code.
std::string compiler_identity() {
  unsigned version = 0, revision = 0;
  shaderc_get_spv_version(&version, &revision);
  return fmt::format("shaderc, SPIR-V {:x}.{}, Vulkan 1.2, SPIR-V 1.5, optimized", version, revision);
}

}  // namespace

const char* shader_compiler_off() noexcept { return ""; }

std::vector<uint32_t> compile_glsl(const std::string& name, std::string_view source) {
  const DiskCache disk(base::plimsoll_home() / "spirv", compiler_identity());
  const std::string key = base::sha256_hex(source) + ".spv";
  if (const auto stored = disk.load(key)) return to_words(stored->data(), stored->size());
  const std::vector<uint32_t> words = compile(name, source);
  disk.store(key, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)});
  return words;
}

}  // namespace plimsoll::hal::vulkan
