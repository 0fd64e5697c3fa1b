// A line on the terminal that shows how far something is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace plimsoll::cli {

enum class ProgressUnit { kBytes, kTokens };

// Shows nothing where stderr is no terminal or `quiet`. Clears its line at the end.
class Progress {
 public:
  Progress(std::string label, ProgressUnit unit, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `total` 0: not known. Drawn ten times a second at most.
  void show(uint64_t done, uint64_t total);

 private:
  std::string amount(uint64_t value) const;

  std::string label_;
  ProgressUnit unit_;
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace plimsoll::cli
