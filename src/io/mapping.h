// Arrays over the bytes of a mapped file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "plimsoll/array.h"
#include "memory/mapped_file.h"
#include "memory/pool.h"

namespace plimsoll::io {

// A file mapped and charged to the default device's pool.
class Mapping : public std::enable_shared_from_this<Mapping> {
 public:
  // FileError or OutOfMemory, both naming the file.
  static std::shared_ptr<Mapping> open(const std::string& path);

  std::span<const std::byte> bytes() const { return file_.bytes(); }

  // An array over bytes [offset, offset + its size), which must lie in the file. It holds the mapping; when nothing
  // refers to it any more its pages leave the count of mapped bytes. Bytes that do not stand at a multiple of the item
  // size are copied instead.
  array tensor(uint64_t offset, Shape shape, Dtype dtype);

 private:
  Mapping(std::shared_ptr<memory::Pool> pool, const std::string& path);

  std::shared_ptr<memory::Pool> pool_;
  memory::MappedFile file_;
};

}  // namespace plimsoll::io
