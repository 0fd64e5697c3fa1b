// Timing that can be trusted: warm-up, repeats, the median and how far the rest lies from it.
#pragma once

#include <functional>
#include <vector>

#include "cli/output.h"

namespace plimsoll::cli {

struct Spread {
  double median = 0.0;
  double least = 0.0;
  double most = 0.0;
};

// Requires at least one value.
Spread spread_of(std::vector<double> values);

Json spread_json(const Spread& spread);

// Seconds of one call of `work`: `repeats` samples after a warm-up, each of as many calls as take at least 20 ms.
Spread measure_seconds(const std::function<void()>& work, int repeats);

}  // namespace plimsoll::cli
