// Free page buffers by size: which one a request gets.
//
// A buffer fits when requested <= size < min(2 x requested, requested + 2 pages); as sizes are whole pages, that is the
// size itself and, above one page, the next one. Among those, one last used on the same stream comes first (it needs no
// wait), then the smaller, then on the same stream the most recently freed (its lines are warm), elsewhere the oldest
// (the likeliest to have finished). Nothing here asks what has finished: the choice depends on the order of calls
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "memory/driver_block.h"

namespace plimsoll::memory {

// The free buffers of one size, by stamp.
struct Bucket {
  PageList free;
  size_t population = 0;  // records of this size, free or not
};

// Does not own the records.
class BufferCache {
 public:
  explicit BufferCache(size_t granularity) noexcept : granularity_(granularity) {}

  // Makes room for a record of this size, so that put cannot fail; throws bad_alloc. forget undoes it.
  void adopt(PageRecord& record, size_t bytes);
  void forget(PageRecord& record) noexcept;

  // The free buffer for `bytes` (a multiple of the granularity) on `stream`, or null.
  PageRecord* find(size_t bytes, uint32_t stream) const noexcept;

  // pre: adopted; its stamp is set. Constant time for the newest stamp.
  void put(PageRecord& record) noexcept;
  void take(PageRecord& record) noexcept;

  size_t bytes() const noexcept { return bytes_; }
  bool is_valid() const noexcept;

 private:
  const Bucket* bucket(size_t bytes) const noexcept;

  std::unordered_map<size_t, Bucket> buckets_;
  size_t granularity_;
  size_t bytes_ = 0;
};

}  // namespace plimsoll::memory
