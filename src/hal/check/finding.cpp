#include "hal/check/finding.h"

#include <fmt/format.h>

namespace plimsoll::hal::check {
namespace {

const char* to_string(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "reads";
    case AccessKind::kWrite:
      return "writes";
    case AccessKind::kReadWrite:
      return "updates";
  }
  return "touches";
}

std::string describe(const Region& region) {
  if (region.rows == 1) return fmt::format("{} bytes at {:#x}", region.row_bytes, region.address);
  return fmt::format("{} rows of {} bytes, {} apart, at {:#x}", region.rows, region.row_bytes, region.row_stride,
                     region.address);
}

std::string describe(const Site& site) {
  std::string text = fmt::format("list {}, command {}, {}", site.list, site.index, site.kernel);
  if (!site.label.empty()) text += fmt::format(" ({})", site.label);
  if (!site.access.region.empty()) {
    text += fmt::format(", {} {}", to_string(site.access.kind), describe(site.access.region));
  }
  return text;
}

}  // namespace

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::kMissingBarrier:
      return "missing barrier";
    case Fault::kMissingTicket:
      return "missing ticket";
    case Fault::kNeedlessBarrier:
      return "needless barrier";
    case Fault::kUnorderedCanary:
      return "unordered canary";
    case Fault::kFalseContinuation:
      return "false continuation";
    case Fault::kOutsideBuffer:
      return "outside every buffer";
    case Fault::kWritesOutside:
      return "writes outside its statement";
    case Fault::kReadsOutside:
      return "reads outside its statement";
    case Fault::kLeavesGaps:
      return "leaves stated bytes unwritten";
  }
  return "unknown";
}

std::string describe(const Finding& finding) {
  std::string text = fmt::format("[check] {}: {}", to_string(finding.fault), describe(finding.site));
  if (!finding.earlier.kernel.empty()) text += fmt::format("; against {}", describe(finding.earlier));
  if (finding.byte != 0) text += fmt::format("; first wrong byte at {:#x}", finding.byte);
  return text;
}

}  // namespace plimsoll::hal::check
