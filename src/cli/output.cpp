#include "cli/output.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "plimsoll/errors.h"

namespace plimsoll::cli {

namespace {

Json bytes_or_none(size_t bytes) { return bytes == SIZE_MAX ? Json(nullptr) : Json(bytes); }

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw WriteError("stdout", std::strerror(errno));
  }
}

void print_json(const Json& object) { print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"); }

Json memory_json(const MemoryStats& stats) {
  return {
      {"active", stats.active},
      {"peak", stats.peak},
      {"cache", stats.cache},
      {"mapped", stats.mapped},
      {"wired", stats.wired},
      {"limit", bytes_or_none(stats.limit)},
      {"cache_limit", bytes_or_none(stats.cache_limit)},
      {"wired_limit", bytes_or_none(stats.wired_limit)},
  };
}

}  // namespace plimsoll::cli
