#version 460
// Products of 16-bit floats on matrix units: 16 x 16 x 16 at subgroup scope, summed in float32. Any layout, any shape.
//
// A workgroup makes a tile of BM x BN outputs, each of its subgroups WM x WN of them. Slices of BK lie in shared memory
// as they lie in memory, along k or across, one packet of padding after each line against bank conflicts. PREFETCH: the
// next slice travels into registers while the present one is multiplied; else workgroups that share a compute unit hide
// each other's waits, with fewer registers.
//
// Where the compiler knows no bfloat16, its variant is the same code, built for float16: these bits are only moved, so
// the type of the matrices is all that differs in SPIR-V (tools/spirv_bfloat16.py puts it in).
//
//# float16!: BATCHED
//# bfloat16!: BATCHED BFLOAT16_MATRICES
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT16;
layout(constant_id = 1) const uint THREADS = 256;
layout(constant_id = 2) const uint BM = 128;
layout(constant_id = 3) const uint BN = 128;
layout(constant_id = 4) const uint BK = 64;
layout(constant_id = 5) const uint WM = 64;
layout(constant_id = 6) const uint WN = 32;
layout(constant_id = 7) const bool A_ALONG_K = true;  // packets of a hold neighbours in k, else in m
layout(constant_id = 8) const bool A_WHOLE = false;   // fetch_packet: whole
layout(constant_id = 9) const bool B_ALONG_K = false;
layout(constant_id = 10) const bool B_WHOLE = false;
layout(constant_id = 11) const bool PARTIAL = false;
layout(constant_id = 12) const bool OUT_WHOLE = false;  // packets of the output are aligned and complete
layout(constant_id = 13) const bool PREFETCH = false;
const bool SERIAL = false;
layout(local_size_x_id = 1) in;
#include "matmul/product.glsl"
#include "matmul/epilogue.glsl"
#include "matmul/packet.glsl"
#include "matmul/operand.glsl"

// Shared memory, in packets: a's slice, b's slice; in the end, a fragment of sums for each subgroup.
const uint A_LINE = (A_ALONG_K ? BK : BM) / 8 + 1, B_LINE = (B_ALONG_K ? BK : BN) / 8 + 1;
const uint A_PACKETS = (A_ALONG_K ? BM : BK) * A_LINE, B_PACKETS = (B_ALONG_K ? BN : BK) * B_LINE;
shared uvec4 tiles[A_PACKETS + B_PACKETS];

const uint A_FETCHES = (BM * BK / 8 + THREADS - 1) / THREADS;
const uint B_FETCHES = (BN * BK / 8 + THREADS - 1) / THREADS;
uvec4 a_packets[A_FETCHES];
uvec4 b_packets[B_FETCHES];

void fetch_tiles(Operand a, Operand b, uint k, uint k_end) {
  [[unroll]] for (uint i = 0; i < A_FETCHES; ++i) {
    a_packets[i] = fetch_operand(a, A_ALONG_K, A_WHOLE, BM, i, k, k_end);
  }
  [[unroll]] for (uint i = 0; i < B_FETCHES; ++i) {
    b_packets[i] = fetch_operand(b, B_ALONG_K, B_WHOLE, BN, i, k, k_end);
  }
}

uint packet_at(bool along_k, uint line, Place place) {
  return along_k ? place.outer * line + place.k / 8 : place.k * line + place.outer / 8;
}

void store_tiles() {
  [[unroll]] for (uint i = 0; i < A_FETCHES; ++i) {
    const Place place = place_of(A_ALONG_K, BM, i);
    if (place.outer < BM && place.k < BK) tiles[packet_at(A_ALONG_K, A_LINE, place)] = a_packets[i];
  }
  [[unroll]] for (uint i = 0; i < B_FETCHES; ++i) {
    const Place place = place_of(B_ALONG_K, BN, i);
    if (place.outer < BN && place.k < BK) tiles[A_PACKETS + packet_at(B_ALONG_K, B_LINE, place)] = b_packets[i];
  }
}

#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define Sums coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const uint ROWS = WM / 16, COLUMNS = WN / 16;  // of a subgroup's fragments
Sums sums[ROWS * COLUMNS];

MatrixA load_a(uint m, uint k) {
  MatrixA matrix;
  const uint at = packet_at(A_ALONG_K, A_LINE, Place(m, k));
  if (A_ALONG_K) {
    coopMatLoad(matrix, tiles, at, A_LINE, gl_CooperativeMatrixLayoutRowMajor);
  } else {
    coopMatLoad(matrix, tiles, at, A_LINE, gl_CooperativeMatrixLayoutColumnMajor);
  }
  return matrix;
}

