// The position of the first of the largest, or smallest, elements of an output; of the first NaN where there is one.
// Elements compare by keys (order_key.glsl). As in reduce.comp, what is cut into chunks is joined by a second run.
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "math/bits.glsl"
#include "order_key.glsl"

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const bool SMALLEST = false;
layout(constant_id = 2) const uint LANES = 256;
layout(constant_id = 3) const bool ADJACENT = true;
layout(constant_id = 4) const bool JOIN = false;  // candidates come from an earlier run, with their positions
const uint PACK = 1;

struct Candidate {
  uint64_t key;  // the largest wins
  uint position;  // among equal ones the first
};

#define GROUP_VALUE Candidate
Candidate group_shuffle(Candidate value, uint distance) {
  const uvec2 key = unpackUint2x32(value.key);
  return Candidate(packUint2x32(uvec2(subgroupShuffleXor(key.x, distance), subgroupShuffleXor(key.y, distance))),
                   subgroupShuffleXor(value.position, distance));
}
Candidate group_combine(Candidate a, Candidate b) {
  if (a.key != b.key) return a.key > b.key ? a : b;
  return a.position < b.position ? a : b;
}

#include "group.glsl"
#include "reduction.glsl"

bool is_narrow(uint dtype) { return item_size(dtype) < 8; }

// NaN stays the largest whichever end is sought.
uint64_t rank_of(int64_t i) {
  if (is_narrow(DTYPE)) {
    const uint key = short_key(DTYPE, p.in_, i);
    const bool nan = key == 0xffffffffu && (DTYPE == DTYPE_FLOAT32 || DTYPE == DTYPE_FLOAT16 || DTYPE == DTYPE_BFLOAT16);
    return uint64_t(SMALLEST && !nan ? ~key : key);
  }
  const uint64_t key = long_key(DTYPE, p.in_, i);
  const bool nan = key == ~uint64_t(0) && (DTYPE == DTYPE_FLOAT64 || DTYPE == DTYPE_COMPLEX64);
  return SMALLEST && !nan ? ~key : key;
}

Candidate candidate(int64_t first, uint64_t at, Share share) {
  if (!JOIN) return Candidate(rank_of(first + inner_offset(at)), uint(at));
  const int64_t i = int64_t(share.index * p.count + at);
  return Candidate(Item64(element_address(p.in_, i, 8)).value, Item32(element_address(p.positions_in, i, 4)).value);
}

void main() {
  const Share share = reduction_share();
  int64_t first, target;
  locate_output(share.index, first, target);
  Candidate best = Candidate(uint64_t(0), 0xffffffffu);
  for (uint64_t at = share.begin + share.lane; at < share.end; at += LANES) {
    best = group_combine(best, candidate(first, at, share));
  }
  best = group_fold(best, reduction_first_distance(), reduction_end_distance());
  if (share.lane != 0 || share.index >= p.outputs) return;
  if (p.chunks == 1) {
    Item32(element_address(p.out_, target, 4)).value = best.position;
    return;
  }
  const int64_t i = int64_t(share.index * p.chunks + share.chunk);
  Item64(element_address(p.out_, i, 8)).value = best.key;
  Item32(element_address(p.positions_out, i, 4)).value = best.position;
}
