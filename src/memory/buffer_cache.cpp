#include "memory/buffer_cache.h"

namespace plimsoll::memory {

namespace {

// How far a shelf is searched for a buffer of the same stream, so that a long shelf of other streams costs little.
constexpr int kSearchDepth = 64;

PageRecord* newest_of_stream(const Bucket* bucket, uint32_t stream) noexcept {
  if (!bucket) return nullptr;
  PageRecord* record = bucket->free.back();
  for (int step = 0; record && step < kSearchDepth; ++step) {
    if (record->last_use.stream == stream) return record;
    record = PageList::previous(*record);
  }
  return nullptr;
}

PageRecord* oldest(const Bucket* bucket) noexcept { return bucket ? bucket->free.front() : nullptr; }

}  // namespace

void BufferCache::adopt(PageRecord& record, size_t bytes) {
  record.bucket = &buckets_[bytes];
  ++record.bucket->population;
}

void BufferCache::forget(PageRecord& record) noexcept {
  if (--record.bucket->population == 0) buckets_.erase(record.block.bytes);
  record.bucket = nullptr;
}

const Bucket* BufferCache::bucket(size_t bytes) const noexcept {
  const auto found = buckets_.find(bytes);
  return found == buckets_.end() ? nullptr : &found->second;
}

PageRecord* BufferCache::find(size_t bytes, uint32_t stream) const noexcept {
  const Bucket* const exact = bucket(bytes);
  const Bucket* const next = bytes > granularity_ ? bucket(bytes + granularity_) : nullptr;
  if (PageRecord* record = newest_of_stream(exact, stream)) return record;
  if (PageRecord* record = newest_of_stream(next, stream)) return record;
  if (PageRecord* record = oldest(exact)) return record;
  return oldest(next);
}

void BufferCache::put(PageRecord& record) noexcept {
  PageList& shelf = record.bucket->free;
  PageRecord* place = shelf.back();
  while (place && place->stamp > record.stamp) place = PageList::previous(*place);
  shelf.insert_after(place, record);
  bytes_ += record.block.bytes;
}

void BufferCache::take(PageRecord& record) noexcept {
  record.bucket->free.remove(record);
  bytes_ -= record.block.bytes;
}

bool BufferCache::is_valid() const noexcept {
  size_t bytes = 0;
  for (const auto& [size, bucket] : buckets_) {
    size_t free = 0;
    uint64_t last = 0;
    for (const PageRecord* record = bucket.free.front(); record; record = PageList::next(*record)) {
      if (record->block.bytes != size || record->bucket != &bucket || record->stamp <= last) return false;
      last = record->stamp;
      bytes += size;
      ++free;
    }
    if (bucket.population == 0 || free > bucket.population) return false;
  }
  return bytes == bytes_;
}

}  // namespace plimsoll::memory
