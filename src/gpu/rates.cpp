#include "gpu/rates.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "base/file.h"
#include "base/json.h"

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

// Slower than any device of the type that people use, so that first launches are safe.
RateTable::Ideal safe_guess(const hal::DeviceInfo& info) {
  switch (info.type) {
    case hal::DeviceType::kDiscrete:
      return {100e9, 2e12, 5e-6};
    case hal::DeviceType::kIntegrated:
      return {20e9, 200e9, 10e-6};
    case hal::DeviceType::kSimulated:
      return {100e9, 2e12, 5e-6};
    case hal::DeviceType::kSoftware:
      break;
  }
  return {5e9, 20e9, 20e-6};
}

}  // namespace

RateTable::RateTable(const hal::DeviceInfo& info) : RateTable(safe_guess(info)) {}

double RateTable::ideal(const hal::Cost& cost) const {
  return std::max(cost.bytes / ideal_.bytes_per_second, cost.operations / ideal_.operations_per_second);
}

double RateTable::slowness(std::string_view kernel) const {
  const auto found = rates_.find(kernel);
  return found == rates_.end() ? kFloorSlowness : found->second.slowness;
}

bool RateTable::is_measurable(const hal::Kernel& kernel, const hal::Cost& cost) const {
  const double perfect = ideal(cost);
  if (perfect * kFloorSlowness >= kMeasurable) return true;
  return perfect * slowness(kernel.name()) >= kMeasurable;
}

double RateTable::project(const hal::Kernel& kernel, const hal::Cost& cost) const {
  const double perfect = ideal(cost);
  if (!is_measurable(kernel, cost)) return (ideal_.fixed_seconds + cost.bytes / ideal_.bytes_per_second) / kSafety;
  return (ideal_.fixed_seconds + perfect * slowness(kernel.name())) / kSafety;
}

void RateTable::learn(const hal::Kernel& kernel, const hal::Cost& cost, double seconds, uint64_t submission) {
  if (!is_measurable(kernel, cost) || !std::isfinite(seconds)) return;
  // Shorter times say no more than that the kernel is at least this fast.
  const double measured = std::max(seconds, kMeasurable / 10) / ideal(cost);
  Rate& rate = rates_[kernel.name()];
  // Of a submission's several, the worst counts.
  const double least = rate.submission == submission ? rate.slowness : rate.slowness / 2;
  rate = {std::max(measured, least), submission};
  changed_ = true;
}

void RateTable::load(const std::string& path) {
  try {
    const base::JsonDocument document = base::load_json(path, {.max_bytes = kMaxFileBytes});
    const base::JsonValue rates = document.root().to_object("rates");
    for (size_t i = 0; i < rates.size(); ++i) {
      const base::JsonMember rate = rates.member(i);
      const double number = rate.value.to_double(rate.key);
      if (std::isfinite(number) && number > 0) rates_[std::string(rate.key)] = {number, 0};
    }
  } catch (const FileError&) {
    // Nothing learned yet, or nothing that can be read: the guesses hold.
  }
}

void RateTable::save(const std::string& path) {
  if (!changed_) return;
  std::string text = "{";
  for (const auto& [kernel, rate] : rates_) {
    text += fmt::format("{}\n  \"{}\": {:.6g}", text.size() > 1 ? "," : "", kernel, rate.slowness);
  }
  base::make_folders(std::filesystem::path(path).parent_path().string());
  base::write_file_atomically(path, text + "\n}\n");
  changed_ = false;
}

}  // namespace plimsoll::gpu
