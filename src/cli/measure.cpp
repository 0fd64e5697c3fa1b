#include "cli/measure.h"

#include <algorithm>
#include <cmath>

#include "cli/interrupt.h"
#include "cli/stopwatch.h"

namespace plimsoll::cli {

namespace {

constexpr double kSampleSeconds = 0.020;
constexpr int kMaxCalls = 1 << 20;

double seconds_of(const std::function<void()>& work, int calls) {
  const Stopwatch watch;
  for (int i = 0; i < calls; ++i) work();
  return watch.seconds();
}

// Calls that take about a sample's time. Warms up on the way.
int calls_per_sample(const std::function<void()>& work) {
  seconds_of(work, 1);
  int calls = 1;
  for (double taken = seconds_of(work, calls); taken < kSampleSeconds && calls < kMaxCalls;) {
    const double wanted = 1.2 * kSampleSeconds / std::max(taken, 1e-7) * calls;
    calls = static_cast<int>(std::clamp(std::ceil(wanted), calls + 1.0, static_cast<double>(kMaxCalls)));
    taken = seconds_of(work, calls);
  }
  return calls;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"min", spread.least}, {"max", spread.most}};
}

Spread measure_seconds(const std::function<void()>& work, int repeats) {
  const int calls = calls_per_sample(work);
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) {
    check_interrupt();
    samples.push_back(seconds_of(work, calls) / calls);
  }
  return spread_of(std::move(samples));
}

}  // namespace plimsoll::cli
