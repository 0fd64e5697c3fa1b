// Sizes of the blocks of GGUF's quantized formats.
#pragma once

#include <cstdint>

#include "plimsoll/quantized.h"

namespace plimsoll {

struct BlockLayout {
  int64_t values;
  int64_t bytes;
};

constexpr BlockLayout block_layout(BlockFormat format) {
  switch (format) {
    case BlockFormat::Q4_0:
      return {32, 18};
    case BlockFormat::Q4_1:
      return {32, 20};
    case BlockFormat::Q5_0:
      return {32, 22};
    case BlockFormat::Q5_1:
      return {32, 24};
    case BlockFormat::Q8_0:
      return {32, 34};
    case BlockFormat::Q4_K:
      return {256, 144};
    case BlockFormat::Q5_K:
      return {256, 176};
    case BlockFormat::Q6_K:
      return {256, 210};
  }
  __builtin_unreachable();
}

}  // namespace plimsoll
