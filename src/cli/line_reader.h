// Lines from a person or a pipe.
#pragma once

#include <optional>
#include <string>

namespace plimsoll::cli {

class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  // Without the newline; nothing at the end of the input. Throws Interrupted when Ctrl-C ends the wait.
  std::optional<std::string> next();

 private:
  bool fill();  // false at the end of the input

  int descriptor_;
  std::string pending_;
};

}  // namespace plimsoll::cli
