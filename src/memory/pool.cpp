#include "memory/pool.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "memory/acquisition.h"
#include "memory/refusal.h"

namespace plimsoll::memory {

namespace {

constexpr std::chrono::seconds kMappedWait{10};
constexpr std::chrono::microseconds kMappedPoll{200};

}  // namespace

uint64_t home_of(const Buffer& buffer) noexcept {
  const Handle* const handle = static_cast<const Handle*>(buffer.record);
  return handle != nullptr && handle->in_slab ? static_cast<const Span*>(handle)->address : buffer.address;
}

Pool::Pool(std::unique_ptr<Source> source, const Limits& limits, const UseBoard& board)
    : store_(std::move(source), limits, board) {}

AcquireResult Pool::acquire(std::span<const Request> requests, uint32_t stream, std::span<Buffer> out) {
  if (out.size() < requests.size()) throw std::invalid_argument("[memory] fewer buffers than requests");
  AcquireResult result;
  const std::lock_guard lock(mutex_);
  store_.collect_quickly();
  std::optional<Refusal> refusal;
  {
    Acquisition attempt(store_, requests, stream, out);
    refusal = attempt.run(result, acquires_until_denial_);
  }
  if (refusal) throw make_error(*refusal, store_);
  return result;
}

void Pool::release(Buffer& buffer, Use last_use) noexcept {
  if (!buffer.record) return;
  const std::lock_guard lock(mutex_);
  Handle* const handle = static_cast<Handle*>(buffer.record);
  if (handle->in_slab) {
    store_.release_slot(buffer, last_use);
  } else {
    store_.release(static_cast<PageRecord&>(*handle), last_use);
  }
  buffer = {};
}

void Pool::charge_mapped(size_t bytes, const std::string& what) {
  const auto deadline = std::chrono::steady_clock::now() + kMappedWait;
  while (!try_charge_mapped(bytes, what)) {
    if (std::chrono::steady_clock::now() > deadline) {
      const std::lock_guard lock(mutex_);
      throw make_error({Refusal::Cause::kMemoryLimit, what, bytes, 1, store_.ledger().excess(bytes)}, store_);
    }
    std::this_thread::sleep_for(kMappedPoll);
  }
}

bool Pool::try_charge_mapped(size_t bytes, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (const auto cause = store_.refuses(bytes, 0)) {
    throw make_error({*cause, what, bytes, 1, store_.ledger().shortfall(store_.pinned(), bytes)}, store_);
  }
  if (store_.reserve(bytes, 0) == Store::Room::kWait) return false;
  store_.map(bytes);
  store_.note_peaks();
  return true;
}

void Pool::discharge_mapped(size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  store_.unmap(bytes);
}

MemoryStats Pool::stats() const {
  const std::lock_guard lock(mutex_);
  const Ledger& ledger = store_.ledger();
  MemoryStats stats;
  stats.active = ledger.active();
  stats.peak = ledger.peak();
  stats.cache = ledger.cached();
  stats.peak_cache = ledger.peak_cache();
  stats.mapped = ledger.mapped();
  stats.limit = ledger.limits().memory;
  stats.cache_limit = ledger.limits().cache;
  stats.wired = store_.wired();
  stats.wired_limit = ledger.limits().wired;
  stats.object_limit = ledger.limits().objects;
  stats.driver_allocations = ledger.blocks();
  stats.live_buffers = ledger.live();
  stats.returning = ledger.returning();
  return stats;
}

size_t Pool::active() const {
  const std::lock_guard lock(mutex_);
  return store_.ledger().active();
}

size_t Pool::memory_limit() const {
  const std::lock_guard lock(mutex_);
  return store_.ledger().limits().memory;
}

size_t Pool::set_memory_limit(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return store_.set_memory_limit(bytes);
}

size_t Pool::set_cache_limit(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return store_.set_cache_limit(bytes);
}

size_t Pool::set_object_limit(size_t count) {
  const std::lock_guard lock(mutex_);
  return store_.set_object_limit(count);
}

size_t Pool::set_wired_limit(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return store_.set_wired_limit(bytes);
}

void Pool::clear_cache() {
  const std::lock_guard lock(mutex_);
  store_.drop_all();
  store_.collect();
}

void Pool::reset_peak() {
  const std::lock_guard lock(mutex_);
  store_.reset_peak();
}

void Pool::deny_nth_acquire(uint64_t nth) {
  const std::lock_guard lock(mutex_);
  acquires_until_denial_ = nth;
}

bool Pool::is_valid() const {
  const std::lock_guard lock(mutex_);
  return store_.is_valid();
}

}  // namespace plimsoll::memory
