// Brings the bytes of arrays to the memory where they are needed. A buffer has at most one copy in each memory pool; it
// stays with the array, counted, until a write or a refusal drops it.
//
// Guarded by the scheduling lock.
#pragma once

#include <memory>
#include <vector>

#include "graph/data.h"
#include "runtime/pause.h"

namespace plimsoll::runtime {

class GpuDevice;
class Runtime;

class Residence {
 public:
  explicit Residence(Runtime& runtime) : runtime_(runtime) {}

  // Where the bytes are for kernels of `device` / for the host: `data` itself or a copy, in `where`. With a pause
  // nothing has happened: take it and call again. Throws OutOfMemory, and DeviceError for bytes on a lost device.
  Pause bring_to(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where);
  Pause bring_to_host(const std::shared_ptr<Data>& data, Data*& where);

  // Gives up every copy for kernels; those for the host stay, because programs point into them. Whether there were any.
  bool drop_copies();

 private:
  void require_alive(const Data& data) const;
  void commit_maker(const Data& data) const;
  void drop_failed_copies(Data& data) const;
  bool import_mapped(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where);
  Pause upload(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where);
  Pause upload_staged(GpuDevice& device, const std::shared_ptr<Data>& data, Data*& where);
  Data* keep(const std::shared_ptr<Data>& data, std::shared_ptr<Data> copy);

  Runtime& runtime_;
  std::vector<std::weak_ptr<Data>> copied_;  // what has copies, and some of what had
  size_t prune_at_ = 64;                     // entries of copied_
};

}  // namespace plimsoll::runtime
