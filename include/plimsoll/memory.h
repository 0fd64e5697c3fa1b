// Memory: what is held, by class, and the limits on it. Names follow MLX's memory.h. docs/memory.md explains the
// classes.
#pragma once

#include <cstddef>

namespace plimsoll {

// One moment of one memory pool. Sizes in bytes; SIZE_MAX in a limit means none.
struct MemoryStats {
  size_t active = 0;              // buffers that arrays own or that encoded work has yet to consume
  size_t peak = 0;                // high-water mark of active + mapped
  size_t cache = 0;               // freed buffers kept for reuse, and unused parts of shared blocks
  size_t peak_cache = 0;          // high-water mark of cache
  size_t mapped = 0;              // mapped checkpoint files
  size_t wired = 0;               // active or mapped bytes kept resident
  size_t limit = 0;               // hard limit on active + mapped; cache gives way to it
  size_t cache_limit = 0;         // cache above it goes back to the driver
  size_t wired_limit = 0;         // most that may be wired; never refuses an allocation
  size_t object_limit = 0;        // most driver allocations
  size_t driver_allocations = 0;  // blocks held from the driver
  size_t live_buffers = 0;        // buffers acquired and not yet released
  size_t graph_nodes = 0;         // nodes of lazy arrays that exist
  size_t footprint = 0;           // what the system says that the process holds
  size_t available = 0;           // what the system could still hand out
  size_t returning = 0;           // dropped from the cache, kept until work in flight has finished with it
};

// The pool of the default device, as it stands.
MemoryStats memory_stats();

// Active + mapped of the default device's pool, its high-water mark, and a new start for the latter from what is held.
size_t get_active_memory();
size_t get_peak_memory();
void reset_peak_memory();

// Bytes kept for reuse. clear_cache gives them back to the driver; work in flight delays that, and never the caller.
size_t get_cache_memory();
void clear_cache();

// The hard limit: what would pass it throws OutOfMemory before the driver is asked. Set below what is held, it drops
// the cache at once and refuses the next reservation. The setters return the limit before.
size_t set_memory_limit(size_t bytes);
size_t get_memory_limit();
size_t set_cache_limit(size_t bytes);

// Bytes to keep resident, where the device can; recorded and without effect elsewhere (can_wire says which).
size_t set_wired_limit(size_t bytes);
bool can_wire();

// The most driver allocations. More throw OutOfMemory naming this limit.
size_t set_object_limit(size_t count);
size_t get_object_limit();

}  // namespace plimsoll
