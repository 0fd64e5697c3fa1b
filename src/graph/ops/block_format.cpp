#include "graph/ops/block_format.h"

#include <array>

namespace plimsoll {
namespace {

struct NamedFormat {
  BlockFormat format;
  std::string_view name;
};
constexpr std::array kNames = {
    NamedFormat{BlockFormat::Q4_0, "Q4_0"}, NamedFormat{BlockFormat::Q4_1, "Q4_1"},
    NamedFormat{BlockFormat::Q5_0, "Q5_0"}, NamedFormat{BlockFormat::Q5_1, "Q5_1"},
    NamedFormat{BlockFormat::Q8_0, "Q8_0"}, NamedFormat{BlockFormat::Q4_K, "Q4_K"},
    NamedFormat{BlockFormat::Q5_K, "Q5_K"}, NamedFormat{BlockFormat::Q6_K, "Q6_K"},
};

}  // namespace

int block_values(BlockFormat format) { return static_cast<int>(block_layout(format).values); }

int block_bytes(BlockFormat format) { return static_cast<int>(block_layout(format).bytes); }

std::string_view block_format_name(BlockFormat format) { return kNames[static_cast<size_t>(format)].name; }

std::optional<BlockFormat> block_format_from_name(std::string_view name) {
  for (const NamedFormat& known : kNames) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

}  // namespace plimsoll
