// The pool's records of what it holds from the driver.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/intrusive_list.h"
#include "memory/request.h"
#include "memory/source.h"
#include "memory/use.h"

namespace plimsoll::memory {

// What Buffer::record points to: a page buffer's record or a slab's span.
struct Handle {
  explicit Handle(bool small) noexcept : in_slab(small) {}
  bool in_slab;
};

// One driver allocation: a page buffer or a slab block. `stamp` orders the moments at which blocks became free, so that
// the least recently used is known, and a block taken and put back finds its old place.
struct DriverBlock {
  DriverBlock(bool slab, const Block& from_driver) noexcept : block(from_driver), is_slab(slab) {}

  Block block;
  uint64_t stamp = 0;  // 0: a page buffer that was never free
  Links<DriverBlock> links;
  bool is_slab;
};

struct Bucket;

// A buffer of a page or more: a driver allocation of its own.
struct PageRecord : DriverBlock, Handle {
  PageRecord() noexcept : DriverBlock(false, {}), Handle(false) {}

  Use last_use;  // meaningful while free
  Tag tag = Tag::kArray;
  const char* origin = "";
  Bucket* bucket = nullptr;      // the shelf for its size
  Links<PageRecord> size_links;  // free: on its shelf; live: among the live buffers
};

using BlockList = IntrusiveList<DriverBlock, &DriverBlock::links>;
using PageList = IntrusiveList<PageRecord, &PageRecord::size_links>;

}  // namespace plimsoll::memory
