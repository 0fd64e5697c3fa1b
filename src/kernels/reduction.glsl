// Which elements an invocation combines for which output: gpu/families/reduction.h plans it.
//
// LANES invocations share an output (or one chunk of its elements); they are neighbours in memory where ADJACENT, else
// neighbouring outputs are. Each lane takes PACK elements at a time.
//
// Include after common.glsl, elements.glsl and group.glsl, with the constants LANES, ADJACENT and PACK.
#define REDUCTION_AXES 10

LARGE_PARAMETERS {
  uint first_group;
  uint chunks;       // that the elements of an output are cut into
  uint64_t outputs;
  uint64_t count;    // elements of an output
  uint64_t chunk;    // elements of a chunk, a multiple of LANES * PACK
  uint64_t in_;      // addresses
  uint64_t out_;
  uint inner_axes;   // at least 1 of each
  uint outer_axes;
  uint64_t inner_sizes[REDUCTION_AXES];
  int64_t inner_strides[REDUCTION_AXES];  // elements
  uint64_t outer_sizes[REDUCTION_AXES];
  int64_t outer_in[REDUCTION_AXES];
  int64_t outer_out[REDUCTION_AXES];
  uint64_t positions_in;   // addresses, for kernels that carry positions along
  uint64_t positions_out;
};
PARAMETER_POINTER

// n / d, which is cheap for what fits 32 bits.
uint64_t quotient_of(uint64_t n, uint64_t d) {
  return ((n | d) >> 32) == 0 ? uint64_t(uint(n) / uint(d)) : n / d;
}

// An invocation's share.
struct Share {
  uint64_t index;   // of the output
  uint lane;
  uint chunk;
  uint64_t begin, end;  // elements of the chunk
};

Share reduction_share() {
  const uint columns = GROUP / LANES;
  const uint column = ADJACENT ? THREAD / LANES : THREAD % columns;
  Share share;
  share.lane = ADJACENT ? THREAD % LANES : THREAD / columns;
  share.chunk = WORKGROUP % p.chunks;
  share.index = uint64_t(WORKGROUP / p.chunks) * columns + column;
  share.begin = share.index < p.outputs ? share.chunk * p.chunk : p.count;
  share.end = min(p.count, share.begin + p.chunk);
  return share;
}

// Distances between the lanes of an output, as group_fold takes them.
uint reduction_first_distance() { return ADJACENT ? 1 : GROUP / LANES; }
uint reduction_end_distance() { return ADJACENT ? LANES : GROUP; }

// Where an output and its elements begin, in elements.
void locate_output(uint64_t index, out int64_t in_at, out int64_t out_at) {
  in_at = 0;
  out_at = 0;
  uint64_t rest = index;
  for (uint axis = p.outer_axes - 1; axis > 0; --axis) {
    const uint64_t quotient = quotient_of(rest, p.outer_sizes[axis]);
    const int64_t position = int64_t(rest - quotient * p.outer_sizes[axis]);
    in_at += position * p.outer_in[axis];
    out_at += position * p.outer_out[axis];
    rest = quotient;
  }
  in_at += int64_t(rest) * p.outer_in[0];
  out_at += int64_t(rest) * p.outer_out[0];
}

// Distance of an output's element from its first.
int64_t inner_offset(uint64_t element) {
  int64_t at = 0;
  uint64_t rest = element;
  for (uint axis = p.inner_axes - 1; axis > 0; --axis) {
    const uint64_t quotient = quotient_of(rest, p.inner_sizes[axis]);
    at += int64_t(rest - quotient * p.inner_sizes[axis]) * p.inner_strides[axis];
    rest = quotient;
  }
  return at + int64_t(rest) * p.inner_strides[0];
}
