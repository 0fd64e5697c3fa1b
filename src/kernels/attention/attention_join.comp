#version 460
// Joins the parts that attention_rows.comp left in scratch, in their order: a workgroup for each line.
#include "common.glsl"
//# float: REAL=float
//# double: REAL=double FLOAT64
#include "attention/attention.glsl"

#define GROUP 128
layout(local_size_x = GROUP) in;

// The largest maximum of a line's parts.
REAL line_maximum(int64_t line) {
  REAL top = NO_SCORE;
  for (uint part = 0; part < p.parts; ++part) top = max(top, load_state(p.states, (line * p.parts + part) * 2));
  return top;
}

void main() {
  const int64_t line = int64_t(WORKGROUP);
  const uint query = WORKGROUP % p.queries, head = WORKGROUP / p.queries % p.heads;
  const uint batch = WORKGROUP / p.queries / p.heads;
  const int64_t out_row = int64_t(batch) * p.out_strides[0] + int64_t(head) * p.out_strides[1] +
                          int64_t(query) * p.out_strides[2];
  const REAL top = line_maximum(line);
  for (uint column = gl_LocalInvocationID.x; column < p.value_dim; column += GROUP) {
    REAL sum = REAL(0.0), total = REAL(0.0);
    for (uint part = 0; part < p.parts; ++part) {
      const int64_t index = line * p.parts + part;
      const REAL factor = weight_of(load_state(p.states, index * 2), top);
      total += factor * load_state(p.states, index * 2 + 1);
      sum += factor * load_state(p.sums, index * p.value_dim + column);
    }
    store_real(p.out_, out_row + column, normalized(sum, total));
  }
}
