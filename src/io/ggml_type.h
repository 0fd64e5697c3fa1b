// The element types that a GGUF file may name, with the size of their blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::io {

// Numbers as stored in files. A row of a quantized type is cut into blocks of equal size.
enum class GgmlType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kQ8_K = 15,
  kIQ2_XXS = 16,
  kIQ2_XS = 17,
  kIQ3_XXS = 18,
  kIQ1_S = 19,
  kIQ4_NL = 20,
  kIQ3_S = 21,
  kIQ2_S = 22,
  kIQ4_XS = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kIQ1_M = 29,
  kBF16 = 30,
  kTQ1_0 = 34,
  kTQ2_0 = 35,
  kMXFP4 = 39,
  kNVFP4 = 40,
};

struct GgmlTypeInfo {
  GgmlType type;
  std::string_view name;    // as the format writes it: "Q4_K"
  uint32_t block_elements;  // consecutive elements of a row that one block holds; 1 for plain types
  uint32_t block_bytes;
  bool computed;  // whether Plimsoll computes with it; others can be listed only
};

// The type with this number, if the format defines one.
std::optional<GgmlType> ggml_type_from_number(uint32_t number);

const GgmlTypeInfo& info(GgmlType type);

// Names of the types that Plimsoll computes with, for messages: "F32, F16, ...".
std::string_view computed_ggml_types();

}  // namespace plimsoll::io
