// Matmul and AddMM: batches of gemm().
#include "graph/ops/matmul.h"

#include <algorithm>

#include "base/parallel.h"
#include "cpu/gemm.h"
#include "cpu/register.h"

namespace plimsoll::cpu {
namespace {

MatrixView matrix_of(const Tensor& t) { return {t.data, t.dtype, t.stride(-2), t.stride(-1)}; }

// A batch of products that differ in where their operands start.
struct Batch {
  Gemm gemm;           // of the first member
  CollapsedAxes axes;  // strides of a, b, out and the addend, in elements
  int64_t count = 1;
  bool adds = false;
};

Strides batch_strides(const Tensor& t, size_t axes) {
  if (t.shape.size() == 2) return Strides(axes, 0);  // shared by the whole batch
  return Strides(t.strides.begin(), t.strides.end() - 2);
}

// A b that all members share makes one product of them when the rows of each other operand follow each other evenly.
void join_rows(Batch& batch) {
  const auto& strides = batch.axes.strides;
  if (batch.axes.shape.size() != 1 || strides[1][0] != 0) return;
  Gemm& g = batch.gemm;
  MatrixView* const views[] = {&g.a, nullptr, nullptr, &g.addend};
  for (const int operand : {0, 3}) {
    if (operand == 3 && !batch.adds) continue;
    if (g.M == 1) views[operand]->row_stride = strides[operand][0];
    if (strides[operand][0] != g.M * views[operand]->row_stride) return;
  }
  g.M *= batch.axes.shape[0];
  batch.axes.shape.clear();
  batch.count = 1;
}

Batch batch_of(const Tensor& a, const Tensor& b, const Tensor* addend, const Tensor& out) {
  Batch batch;
  Gemm& g = batch.gemm;
  g = {a.dim(-2), b.dim(-1), a.dim(-1), matrix_of(a), matrix_of(b), out.data, out.dtype, b.dim(-1)};
  batch.adds = addend != nullptr;
  if (batch.adds) g.addend = matrix_of(*addend);
  const size_t axes = out.shape.size() - 2;
  const std::vector<Strides> strides = {batch_strides(a, axes), batch_strides(b, axes), batch_strides(out, axes),
                                        batch.adds ? batch_strides(*addend, axes) : Strides(axes, 0)};
  batch.axes = collapse_axes(Shape(out.shape.begin(), out.shape.end() - 2), strides);
  for (const int64_t length : batch.axes.shape) batch.count *= length;
  join_rows(batch);
  return batch;
}

Gemm member(const Batch& batch, int64_t index) {
  Gemm g = batch.gemm;
  int64_t offsets[4] = {};
  for (size_t axis = batch.axes.shape.size(); axis-- > 0;) {
    const int64_t position = index % batch.axes.shape[axis];
    index /= batch.axes.shape[axis];
    for (int k = 0; k < 4; ++k) offsets[k] += position * batch.axes.strides[k][axis];
  }
  const int64_t item = size_of(g.out_dtype);
  g.a.data = static_cast<const std::byte*>(g.a.data) + offsets[0] * item;
  g.b.data = static_cast<const std::byte*>(g.b.data) + offsets[1] * item;
  g.out = static_cast<std::byte*>(g.out) + offsets[2] * item;
  if (batch.adds) g.addend.data = static_cast<const std::byte*>(g.addend.data) + offsets[3] * item;
  return g;
}

// Members of a large batch run side by side, each on one thread; of a small one in turn, each on all threads.
int64_t slots_of(const Batch& batch) {
  const int64_t threads = base::num_threads();
  return batch.count >= 2 * threads && !gemm_takes_team(batch.gemm) ? threads : 1;
}

size_t slot_bytes(const Gemm& g) { return (gemm_scratch_bytes(g) + 63) / 64 * 64; }

size_t scratch_bytes(const Batch& batch) { return static_cast<size_t>(slots_of(batch)) * slot_bytes(batch.gemm); }

void run(const Batch& batch, std::byte* scratch) {
  const int64_t slots = slots_of(batch), bytes = static_cast<int64_t>(slot_bytes(batch.gemm));
  const auto share = [&](int64_t slot) {
    const int64_t end = (slot + 1) * batch.count / slots;
    for (int64_t i = slot * batch.count / slots; i < end; ++i) gemm(member(batch, i), scratch + slot * bytes);
  };
  if (slots == 1) return share(0);
  base::parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) share(slot);
  });
}

Batch matmul_batch(std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return batch_of(inputs[0], inputs[1], nullptr, outputs[0]);
}

Batch addmm_batch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  Batch batch = batch_of(inputs[0], inputs[1], &inputs[2], outputs[0]);
  batch.gemm.alpha = static_cast<const AddMM&>(primitive).alpha();
  batch.gemm.beta = static_cast<const AddMM&>(primitive).beta();
  return batch;
}

size_t matmul_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return outputs[0].size == 0 ? 0 : scratch_bytes(matmul_batch(inputs, outputs));
}

void eval_matmul(const Primitive&, const Task& task) {
  if (task.outputs[0].size > 0) run(matmul_batch(task.inputs, task.outputs), task.scratch.data());
}

size_t addmm_scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return outputs[0].size == 0 ? 0 : scratch_bytes(addmm_batch(primitive, inputs, outputs));
}

void eval_addmm(const Primitive& primitive, const Task& task) {
  if (task.outputs[0].size > 0) run(addmm_batch(primitive, task.inputs, task.outputs), task.scratch.data());
}

}  // namespace

void register_matmul(Table& table) {
  table.add<Matmul>(eval_matmul, matmul_scratch);
  table.add<AddMM>(eval_addmm, addmm_scratch);
}

}  // namespace plimsoll::cpu
