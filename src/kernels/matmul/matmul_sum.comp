#version 460
// Adds the sums that the parts of K left in scratch (a: [part][member][M][N], float32), in the order of the parts.
//
//# single:
//# batched: BATCHED
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
const bool PARTIAL = false;
layout(local_size_x = 256) in;
#include "matmul/product.glsl"
#include "matmul/epilogue.glsl"

void main() {
  const uint64_t outputs = uint64_t(p.M) * p.N, count = outputs * p.members;
  const uint64_t index = uint64_t(WORKGROUP) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
  if (index >= count) return;
  float sum = 0.0;
  for (uint part = 0; part * uint64_t(p.chunk) < p.K; ++part) {
    sum += load_float(DTYPE_FLOAT32, p.a, int64_t(part * count + index));
  }
  const uint member = uint(index / outputs);
  const uint64_t at = index % outputs;
  // Scratch is laid out as the output, where one stride is 1.
  const uint64_t line = uint64_t(p.out_column == 1l ? p.out_row : p.out_column);
  const uint major = uint(at / line), minor = uint(at % line);
  const bool rows_first = p.out_column == 1l;
  store_sum(Share(0, 0, 0, 0, 0, 0), member_at(member), rows_first ? major : minor, rows_first ? minor : major, sum);
}
