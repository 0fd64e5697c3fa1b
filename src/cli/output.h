// What the command prints. A stdout that does not take it is WriteError.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "plimsoll/memory.h"

namespace plimsoll::cli {

using Json = nlohmann::ordered_json;

// Written at once, so that a reader of a pipe sees it as it comes.
void print(std::string_view text);

// On one line.
void print_json(const Json& object);

// The `memory` object: bytes; null for a limit that is not set.
Json memory_json(const MemoryStats& stats);

}  // namespace plimsoll::cli
