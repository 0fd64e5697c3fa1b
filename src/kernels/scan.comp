// Running sums, products and extrema along an axis.
//
// Rows along the axis are cut into chunks. A workgroup walks a chunk in tiles of RUN elements an invocation (ALONG), or
// each invocation a chunk of a row of its own, neighbours on neighbouring rows. Three steps where there are several
// chunks: their totals, what comes before each of them, the results.
//
// float32 sums and products carry their rounding error along, so that a long row loses nothing and its results do not
// depend on how it was cut.
//# float: SCAN_FLOAT
//# int: SCAN_INT
//# double: SCAN_DOUBLE ELEMENTS_FLOAT64
//# complex: SCAN_COMPLEX
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "math/bits.glsl"
#ifdef SCAN_DOUBLE
#include "math/double/bits.glsl"
#endif

layout(constant_id = 0) const uint FOLD = 0;
layout(constant_id = 1) const uint IN = DTYPE_FLOAT32;
layout(constant_id = 2) const uint OUT = DTYPE_FLOAT32;
layout(constant_id = 3) const bool INCLUSIVE = true;
layout(constant_id = 4) const bool ALONG = true;
layout(constant_id = 5) const uint STEP = 0;

#define STEP_ROW 0      // all of a row, which is one chunk
#define STEP_TOTALS 1   // of chunks
#define STEP_BEFORE 2   // what comes before chunks, in place of their totals
#define STEP_FINISH 3   // results of chunks

#define FOLD_SUM 0
#define FOLD_PROD 1
#define FOLD_MAX 2
#define FOLD_MIN 3

#define ROW_OPERANDS 2
#include "rows.glsl"

PARAMETERS {
  uint first_group;
  uint rows;
  uint width;       // elements of a row
  uint chunks;      // of a row
  uint chunk;       // elements of one
  uint unused;
  uint64_t in_;     // addresses of the first rows' first elements in the order of the scan
  uint64_t out_;
  uint64_t totals;  // [rows, chunks]
  int64_t in_step;  // elements
  int64_t out_step;
  RowAxes axes;     // of in and out
} p;

#include "scan_values.glsl"

#define GROUP 256
layout(local_size_x = GROUP) in;
#define THREAD (gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID)
#define RUN 4
shared Total exchange[2 * GROUP];

Total total_at(uint64_t index) { return load_total(p.totals + index * TOTAL_BYTES); }
void set_total(uint64_t index, Total total) { store_total(p.totals + index * TOTAL_BYTES, total); }

// What invocations up to this one hold, combined (Hillis and Steele, 1986); two halves of `exchange` by turns.
uint turn = 0;
Total scan_across(Total value) {
  const uint thread = THREAD;
  for (uint distance = 1; distance < GROUP; distance <<= 1) {
    exchange[turn + thread] = value;
    barrier();
    if (thread >= distance) value = combine(exchange[turn + thread - distance], value);
    turn ^= GROUP;
  }
  return value;
}

// Elements [begin, end) of a row by the whole workgroup, `before` what comes before them. Returns all combined.
Total walk_along(uint64_t in_row, uint64_t out_row, uint begin, uint end, Total before, bool stores) {
  const uint thread = THREAD;
  for (uint at = begin; at < end; at += RUN * GROUP) {
    const uint first = at + thread * RUN;
    Total running[RUN];
    for (uint k = 0; k < RUN; ++k) {  // no hint to unroll: SPIR-V's optimizer forgets what is precise in its copies
      running[k] = first + k < end ? load_element(in_row, int64_t(first + k) * p.in_step) : identity();
      if (k > 0) running[k] = combine(running[k - 1], running[k]);
    }
    const Total up_to_here = scan_across(running[RUN - 1]);
    exchange[turn + thread] = up_to_here;
    barrier();
    const Total left = thread > 0 ? combine(before, exchange[turn + thread - 1]) : before;
    const Total all = combine(before, exchange[turn + GROUP - 1]);
    turn ^= GROUP;
    if (stores) {
      for (uint k = 0; k < RUN; ++k) {
        if (first + k >= end) break;
        const Total result = INCLUSIVE ? combine(left, running[k]) : k > 0 ? combine(left, running[k - 1]) : left;
        store_element(out_row, int64_t(first + k) * p.out_step, result);
      }
    }
    before = all;
  }
  return before;
}

// The same by one invocation.
Total walk_alone(uint64_t in_row, uint64_t out_row, uint begin, uint end, Total before, bool stores) {
  for (uint at = begin; at < end; ++at) {
    const Total next = combine(before, load_element(in_row, int64_t(at) * p.in_step));
    if (stores) store_element(out_row, int64_t(at) * p.out_step, INCLUSIVE ? next : before);
    before = next;
  }
  return before;
}

// A row's totals, by one workgroup.
void totals_to_before(uint row) {
  const uint thread = THREAD;
  const uint64_t first = uint64_t(row) * p.chunks;
  Total before = identity();
  for (uint at = 0; at < p.chunks; at += GROUP) {
    const uint chunk = at + thread;
    const Total own = chunk < p.chunks ? total_at(first + chunk) : identity();
    const Total up_to_here = scan_across(own);
    exchange[turn + thread] = up_to_here;
    barrier();
    const Total left = thread > 0 ? combine(before, exchange[turn + thread - 1]) : before;
    before = combine(before, exchange[turn + GROUP - 1]);
    turn ^= GROUP;
    if (chunk < p.chunks) set_total(first + chunk, left);
  }
}

void main() {
  if (STEP == STEP_BEFORE) {
    totals_to_before(WORKGROUP);
    return;
  }
  // Neighbouring invocations take neighbouring rows of one chunk.
  const uint blocks = (p.rows + GROUP - 1) / GROUP;
  const uint row = ALONG ? WORKGROUP / p.chunks : WORKGROUP % blocks * GROUP + THREAD;
  const uint chunk = ALONG ? WORKGROUP % p.chunks : WORKGROUP / blocks;
  const bool inside = row < p.rows;
  if (!ALONG && !inside) return;
  int64_t at[2];
  locate_row(p.axes, row, at);
  const uint64_t in_row = element_address(p.in_, at[0], item_size(IN));
  const uint64_t out_row = element_address(p.out_, at[1], item_size(OUT));
  const uint begin = chunk * p.chunk;
  const uint end = min(p.width, begin + p.chunk);
  const uint64_t index = uint64_t(row) * p.chunks + chunk;

  const Total before = STEP == STEP_FINISH ? total_at(index) : identity();
  const bool stores = STEP != STEP_TOTALS;
  const Total all = ALONG ? walk_along(in_row, out_row, begin, end, before, stores)
                          : walk_alone(in_row, out_row, begin, end, before, stores);
  if (STEP == STEP_TOTALS && (!ALONG || THREAD == 0)) set_total(index, all);
}
