// Matmul and AddMM: kernels/matmul.
#include "graph/ops/matmul.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "gpu/families/matmul_problem.h"
#include "gpu/families/matmul_tiles.h"
#include "gpu/launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

using Kind = ProductChoice::Kind;
using Constants = SmallVector<uint32_t, 16>;

// kernels/matmul/product.glsl
constexpr size_t kBatchAxes = 4;
struct NoAxes {};
struct BatchAxes {
  std::array<uint32_t, kBatchAxes> lengths;
  std::array<int64_t, kBatchAxes> a, b, c;
};
template <typename Axes>
struct Parameters {
  uint32_t first_group;
  uint32_t M, N, K;
  uint64_t a, b, c, out;
  int64_t a_row, a_column, b_row, b_column, c_row, c_column, out_row, out_column;
  float alpha, beta;
  uint32_t chunk, members;
  [[no_unique_address]] Axes axes;
};
static_assert(sizeof(Parameters<NoAxes>) == hal::kDirectParameterBytes);

// A kernel for one member, with all its parameters in the block, and one for a batch.
struct Kernels {
  const hal::KernelCode& single;
  const hal::KernelCode& batched;
};

std::array<int64_t, kBatchAxes> batch_strides(const ProductOperand& operand) {
  std::array<int64_t, kBatchAxes> strides{};
  std::copy(operand.batch.begin(), operand.batch.end(), strides.end() - operand.batch.size());
  return strides;
}

BatchAxes batch_axes(const Product& p) {
  BatchAxes axes{{1, 1, 1, 1}, batch_strides(p.a), batch_strides(p.b), batch_strides(p.c)};
  std::copy(p.lengths.begin(), p.lengths.end(), axes.lengths.end() - p.lengths.size());
  return axes;
}

uint64_t item_bytes(const ProductOperand& operand) { return operand.tensor->dtype.size(); }

uint64_t start_of(const ProductOperand& operand) {
  return address_of(*operand.tensor) + static_cast<uint64_t>(operand.offset) * item_bytes(operand);
}

uint64_t reads(Launch& launch, const ProductOperand& operand) {
  launch.reads(*operand.tensor);
  return start_of(operand);
}

uint64_t writes_out(Launch& launch, const Product& p) {
  const uint64_t bytes = static_cast<uint64_t>(p.members * p.M * p.N) * item_bytes(p.out);
  return launch.accesses(*p.out.tensor, {start_of(p.out), bytes, bytes, 1}, hal::AccessKind::kWrite);
}

uint64_t reads_addend(Launch& launch, const Product& p) { return p.adds() && p.beta != 0.0f ? reads(launch, p.c) : 0; }

// Pointers are filled in by whoever states the accesses.
template <typename Axes>
Parameters<Axes> parameters_of(const Product& p, const ProductChoice& choice) {
  Parameters<Axes> block{};
  block.M = static_cast<uint32_t>(p.M);
  block.N = static_cast<uint32_t>(p.N);
  block.K = static_cast<uint32_t>(p.K);
  block.a_row = p.a.row, block.a_column = p.a.column;
  block.b_row = p.b.row, block.b_column = p.b.column;
  block.c_row = p.c.row, block.c_column = p.c.column;
  block.out_row = p.out.row, block.out_column = p.out.column;
  block.alpha = p.alpha, block.beta = p.beta;
  block.chunk = static_cast<uint32_t>(choice.chunk);
  block.members = static_cast<uint32_t>(p.members);
  if constexpr (std::is_same_v<Axes, BatchAxes>) block.axes = batch_axes(p);
  return block;
}

// How packets are taken from an operand whose neighbours in k lie `k` elements apart, in the other direction `outer`.
struct PacketLayout {
  bool along_k;
  bool whole;
};
PacketLayout packet_layout(const Product& p, const ProductOperand& operand, int64_t outer, int64_t outer_count,
                           int64_t k) {
  const int64_t packet = packet_elements(p.dtype());
  const auto even = [packet](int64_t elements) { return elements % packet == 0; };
  const bool along_k = k == 1 || (outer != 1 && std::abs(k) <= std::abs(outer));
  const bool neighbours = (along_k ? k : outer) == 1 && even(along_k ? p.K : outer_count);
  const bool aligned = start_of(operand) % 16 == 0 && even(along_k ? outer : k) &&
                       std::all_of(operand.batch.begin(), operand.batch.end(), even);
  return {along_k, neighbours && aligned};
}
PacketLayout layout_of_a(const Product& p) { return packet_layout(p, p.a, p.a.row, p.M, p.a.column); }
PacketLayout layout_of_b(const Product& p) { return packet_layout(p, p.b, p.b.column, p.N, p.b.row); }

