// GLSL to SPIR-V at run time, for generated kernels. Two definitions, of which a build has one: with shaderc, or, where
// it is not installed, one that says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::hal::vulkan {

// Why there is no compiler; empty when there is one.
const char* shader_compiler_off() noexcept;

// SPIR-V 1.5 of a compute kernel. Kept in PLIMSOLL_HOME/spirv. Thread-safe. Throws DeviceError naming the kernel, with
// the compiler's messages.
std::vector<uint32_t> compile_glsl(const std::string& name, std::string_view source);

}  // namespace plimsoll::hal::vulkan
