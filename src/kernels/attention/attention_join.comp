#version 460
// Joins the parts that attention_rows.comp left in scratch: a workgroup for each line. Its slices of COLUMNS neighbours
// each take every SLICES-th part.
#include "common.glsl"
//# float: REAL=float
//# double: REAL=double FLOAT64
#include "attention/attention.glsl"

layout(constant_id = 3) const uint COLUMNS = 128;  // a power of two, at most GROUP

#define GROUP 256
#define UNROLL 8  // parts in flight
#define MAX_SUBGROUPS 64
const uint SLICES = GROUP / COLUMNS;

layout(local_size_x = GROUP) in;

shared REAL factors[GROUP];  // of a block of parts
shared REAL exchange[GROUP];
shared REAL of_subgroups[MAX_SUBGROUPS];

int64_t line_parts;  // the line's first part

REAL maximum_of_group(REAL value) {
  value = subgroupMax(value);
  if (gl_SubgroupInvocationID == 0) of_subgroups[gl_SubgroupID] = value;
  barrier();
  REAL top = of_subgroups[0];
  for (uint s = 1; s < gl_NumSubgroups; ++s) top = max(top, of_subgroups[s]);
  barrier();
  return top;
}

REAL sum_of_group(REAL value) {
  value = subgroupAdd(value);
  if (gl_SubgroupInvocationID == 0) of_subgroups[gl_SubgroupID] = value;
  barrier();
  REAL sum = of_subgroups[0];
  for (uint s = 1; s < gl_NumSubgroups; ++s) sum += of_subgroups[s];
  barrier();
  return sum;
}

// The largest maximum of the line's parts.
REAL line_maximum() {
  REAL top = NO_SCORE;
  for (uint part = gl_LocalInvocationID.x; part < p.parts; part += GROUP) {
    top = max(top, load_state(p.states, (line_parts + part) * 2));
  }
  return maximum_of_group(top);
}

// The slice's sum of a column over parts [first, first + count), of which the factors are known.
REAL weighted_sum(uint first, uint count, uint column) {
  REAL sum = REAL(0.0);
  for (uint base = gl_LocalInvocationID.x / COLUMNS; base < count; base += SLICES * UNROLL) {
    REAL parts[UNROLL];
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
      const uint part = min(base + u * SLICES, count - 1);
      parts[u] = load_state(p.sums, (line_parts + first + part) * sizes.value_dim + column);
    }
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
      if (base + u * SLICES < count) sum += factors[base + u * SLICES] * parts[u];
    }
  }
  return sum;
}

// Adds up the slices' sums of a column.
REAL sum_of_slices(REAL sum) {
  exchange[gl_LocalInvocationID.x] = sum;
  barrier();
  sum = exchange[gl_LocalInvocationID.x % COLUMNS];
  for (uint s = 1; s < SLICES; ++s) sum += exchange[s * COLUMNS + gl_LocalInvocationID.x % COLUMNS];
  barrier();
  return sum;
}

void main() {
  read_parameters();
  const uint query = WORKGROUP % sizes.queries, head = WORKGROUP / sizes.queries % sizes.heads;
  const uint batch = WORKGROUP / sizes.queries / sizes.heads;
  const int64_t out_row = int64_t(batch) * p.out_strides[0] + int64_t(head) * p.out_strides[1] +
                          int64_t(query) * p.out_strides[2];
  line_parts = int64_t(WORKGROUP) * p.parts;
  const REAL top = line_maximum();
  for (uint block = 0; block < sizes.value_dim; block += COLUMNS) {
    const uint column = block + gl_LocalInvocationID.x % COLUMNS;
    REAL sum = REAL(0.0), total = REAL(0.0);
    for (uint first = 0; first < p.parts; first += GROUP) {
      const uint count = min(p.parts - first, GROUP), part = gl_LocalInvocationID.x;
      REAL factor = REAL(0.0);
      if (part < count) {
        factor = weight_of(load_state(p.states, (line_parts + first + part) * 2), top);
        total += factor * load_state(p.states, (line_parts + first + part) * 2 + 1);
      }
      factors[part] = factor;
      barrier();
      if (column < sizes.value_dim) sum += weighted_sum(first, count, column);
      barrier();
    }
    sum = sum_of_slices(sum);
    total = sum_of_group(total);
    if (gl_LocalInvocationID.x < COLUMNS && column < sizes.value_dim) {
      store_real(p.out_, out_row + column, normalized(sum, total));
    }
  }
}
