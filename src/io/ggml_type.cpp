#include "io/ggml_type.h"

#include <algorithm>
#include <array>
#include <string>

namespace plimsoll::io {
namespace {

constexpr bool kComputed = true;
constexpr bool kListed = false;

constexpr std::array<GgmlTypeInfo, 33> kTypes = {{
    {GgmlType::kF32, "F32", 1, 4, kComputed},
    {GgmlType::kF16, "F16", 1, 2, kComputed},
    {GgmlType::kQ4_0, "Q4_0", 32, 18, kComputed},
    {GgmlType::kQ4_1, "Q4_1", 32, 20, kComputed},
    {GgmlType::kQ5_0, "Q5_0", 32, 22, kComputed},
    {GgmlType::kQ5_1, "Q5_1", 32, 24, kComputed},
    {GgmlType::kQ8_0, "Q8_0", 32, 34, kComputed},
    {GgmlType::kQ8_1, "Q8_1", 32, 36, kListed},
    {GgmlType::kQ2_K, "Q2_K", 256, 84, kListed},
    {GgmlType::kQ3_K, "Q3_K", 256, 110, kListed},
    {GgmlType::kQ4_K, "Q4_K", 256, 144, kComputed},
    {GgmlType::kQ5_K, "Q5_K", 256, 176, kComputed},
    {GgmlType::kQ6_K, "Q6_K", 256, 210, kComputed},
    {GgmlType::kQ8_K, "Q8_K", 256, 292, kListed},
    {GgmlType::kIQ2_XXS, "IQ2_XXS", 256, 66, kListed},
    {GgmlType::kIQ2_XS, "IQ2_XS", 256, 74, kListed},
    {GgmlType::kIQ3_XXS, "IQ3_XXS", 256, 98, kListed},
    {GgmlType::kIQ1_S, "IQ1_S", 256, 50, kListed},
    {GgmlType::kIQ4_NL, "IQ4_NL", 32, 18, kListed},
    {GgmlType::kIQ3_S, "IQ3_S", 256, 110, kListed},
    {GgmlType::kIQ2_S, "IQ2_S", 256, 82, kListed},
    {GgmlType::kIQ4_XS, "IQ4_XS", 256, 136, kListed},
    {GgmlType::kI8, "I8", 1, 1, kComputed},
    {GgmlType::kI16, "I16", 1, 2, kComputed},
    {GgmlType::kI32, "I32", 1, 4, kComputed},
    {GgmlType::kI64, "I64", 1, 8, kComputed},
    {GgmlType::kF64, "F64", 1, 8, kComputed},
    {GgmlType::kIQ1_M, "IQ1_M", 256, 56, kListed},
    {GgmlType::kBF16, "BF16", 1, 2, kComputed},
    {GgmlType::kTQ1_0, "TQ1_0", 256, 54, kListed},
    {GgmlType::kTQ2_0, "TQ2_0", 256, 66, kListed},
    {GgmlType::kMXFP4, "MXFP4", 32, 17, kListed},
    {GgmlType::kNVFP4, "NVFP4", 64, 36, kListed},
}};

const GgmlTypeInfo* find(uint32_t number) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [number](const GgmlTypeInfo& entry) {
    return static_cast<uint32_t>(entry.type) == number;
  });
  return found == kTypes.end() ? nullptr : &*found;
}

std::string join_computed() {
  std::string names;
  for (const GgmlTypeInfo& entry : kTypes) {
    if (!entry.computed) continue;
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return names;
}

}  // namespace

std::optional<GgmlType> ggml_type_from_number(uint32_t number) {
  if (find(number) == nullptr) return std::nullopt;
  return static_cast<GgmlType>(number);
}

const GgmlTypeInfo& info(GgmlType type) { return *find(static_cast<uint32_t>(type)); }

std::string_view computed_ggml_types() {
  static const std::string names = join_computed();
  return names;
}

}  // namespace plimsoll::io
