#include "cli/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plimsoll/errors.h"
#include "cli/interrupt.h"

namespace plimsoll::cli {

std::optional<std::string> LineReader::next() {
  size_t end = pending_.find('\n');
  while (end == std::string::npos) {
    const size_t searched = pending_.size();
    if (!fill()) {
      if (pending_.empty()) return std::nullopt;
      return std::exchange(pending_, {});
    }
    end = pending_.find('\n', searched);
  }
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

bool LineReader::fill() {
  check_interrupt();
  pollfd input{descriptor_, POLLIN, 0};
  while (poll(&input, 1, -1) < 0) {
    check_interrupt();
    if (errno != EINTR) throw FileError("stdin", std::strerror(errno));
  }
  std::array<char, 4096> buffer;
  const ssize_t count = read(descriptor_, buffer.data(), buffer.size());
  if (count < 0) throw FileError("stdin", std::strerror(errno));
  pending_.append(buffer.data(), static_cast<size_t>(count));
  return count > 0;
}

}  // namespace plimsoll::cli