MatrixB load_b(uint n, uint k) {
  MatrixB matrix;
  const uint at = A_PACKETS + packet_at(B_ALONG_K, B_LINE, Place(n, k));
  if (B_ALONG_K) {
    coopMatLoad(matrix, tiles, at, B_LINE, gl_CooperativeMatrixLayoutColumnMajor);
  } else {
    coopMatLoad(matrix, tiles, at, B_LINE, gl_CooperativeMatrixLayoutRowMajor);
  }
  return matrix;
}

// `m` and `n`: where the subgroup's outputs start in the tile.
void multiply_tiles(uint m, uint n) {
  [[unroll]] for (uint k = 0; k < BK; k += 16) {
    MatrixA a[ROWS];
    [[unroll]] for (uint i = 0; i < ROWS; ++i) a[i] = load_a(m + i * 16, k);
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
      const MatrixB b = load_b(n + j * 16, k);
      [[unroll]] for (uint i = 0; i < ROWS; ++i) {
        sums[i * COLUMNS + j] = coopMatMulAdd(a[i], b, sums[i * COLUMNS + j]);
      }
    }
  }
}

// Eight neighbours of a row.
void store_packet(Share share, Member member, uint m, uint n, vec4 low, vec4 high) {
  if (m >= p.M || n >= p.N) return;
  if (OUT_WHOLE && PARTIAL) {
    store_four(share, member, m, n, low);
    store_four(share, member, m, n + 4, high);
    return;
  }
  if (OUT_WHOLE) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      low[i] = scaled_sum(low[i], member.c, m, n + i);
      high[i] = scaled_sum(high[i], member.c, m, n + 4 + i);
    }
    const uvec4 packet = uvec4(word_from_floats(DTYPE, low.xy), word_from_floats(DTYPE, low.zw),
                               word_from_floats(DTYPE, high.xy), word_from_floats(DTYPE, high.zw));
    Vector128(element_address(p.out_, member.out_ + int64_t(m) * p.out_row + int64_t(n), 2)).value = packet;
    return;
  }
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    if (n + i < p.N) store_sum(share, member, m, n + i, i < 4 ? low[i] : high[i - 4]);
  }
}

// Fragments go through shared memory, one at a time for each subgroup, since which invocation holds what is unknown.
void store_sums(Share share, Member member, uint m, uint n) {
  const uint line = 5, stage = gl_SubgroupID * 16 * line;  // packets of four sums
  barrier();
  [[unroll]] for (uint fragment = 0; fragment < ROWS * COLUMNS; ++fragment) {
    coopMatStore(sums[fragment], tiles, stage, line, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    for (uint i = gl_SubgroupInvocationID; i < 32; i += gl_SubgroupSize) {
      const uint row = i / 2, at = stage + row * line + i % 2 * 2;
      store_packet(share, member, share.tile_m * BM + m + fragment / COLUMNS * 16 + row,
                   share.tile_n * BN + n + fragment % COLUMNS * 16 + i % 2 * 8, uintBitsToFloat(tiles[at]),
                   uintBitsToFloat(tiles[at + 1]));
    }
    subgroupBarrier();
  }
}

void main() {
  const Share share = share_of(WORKGROUP, (p.M + BM - 1) / BM, (p.N + BN - 1) / BN);
  const Member member = member_at(share.member);
  const Operand a = operand_at(A_ALONG_K, BM, p.a + uint64_t(member.a * ELEMENT_BYTES), share.tile_m * BM, p.M,
                               p.a_row, p.a_column);
  const Operand b = operand_at(B_ALONG_K, BN, p.b + uint64_t(member.b * ELEMENT_BYTES), share.tile_n * BN, p.N,
                               p.b_column, p.b_row);
  const uint m = gl_SubgroupID / (BN / WN) * WM, n = gl_SubgroupID % (BN / WN) * WN;
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) sums[i] = Sums(0.0);
  if (PREFETCH) fetch_tiles(a, b, share.k_begin, share.k_end);
  for (uint k = share.k_begin; k < share.k_end; k += BK) {
    if (!PREFETCH) fetch_tiles(a, b, k, share.k_end);
    barrier();
    store_tiles();
    barrier();
    if (PREFETCH && k + BK < share.k_end) fetch_tiles(a, b, k + BK, share.k_end);
    multiply_tiles(m, n);
  }
  store_sums(share, member, m, n);
}
