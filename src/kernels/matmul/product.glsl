// What the kernels of the product family share: the parameter block, the members of a batch and the order of tiles.
//
//   out[m, n] = alpha * sum_k a[m, k] * b[k, n] + beta * c[m, n]      for every member of the batch
//
// K may be summed in parts: each part writes its float32 sums [part][member][M][N] to scratch, and matmul_sum.comp adds
// the parts in their order. Workgroups are numbered [part][member][tile].
//
// Variants: BATCHED, for more than one member.

#ifdef BATCHED
#define PRODUCT_PARAMETERS LARGE_PARAMETERS
#define BATCH_AXES 4
#else
#define PRODUCT_PARAMETERS PARAMETERS
#endif

// Strides count elements.
PRODUCT_PARAMETERS {
  uint first_group;
  uint M, N, K;
  uint64_t a, b, c, out_;
  int64_t a_row, a_column, b_row, b_column, c_row, c_column;
  int64_t out_row, out_column;  // one of them is 1; members of the batch follow each other
  float alpha, beta;
  uint chunk;    // of K: what one part sums
  uint members;  // of the batch
#ifdef BATCHED
  uint lengths[BATCH_AXES];  // of the batch's axes, outermost first; 1 where there are fewer
  int64_t a_batch[BATCH_AXES], b_batch[BATCH_AXES], c_batch[BATCH_AXES];
#endif
#ifdef BATCHED
};
PARAMETER_POINTER
#else
} p;
#endif

// Where a member's matrices start, in elements.
struct Member {
  int64_t a, b, c, out_;
};

Member member_at(uint index) {
  Member member = Member(0l, 0l, 0l, int64_t(index) * p.M * p.N);
#ifdef BATCHED
  [[unroll]] for (int axis = BATCH_AXES - 1; axis >= 0; --axis) {
    const int64_t position = int64_t(index % p.lengths[axis]);
    index /= p.lengths[axis];
    member.a += position * p.a_batch[axis];
    member.b += position * p.b_batch[axis];
    member.c += position * p.c_batch[axis];
  }
#endif
  return member;
}

// One workgroup's share of the work.
struct Share {
  uint part, member;
  uint tile_m, tile_n;
  uint k_begin, k_end;
};

// Tiles go down bands of eight rows of tiles, so that workgroups that run together read few rows of a and columns of b.
Share share_of(uint workgroup, uint tiles_m, uint tiles_n) {
  const uint tiles = tiles_m * tiles_n, block = workgroup / tiles, tile = workgroup % tiles;
  const uint band_tiles = 8 * tiles_n, band = tile / band_tiles, in_band = tile % band_tiles;
  const uint band_rows = min(tiles_m - band * 8, 8u);
  const uint part = block / p.members, k_begin = part * p.chunk;
  return Share(part, block % p.members, band * 8 + in_band % band_rows, in_band / band_rows, k_begin,
               min(p.K, k_begin + p.chunk));
}

// Where a part's sums of a member start in scratch, in elements.
int64_t partial_at(Share share) { return (int64_t(share.part) * p.members + share.member) * p.M * p.N; }
