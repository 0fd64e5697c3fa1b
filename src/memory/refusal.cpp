#include "memory/refusal.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "memory/store.h"

namespace plimsoll::memory {

namespace {

using base::format_bytes;

constexpr size_t kLargestNamed = 5;

const char* tag_name(Tag tag) noexcept {
  switch (tag) {
    case Tag::kArray:
      return "array";
    case Tag::kScratch:
      return "scratch";
    case Tag::kStaging:
      return "staging";
    case Tag::kLibrary:
      break;
  }
  return "library";
}

std::string reason(const Refusal& refusal, const Store& store) {
  const Ledger& ledger = store.ledger();
  switch (refusal.cause) {
    case Refusal::Cause::kMemoryLimit:
      return fmt::format("the memory limit of {} refuses: it is {} too small", format_bytes(ledger.limits().memory),
                         format_bytes(refusal.shortfall));
    case Refusal::Cause::kObjectLimit:
      if (ledger.limits().objects == store.caps().max_allocations) {
        return fmt::format("the driver's cap of {} allocations refuses", ledger.limits().objects);
      }
      return fmt::format("the object limit of {} driver allocations refuses", ledger.limits().objects);
    case Refusal::Cause::kSizeCap:
      return fmt::format("the driver's cap of {} for one allocation refuses",
                         format_bytes(store.caps().max_allocation));
    case Refusal::Cause::kDriverCount:
      return "the driver refuses: too many allocations, although the object limit would allow it";
    case Refusal::Cause::kDriver:
      break;
  }
  if (ledger.limits().memory == SIZE_MAX) return "the driver refuses";
  return fmt::format("the driver refuses, although the memory limit of {} would allow it",
                     format_bytes(ledger.limits().memory));
}

std::string holdings(const Store& store) {
  const Ledger& ledger = store.ledger();
  std::string text = fmt::format("active {}, mapped {}, cache {}", format_bytes(ledger.active()),
                                 format_bytes(ledger.mapped()), format_bytes(ledger.cached()));
  if (store.pinned() > 0) text += fmt::format(" ({} of it between small live arrays)", format_bytes(store.pinned()));
  if (ledger.returning() > 0)
    text += fmt::format(", {} still held by work in flight", format_bytes(ledger.returning()));
  return text + fmt::format("; {} live buffers in {} driver allocations", ledger.live(), ledger.blocks());
}

std::string largest_live(const Store& store) {
  std::string text;
  for (const LiveBuffer& buffer : store.largest(kLargestNamed)) {
    text += fmt::format("{}{} by {} ({})", text.empty() ? "" : ", ", format_bytes(buffer.bytes), buffer.origin,
                        tag_name(buffer.tag));
  }
  return text.empty() ? "none of a page or more" : text;
}

std::string advice(const Refusal& refusal) {
  switch (refusal.cause) {
    case Refusal::Cause::kMemoryLimit:
      return fmt::format(
          "raise --memory-limit (set_memory_limit) by at least {}, or ask for less: a shorter context "
          "(--kv-cache-tokens), a smaller batch, a smaller model",
          format_bytes(refusal.shortfall));
    case Refusal::Cause::kObjectLimit:
    case Refusal::Cause::kDriverCount:
      return "drop arrays that are no longer needed, or raise the object limit (set_object_limit) where it is not the "
             "driver's";
    case Refusal::Cause::kSizeCap:
      return "split the array: no memory limit changes this cap";
    case Refusal::Cause::kDriver:
      break;
  }
  return "free memory in other programs, or lower --memory-limit to what the system can really give";
}

size_t bitten_limit(const Refusal& refusal, const Store& store) {
  switch (refusal.cause) {
    case Refusal::Cause::kObjectLimit:
    case Refusal::Cause::kDriverCount:
      return store.ledger().limits().objects;
    case Refusal::Cause::kSizeCap:
      return store.caps().max_allocation;
    case Refusal::Cause::kMemoryLimit:
    case Refusal::Cause::kDriver:
      break;
  }
  return store.ledger().limits().memory;
}

}  // namespace

OutOfMemory make_error(const Refusal& refusal, const Store& store) {
  const std::string buffers = refusal.buffers > 1 ? fmt::format(" in {} buffers", refusal.buffers) : "";
  const std::string message = fmt::format(
      "[{}] Out of memory: asked for {} ({} bytes, rounded){}; {}.\n"
      "  held: {}\n"
      "  largest live: {}\n"
      "  what would help: {}",
      refusal.origin.empty() ? "memory" : refusal.origin, format_bytes(refusal.asked), refusal.asked, buffers,
      reason(refusal, store), holdings(store), largest_live(store), advice(refusal));
  return {message, refusal.asked, bitten_limit(refusal, store)};
}

}  // namespace plimsoll::memory
