// The arrow that points up: what the graph asks of the runtime, which defines these.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "plimsoll/array.h"
#include "graph/data.h"
#include "memory/use.h"

namespace plimsoll::evaluation {

// Evaluates; waits for the values unless `async`.
void evaluate(std::vector<array> outputs, bool async);

// Whether the work is done, without waiting.
bool is_done(memory::Use use);

// Waits for work and rethrows what it failed with.
void wait(memory::Use use);

// The memory of CPU arrays and mapped files.
const std::shared_ptr<memory::Pool>& default_pool();

// The first byte of the buffer where the host can read it: in a copy where the host cannot see the buffer itself.
// Waits, and rethrows what the work failed with.
std::byte* host_address(const std::shared_ptr<Data>& data);

// Storage for values that the host writes: reserved in the ledger of the default device's pool.
std::shared_ptr<Data> allocate(size_t bytes, const char* origin);

// One piece of work that ends after all of `uses`, so that a buffer used on several streams can be given back.
memory::Use join(std::span<const memory::Use> uses) noexcept;

// Calls `f` after `use` is done, on a thread that calls into the library.
void call_after(memory::Use use, std::function<void()> f) noexcept;

}  // namespace plimsoll::evaluation
