#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/shader_compiler.h"

namespace plimsoll::hal::vulkan {

const char* shader_compiler_off() noexcept { return "this build found no shaderc"; }

std::vector<uint32_t> compile_glsl(const std::string& name, std::string_view /*source*/) {
  throw DeviceError(fmt::format("[{}] kernels from source are off: {}", name, shader_compiler_off()));
}

}  // namespace plimsoll::hal::vulkan
