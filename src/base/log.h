// Where warnings go. The library itself never prints: without a sink messages are dropped.
#pragma once

#include <functional>
#include <string_view>

namespace plimsoll::base {

enum class LogLevel { kInfo, kWarning };

// Receives one message without a trailing newline. May be called from any thread, from several at once, and while the
// caller holds no lock of the library.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

// Replaces the sink of the process; an empty one drops messages. A call that is under way may still reach the old one.
void set_log_sink(LogSink sink);

void log_info(std::string_view message);
void log_warning(std::string_view message);

}  // namespace plimsoll::base
