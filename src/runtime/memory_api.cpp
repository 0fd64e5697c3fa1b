// The public memory functions, over the pool of the default device.
#include "plimsoll/memory.h"

#include "graph/array_desc.h"
#include "runtime/runtime.h"

namespace plimsoll {
namespace {

memory::Pool& pool() { return *runtime::instance().default_pool(); }

}  // namespace

MemoryStats memory_stats() {
  MemoryStats stats = pool().stats();
  const memory::SystemProbe& probe = runtime::instance().probe();
  stats.graph_nodes = live_node_count();
  stats.footprint = probe.footprint();
  stats.available = probe.available().value_or(0);
  return stats;
}

size_t get_active_memory() {
  const MemoryStats stats = pool().stats();
  return stats.active + stats.mapped;
}

size_t get_peak_memory() { return pool().stats().peak; }
void reset_peak_memory() { pool().reset_peak(); }
size_t get_cache_memory() { return pool().stats().cache; }
void clear_cache() { pool().clear_cache(); }
size_t set_memory_limit(size_t bytes) { return pool().set_memory_limit(bytes); }
size_t get_memory_limit() { return pool().memory_limit(); }
size_t set_cache_limit(size_t bytes) { return pool().set_cache_limit(bytes); }
size_t set_wired_limit(size_t bytes) { return pool().set_wired_limit(bytes); }
bool can_wire() { return pool().can_wire(); }
size_t set_object_limit(size_t count) { return pool().set_object_limit(count); }
size_t get_object_limit() { return pool().stats().object_limit; }

}  // namespace plimsoll
