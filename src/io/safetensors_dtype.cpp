#include "io/safetensors_dtype.h"

#include <algorithm>
#include <array>

namespace plimsoll::io {
namespace {

constexpr bool kComputed = true;
constexpr bool kListed = false;

// In the order of the enum.
constexpr std::array<SafetensorsDtypeInfo, 20> kDtypes = {{
    {SafetensorsDtype::kBool, "BOOL", 8, kComputed},     {SafetensorsDtype::kU8, "U8", 8, kComputed},
    {SafetensorsDtype::kI8, "I8", 8, kComputed},         {SafetensorsDtype::kU16, "U16", 16, kComputed},
    {SafetensorsDtype::kI16, "I16", 16, kComputed},      {SafetensorsDtype::kF16, "F16", 16, kComputed},
    {SafetensorsDtype::kBF16, "BF16", 16, kComputed},    {SafetensorsDtype::kU32, "U32", 32, kComputed},
    {SafetensorsDtype::kI32, "I32", 32, kComputed},      {SafetensorsDtype::kF32, "F32", 32, kComputed},
    {SafetensorsDtype::kU64, "U64", 64, kComputed},      {SafetensorsDtype::kI64, "I64", 64, kComputed},
    {SafetensorsDtype::kF64, "F64", 64, kComputed},      {SafetensorsDtype::kC64, "C64", 64, kComputed},
    {SafetensorsDtype::kF8_E4M3, "F8_E4M3", 8, kListed}, {SafetensorsDtype::kF8_E5M2, "F8_E5M2", 8, kListed},
    {SafetensorsDtype::kF8_E8M0, "F8_E8M0", 8, kListed}, {SafetensorsDtype::kF6_E2M3, "F6_E2M3", 6, kListed},
    {SafetensorsDtype::kF6_E3M2, "F6_E3M2", 6, kListed}, {SafetensorsDtype::kF4, "F4", 4, kListed},
}};

}  // namespace

std::optional<SafetensorsDtype> safetensors_dtype_from_name(std::string_view name) {
  const auto found = std::find_if(kDtypes.begin(), kDtypes.end(),
                                  [name](const SafetensorsDtypeInfo& entry) { return entry.name == name; });
  if (found == kDtypes.end()) return std::nullopt;
  return found->dtype;
}

const SafetensorsDtypeInfo& info(SafetensorsDtype dtype) { return kDtypes[static_cast<size_t>(dtype)]; }

}  // namespace plimsoll::io
