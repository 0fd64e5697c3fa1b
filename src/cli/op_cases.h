// The operations that `bench op` measures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/dtype.h"
#include "plimsoll/quantized.h"

namespace plimsoll::cli {

// Sizes that the arguments give; each operation has its own for those left out.
struct OpSizes {
  std::optional<int> rows;
  std::optional<int> columns;
  std::optional<int> inner;  // of products
};

struct OpCase {
  std::string name;
  std::string format;  // of quantized weights, else empty
  int rows = 0;
  int columns = 0;
  int inner = 0;               // 0: no product
  double bytes = 0.0;          // that one call must read and write
  double flops = 0.0;          // of one call
  std::function<void()> call;  // evaluates the operation once; its inputs are evaluated already
};

std::vector<std::string> op_names();

// Inputs are made and evaluated. Requires a name of op_names(). std::invalid_argument for sizes that do not fit.
OpCase make_op_case(std::string_view name, const OpSizes& sizes, Dtype dtype, BlockFormat format);

}  // namespace plimsoll::cli
