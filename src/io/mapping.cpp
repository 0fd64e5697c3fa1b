#include "io/mapping.h"

#include <cstring>

#include "graph/data.h"
#include "graph/evaluation.h"

namespace plimsoll::io {

Mapping::Mapping(std::shared_ptr<memory::Pool> pool, const std::string& path)
    : pool_(std::move(pool)), file_(*pool_, path) {}

std::shared_ptr<Mapping> Mapping::open(const std::string& path) {
  return std::shared_ptr<Mapping>(new Mapping(evaluation::default_pool(), path));
}

array Mapping::tensor(uint64_t offset, Shape shape, Dtype dtype) {
  uint64_t bytes = dtype.size();
  for (const ShapeElem dim : shape) bytes *= static_cast<uint64_t>(dim);
  std::byte* address = const_cast<std::byte*>(file_.bytes().data()) + offset;  // never written: Data::Kind::kMapped
  if (bytes == 0 || reinterpret_cast<uintptr_t>(address) % dtype.size() != 0) {
    auto copied = evaluation::allocate(bytes, "load");
    if (bytes > 0) std::memcpy(copied->buffer.host, address, bytes);
    return array(std::move(shape), dtype, std::move(copied));
  }
  auto release = [self = shared_from_this(), offset, bytes] { self->file_.discard(offset, bytes); };
  auto data = std::make_shared<Data>(address, bytes, Data::Kind::kMapped, std::move(release));
  return array(std::move(shape), dtype, std::move(data));
}

}  // namespace plimsoll::io
