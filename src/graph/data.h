// The storage behind arrays, shared by an array and its views.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plimsoll/small_vector.h"
#include "memory/pool.h"
#include "memory/use.h"

namespace plimsoll {

// Fields are guarded by the runtime's scheduling lock once the array can be reached from a graph; the buffer's address
// and size never change.
struct Data {
  enum class Kind : uint8_t {
    kOwned,    // a buffer of the pool: may be donated
    kMapped,   // bytes of a mapped file: never written
    kForeign,  // memory of the program, adopted: never written
  };

  Data(memory::Buffer owned, std::shared_ptr<memory::Pool> owner)
      : buffer(owned), pool(std::move(owner)), kind(Kind::kOwned) {}
  // Memory that someone else owns; `when_unused` is called once, after the last use has finished.
  Data(void* address, size_t bytes, Kind memory_kind, std::function<void()> when_unused);
  ~Data();
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  memory::Buffer buffer;
  std::shared_ptr<memory::Pool> pool;  // null unless kOwned
  // A mapped file's pages made reachable for a device: the pool of that device's arrays, never dereferenced.
  const memory::Pool* imported_by = nullptr;
  std::function<void()> unused;
  Kind kind;
  memory::Use written;                    // the work that makes the values
  SmallVector<memory::Use, 1> last_uses;  // per stream, the last work encoded that touches the buffer

  // The same bytes in other memory pools, made where they were first needed there, until a write drops them.
  std::vector<std::shared_ptr<Data>> copies;
};

// Adds the work to last_uses.
void add_last_use(Data& data, memory::Use use);

}  // namespace plimsoll
