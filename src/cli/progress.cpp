#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"

namespace plimsoll::cli {

namespace {

constexpr size_t kBarWidth = 24;
constexpr const char* kClearLine = "\r\x1b[K";

std::string bar(double fraction) {
  const auto filled = static_cast<size_t>(fraction * kBarWidth);
  return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

}  // namespace

Progress::Progress(std::string label, ProgressUnit unit, bool quiet)
    : label_(std::move(label)), unit_(unit), enabled_(!quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs(kClearLine, stderr);
}

void Progress::show(uint64_t done, uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  if (total == 0) {
    fmt::print(stderr, "{}{} {}", kClearLine, label_, amount(done));
    return;
  }
  const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  fmt::print(stderr, "{}{} [{}] {} of {}", kClearLine, label_, bar(fraction), amount(done), amount(total));
}

std::string Progress::amount(uint64_t value) const {
  return unit_ == ProgressUnit::kBytes ? base::format_bytes(value) : fmt::format("{} tokens", value);
}

}  // namespace plimsoll::cli
