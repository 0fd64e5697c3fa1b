#include "graph/ops/rope.h"

#include <array>
#include <cmath>

#include "cpu/last_axis.h"
#include "cpu/register.h"
#include "cpu/rope_kernel.h"

namespace plimsoll::cpu {
namespace {

constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

size_t table_bytes(const fast::RoPE& rope) {
  return aligned(static_cast<size_t>(rope.parameters().dims) * sizeof(double));
}

// Cosines and sines of one position.
size_t worker_bytes(const fast::RoPE& rope) { return 2 * table_bytes(rope); }

size_t frequency_bytes(const fast::RoPE& rope) {
  return aligned(static_cast<size_t>(rope.parameters().dims / 2) * sizeof(double));
}

size_t rope_scratch(const Primitive& primitive, std::span<const Tensor>, std::span<const Tensor>) {
  const auto& rope = static_cast<const fast::RoPE&>(primitive);
  return frequency_bytes(rope) + worker_bytes(rope) * static_cast<size_t>(base::num_threads());
}

void fill_frequencies(const fast::RoPE& rope, std::span<const Tensor> inputs, double* frequencies) {
  const fast::RoPE::Parameters& p = rope.parameters();
  for (int i = 0; i < p.dims / 2; ++i) {
    frequencies[i] = p.base ? std::pow(static_cast<double>(*p.base), -2.0 * i / p.dims)
                            : 1.0 / static_cast<double>(inputs[2].as<float>()[i * inputs[2].stride(0)]);
  }
}

// The rows of one position of one batch entry: all axes between the first and the last two.
class PositionRows {
 public:
  PositionRows(const Tensor& in, const Tensor& out)
      : in_(in), out_(out), itemsize_(static_cast<int64_t>(size_of(out.dtype))) {
    const size_t ndim = out.shape.size();
    shape_ = Shape(out.shape.begin() + 1, out.shape.end() - 2);
    in_strides_ = Strides(in.strides.begin() + 1, in.strides.begin() + static_cast<int64_t>(ndim) - 2);
    out_strides_ = Strides(out.strides.begin() + 1, out.strides.begin() + static_cast<int64_t>(ndim) - 2);
    count_ = static_cast<int64_t>(element_count(shape_));
  }

  int64_t count() const { return count_; }

  template <typename Row>
  void for_each(int64_t entry, int64_t position, Row&& row) const {
    const int64_t from = entry * in_.stride(0) + position * in_.stride(-2);
    const int64_t to = entry * out_.stride(0) + position * out_.stride(-2);
    for (int64_t i = 0; i < count_; ++i) {
      row(in_.data + (from + strided_location(i, shape_, in_strides_)) * itemsize_,
          out_.data + (to + strided_location(i, shape_, out_strides_)) * itemsize_);
    }
  }

 private:
  const Tensor& in_;
  const Tensor& out_;
  int64_t itemsize_;
  int64_t count_;
  Shape shape_;
  Strides in_strides_;
  Strides out_strides_;
};

void rope(const Primitive& primitive, const Task& task) {
  const auto& rope = static_cast<const fast::RoPE&>(primitive);
  const fast::RoPE::Parameters& p = rope.parameters();
  const Tensor& out = task.outputs[0];
  if (out.size == 0) return;
  const Tensor& in = rows_in_place(task.inputs[0], out);
  const Tensor& offset = task.inputs[1];
  auto* frequencies = reinterpret_cast<double*>(task.scratch.data());
  fill_frequencies(rope, task.inputs, frequencies);

  const PositionRows rows(in, out);
  const int64_t length = out.dim(-2);
  const int64_t offset_step = offset.size > 1 ? offset.stride(0) : 0;
  const auto run_position = [&](int64_t entry, int64_t position, std::byte* scratch) {
    const RopeTable table{scratch, scratch + table_bytes(rope)};
    const double place = static_cast<double>(offset.as<int32_t>()[entry * offset_step]) + static_cast<double>(position);
    rope_table(out.dtype, frequencies, place * static_cast<double>(p.scale), p.dims, p.traditional, p.inverse, table);
    rows.for_each(entry, position, [&](const std::byte* from, std::byte* to) {
      rope_row(out.dtype, from, to, out.dim(-1), p.dims, p.traditional, table);
    });
  };

  const auto scratch = task.scratch.subspan(frequency_bytes(rope));
  const auto workers = static_cast<int64_t>(scratch.size() / worker_bytes(rope));
  const int64_t useful = static_cast<int64_t>(out.size) / kParallelGrain + 1;
  run_on_workers(out.dim(0) * length, std::min(workers, useful), scratch.data(), worker_bytes(rope),
                 [&](int64_t index, std::byte* own) { run_position(index / length, index % length, own); });
}

}  // namespace

void register_rope(Table& table) { table.add<fast::RoPE>(rope, rope_scratch); }

}  // namespace plimsoll::cpu
