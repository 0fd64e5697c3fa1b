// The element types that a safetensors file may name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::io {

enum class SafetensorsDtype : uint8_t {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kF16,
  kBF16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64,
  kC64,
  kF8_E4M3,
  kF8_E5M2,
  kF8_E8M0,
  kF6_E2M3,
  kF6_E3M2,
  kF4,
};

struct SafetensorsDtypeInfo {
  SafetensorsDtype dtype;
  std::string_view name;  // as the format writes it: "BF16"
  uint32_t bits;          // of one element
  bool computed;          // whether Plimsoll computes with it; others can be listed only
};

// The dtype of this name, if the format defines one.
std::optional<SafetensorsDtype> safetensors_dtype_from_name(std::string_view name);

const SafetensorsDtypeInfo& info(SafetensorsDtype dtype);

}  // namespace plimsoll::io
