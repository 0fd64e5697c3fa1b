#include "hal/drivers/sim/machine.h"

#include <algorithm>

namespace plimsoll::hal::sim {
namespace {

double rate_of(const Machine& machine, std::string_view kernel) {
  double rate = machine.operations_per_second;
  size_t longest = 0;
  for (const Rate& candidate : machine.rates) {
    if (candidate.prefix.size() <= longest || !kernel.starts_with(candidate.prefix)) continue;
    longest = candidate.prefix.size();
    rate = candidate.operations_per_second;
  }
  return rate;
}

double traffic_seconds(const Machine& machine, double bytes, double paged) {
  return bytes * (1 - paged) / machine.bytes_per_second + bytes * paged / machine.paging_bytes_per_second;
}

}  // namespace

double Machine::seconds(std::string_view kernel, const Cost& cost, double paged) const {
  const double working = cost.operations / rate_of(*this, kernel);
  return dispatch_seconds + std::max(working, traffic_seconds(*this, cost.bytes, paged));
}

double Machine::seconds(double bytes, double paged) const {
  return dispatch_seconds + traffic_seconds(*this, bytes, paged);
}

double Machine::paged_share(size_t used) const {
  if (used <= paging_bytes) return 0;
  return static_cast<double>(used - paging_bytes) / static_cast<double>(used);
}

}  // namespace plimsoll::hal::sim
