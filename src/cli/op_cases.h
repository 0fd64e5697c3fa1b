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

// std::invalid_argument for a name that is not one of op_names(), and for sizes that do not fit.
void check_op(std::string_view name, const OpSizes& sizes, BlockFormat format);

// Inputs are made and evaluated. Requires what check_op() checks.
OpCase make_op_case(std::string_view name, const OpSizes& sizes, Dtype dtype, BlockFormat format);

}  // namespace plimsoll::cli
