#include "lm/stop_strings.h"

#include <algorithm>
#include <utility>

namespace plimsoll::lm {

StopStrings::StopStrings(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string StopStrings::push(std::string_view text) {
  if (found_) return {};
  pending_ += text;
  size_t first = std::string::npos;
  for (const std::string& stop : stops_) first = std::min(first, pending_.find(stop));
  found_ = first != std::string::npos;
  const size_t shown = found_ ? first : pending_.size() - held_back();
  std::string out = pending_.substr(0, shown);
  pending_.erase(0, found_ ? std::string::npos : shown);
  return out;
}

std::string StopStrings::flush() { return std::exchange(pending_, {}); }

// The longest end of the text that some stop string begins with.
size_t StopStrings::held_back() const {
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (size_t length = std::min(stop.size() - 1, pending_.size()); length > longest; --length) {
      if (pending_.ends_with(std::string_view(stop).substr(0, length))) longest = length;
    }
  }
  return longest;
}

}  // namespace plimsoll::lm
