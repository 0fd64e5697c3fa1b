#include "hal/check/report.h"

#include <utility>

#include "base/log.h"

namespace plimsoll::hal::check {

void Report::add(Finding finding) {
  const std::lock_guard lock(mutex_);
  ++counts_.findings;
  if (findings_.size() < kMaxKept) findings_.push_back(std::move(finding));
}

void Report::count(const Counts& more) {
  const std::lock_guard lock(mutex_);
  counts_.lists += more.lists;
  counts_.commands += more.commands;
  counts_.barriers += more.barriers;
  counts_.waits += more.waits;
  counts_.needless_waits += more.needless_waits;
  counts_.statements += more.statements;
  counts_.unproven += more.unproven;
}

Counts Report::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<Finding> Report::findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

void Report::log_news() {
  std::vector<Finding> news;
  {
    const std::lock_guard lock(mutex_);
    news.assign(findings_.begin() + static_cast<std::ptrdiff_t>(logged_), findings_.end());
    logged_ = findings_.size();
  }
  for (const Finding& finding : news) base::log_warning(describe(finding));
}

}  // namespace plimsoll::hal::check
