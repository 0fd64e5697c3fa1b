#pragma once

#include <chrono>

namespace plimsoll::cli {

class Stopwatch {
 public:
  // Since it was made.
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace plimsoll::cli