Constants tile_constants(const Product& p, const ProductChoice& choice) {
  const ProductTile& t = choice.tile;
  const PacketLayout a = layout_of_a(p), b = layout_of_b(p);
  Constants constants{dtype_code(p.dtype()), choice.threads, t.rows,  t.columns, t.depth, t.worker_rows,
                      t.worker_columns,      a.along_k,      a.whole, b.along_k, b.whole};
  constants.push_back(choice.parts > 1);
  return constants;
}

// Whether rows of the output, or of the sums of a part, can be written `count` elements at a time.
bool writes_whole(const Product& p, const ProductChoice& choice, int64_t count) {
  if (p.out.column != 1 || p.N % count != 0) return false;
  return choice.parts > 1 || start_of(p.out) % (static_cast<uint64_t>(count) * item_bytes(p.out)) == 0;
}

Constants tiled_constants(const Product& p, const ProductChoice& choice) {
  Constants constants = tile_constants(p, choice);
  constants.push_back(writes_whole(p, choice, 4));
  constants.push_back(choice.serial);
  return constants;
}

Constants cooperative_constants(const Product& p, const ProductChoice& choice) {
  Constants constants = tile_constants(p, choice);
  constants.push_back(writes_whole(p, choice, packet_elements(p.dtype())));
  constants.push_back(choice.tile.prefetch);
  return constants;
}

// Rounded up, so that there are few kernels.
uint32_t few_rows(const Product& p) { return std::bit_ceil(static_cast<uint32_t>(p.M)); }

Constants rows_constants(const Product& p, const ProductChoice& choice) {
  const PacketLayout a = layout_of_a(p);
  Constants constants{dtype_code(p.dtype()), choice.threads,       few_rows(p),         choice.lanes,
                      choice.columns,        a.along_k && a.whole, layout_of_b(p).whole};
  constants.push_back(choice.parts > 1);
  constants.push_back(choice.serial);
  return constants;
}

Constants columns_constants(const Product& p, const ProductChoice& choice) {
  const PacketLayout b = layout_of_b(p);
  Constants constants{dtype_code(p.dtype()), choice.threads, few_rows(p), choice.columns, !b.along_k && b.whole};
  constants.push_back(choice.parts > 1);
  constants.push_back(choice.serial);
  return constants;
}

hal::Cost cost_of(const Product& p) {
  const double outputs = double(p.members) * p.M * p.N;
  const double operands = double(p.a.tensor->data_size) + p.b.tensor->data_size + (p.adds() ? 2 : 1) * outputs;
  return {2.0 * outputs * p.K, operands * item_bytes(p.out)};
}

template <typename Axes>
void multiply(Task& task, const hal::KernelCode& code, const Constants& constants, const Product& p,
              const ProductChoice& choice) {
  Launch launch(task, code, std::span(constants.data(), constants.size()));
  auto block = parameters_of<Axes>(p, choice);
  block.a = reads(launch, p.a);
  block.b = reads(launch, p.b);
  if (choice.parts > 1) {
    block.out = launch.writes(task.scratch.part(0, choice.scratch_bytes(p)));
  } else {
    block.c = reads_addend(launch, p);
    block.out = writes_out(launch, p);
  }
  launch.run(block, static_cast<uint64_t>(choice.groups * choice.parts), cost_of(p));
}

template <typename Axes>
void add_parts(Task& task, const hal::KernelCode& code, const Product& p, const ProductChoice& choice) {
  Launch launch(task, code, {dtype_code(p.dtype())});
  auto block = parameters_of<Axes>(p, choice);
  block.a = launch.reads(task.scratch.part(0, choice.scratch_bytes(p)));
  block.c = reads_addend(launch, p);
  block.out = writes_out(launch, p);
  const double outputs = double(p.members) * p.M * p.N;
  launch.run(block, groups_for(static_cast<uint64_t>(outputs), 256),
             {outputs * choice.parts, outputs * (4.0 * choice.parts + item_bytes(p.out))});
}

template <typename Axes>
void multiply_floats(Task& task, const Kernels& kernels, const Constants& constants, const Product& p,
                     const ProductChoice& choice) {
  constexpr bool kBatched = std::is_same_v<Axes, BatchAxes>;
  multiply<Axes>(task, kBatched ? kernels.batched : kernels.single, constants, p, choice);
  if (choice.parts == 1) return;
  add_parts<Axes>(task, kBatched ? kernels::matmul_sum_batched : kernels::matmul_sum_single, p, choice);
}

