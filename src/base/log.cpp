#include "base/log.h"

#include <memory>
#include <mutex>
#include <utility>

namespace plimsoll::base {
namespace {

std::mutex sink_mutex;

std::shared_ptr<const LogSink>& current_sink() {
  static std::shared_ptr<const LogSink> sink;
  return sink;
}

void log(LogLevel level, std::string_view message) {
  std::shared_ptr<const LogSink> sink;
  {
    const std::lock_guard lock(sink_mutex);
    sink = current_sink();
  }
  if (sink && *sink) (*sink)(level, message);
}

}  // namespace

void set_log_sink(LogSink sink) {
  auto next = std::make_shared<const LogSink>(std::move(sink));
  const std::lock_guard lock(sink_mutex);
  current_sink().swap(next);
}

void log_info(std::string_view message) { log(LogLevel::kInfo, message); }

void log_warning(std::string_view message) { log(LogLevel::kWarning, message); }

}  // namespace plimsoll::base
