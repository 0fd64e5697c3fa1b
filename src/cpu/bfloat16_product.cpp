#include "cpu/bfloat16_product.h"

#ifdef PLIMSOLL_OWN_THREADS  // oneDNN brings OpenMP with it

namespace plimsoll::cpu {

bool prefers_bfloat16_products() { return false; }
size_t bfloat16_scratch_bytes(const Bfloat16Product&) { return 0; }
void multiply_bfloat16(const Bfloat16Product&, const void*, const void*, void*, void*) {}

}  // namespace plimsoll::cpu

#else

#include <list>
#include <memory>
#include <mutex>
#include <dnnl.hpp>

#include "base/parallel.h"
#include "cpu/features.h"

namespace plimsoll::cpu {
namespace {

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::memory::data_type type_of(Dtype dtype) {
  return dtype == float32 ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
}

dnnl::matmul::primitive_desc describe(const Bfloat16Product& p) {
  const dnnl::memory::desc x({p.M, p.K}, dnnl::memory::data_type::bf16, dnnl::memory::dims{p.x_stride, 1});
  const dnnl::memory::desc w({p.K, p.N}, dnnl::memory::data_type::bf16, dnnl::memory::dims{1, p.w_stride});
  const dnnl::memory::desc y({p.M, p.N}, type_of(p.y_dtype), dnnl::memory::dims{p.y_stride, 1});
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {dnnl::matmul::desc(x, w, y), attributes, engine()};
}

struct Entry {
  explicit Entry(const Bfloat16Product& p) : shape(p), description(describe(p)), primitive(description) {}

  Bfloat16Product shape;
  dnnl::matmul::primitive_desc description;
  dnnl::matmul primitive;
};

// The most recently used primitives, newest first.
class Cache {
 public:
  std::shared_ptr<const Entry> find_or_make(const Bfloat16Product& p) {
    const std::lock_guard lock(mutex_);
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (!((*it)->shape == p)) continue;
      entries_.splice(entries_.begin(), entries_, it);
      return entries_.front();
    }
    entries_.push_front(std::make_shared<const Entry>(p));
    if (entries_.size() > kCapacity) entries_.pop_back();
    return entries_.front();
  }

 private:
  static constexpr size_t kCapacity = 128;
  std::mutex mutex_;
  std::list<std::shared_ptr<const Entry>> entries_;
};

Cache& cache() {
  static Cache the_cache;
  return the_cache;
}

}  // namespace

bool prefers_bfloat16_products() { return has_fast_bfloat16(); }

size_t bfloat16_scratch_bytes(const Bfloat16Product& p) {
  return cache().find_or_make(p)->description.scratchpad_desc().get_size();
}

void multiply_bfloat16(const Bfloat16Product& p, const void* x, const void* w, void* y, void* scratch) {
  const auto entry = cache().find_or_make(p);
  const auto& d = entry->description;
  const auto operand = [](const dnnl::memory::desc& desc, const void* data) {
    return dnnl::memory(desc, engine(), const_cast<void*>(data));
  };
  dnnl::stream stream(engine());
  const base::TeamLock team;
  entry->primitive.execute(stream, {{DNNL_ARG_SRC, operand(d.src_desc(), x)},
                                    {DNNL_ARG_WEIGHTS, operand(d.weights_desc(), w)},
                                    {DNNL_ARG_DST, operand(d.dst_desc(), y)},
                                    {DNNL_ARG_SCRATCHPAD, operand(d.scratchpad_desc(), scratch)}});
  stream.wait();
}

}  // namespace plimsoll::cpu

#endif