void multiply_floats(Task& task, const Kernels& kernels, const Constants& constants, const Product& p,
                     const ProductChoice& choice) {
  if (p.members == 1) return multiply_floats<NoAxes>(task, kernels, constants, p, choice);
  multiply_floats<BatchAxes>(task, kernels, constants, p, choice);
}

[[noreturn]] void refuse_float64(const Task& task, const char* primitive, const char* what) {
  throw std::invalid_argument("[" + std::string(primitive) + "] " + what + ": " + task.device.name + " has no float64");
}

bool is_integer(float factor) { return std::abs(factor) < 0x1p62f && factor == std::trunc(factor); }

const hal::KernelCode& plain_kernel(const Task& task, const char* primitive, const Product& p) {
  if (p.dtype() == complex64) return kernels::matmul_plain_complex;
  if (p.dtype() == float64) {
    if (!task.device.has_float64) refuse_float64(task, primitive, "float64 products");
    return kernels::matmul_plain_double;
  }
  if (!p.adds() || (is_integer(p.alpha) && is_integer(p.beta))) return kernels::matmul_plain_integer;
  if (!task.device.has_float64) refuse_float64(task, primitive, "fractional factors of an integer product");
  return kernels::matmul_plain_integer_scaled;
}

void encode_product(Task& task, const char* primitive, const Product& p) {
  const ProductChoice choice = choose_product(p, task.device);
  switch (choice.kind) {
    case Kind::kPlain:
      return multiply<BatchAxes>(task, plain_kernel(task, primitive, p), {dtype_code(p.dtype())}, p, choice);
    case Kind::kRows:
      return multiply_floats(task, {kernels::matmul_rows_single, kernels::matmul_rows_batched},
                             rows_constants(p, choice), p, choice);
    case Kind::kColumns:
      return multiply_floats(task, {kernels::matmul_columns_single, kernels::matmul_columns_batched},
                             columns_constants(p, choice), p, choice);
    case Kind::kTiled:
      return multiply_floats(task, {kernels::matmul_tiled_single, kernels::matmul_tiled_batched},
                             tiled_constants(p, choice), p, choice);
    case Kind::kCooperative: {
      const auto& code =
          p.dtype() == float16 ? kernels::matmul_cooperative_float16 : kernels::matmul_cooperative_bfloat16;
      return multiply_floats<BatchAxes>(task, {code, code}, cooperative_constants(p, choice), p, choice);
    }
  }
}

Product matmul_product(std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return product_of(inputs[0], inputs[1], nullptr, outputs[0]);
}

Product addmm_product(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  const auto& addmm = static_cast<const AddMM&>(primitive);
  const bool adds = addmm.alpha() != 1.0f || addmm.beta() != 0.0f;
  Product p = product_of(inputs[0], inputs[1], adds ? &inputs[2] : nullptr, outputs[0]);
  p.alpha = addmm.alpha();
  p.beta = addmm.beta();
  return p;
}

void encode(Task& task, const char* primitive, const Product& product) {
  for (const Product& p : with_batch_axes(product, kBatchAxes)) encode_product(task, primitive, p);
}

// Products of one batch share their scratch: they are of one shape.
size_t scratch_of(const Product& product, const hal::DeviceInfo& device) {
  const Product first = with_batch_axes(product, kBatchAxes).front();
  return choose_product(first, device).scratch_bytes(first);
}

void encode_matmul(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size == 0) return;
  encode(task, primitive.name(), matmul_product(task.inputs, task.outputs));
}

size_t matmul_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                      const hal::DeviceInfo& device) {
  return outputs[0].size == 0 ? 0 : scratch_of(matmul_product(inputs, outputs), device);
}

void encode_addmm(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size == 0) return;
  encode(task, primitive.name(), addmm_product(primitive, task.inputs, task.outputs));
}

size_t addmm_scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                     const hal::DeviceInfo& device) {
  return outputs[0].size == 0 ? 0 : scratch_of(addmm_product(primitive, inputs, outputs), device);
}

}  // namespace

void register_matmul(Table& table) {
  table.add<Matmul>(encode_matmul, matmul_scratch);
  table.add<AddMM>(encode_addmm, addmm_scratch);
}

}  // namespace plimsoll::gpu
