// Text on its way out, held back as long as it may be the beginning of a stop string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::lm {

class StopStrings {
 public:
  // Empty stop strings are ignored.
  explicit StopStrings(std::vector<std::string> stops);

  // Takes more text and gives what can be shown now. Once a stop string has come, nothing more is given.
  std::string push(std::string_view text);

  // The end of the text: gives what was held back.
  std::string flush();

  bool found() const { return found_; }

 private:
  size_t held_back() const;

  std::vector<std::string> stops_;
  std::string pending_;
  bool found_ = false;
};

}  // namespace plimsoll::lm
