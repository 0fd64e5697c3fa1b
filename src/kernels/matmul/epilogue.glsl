// What becomes of a sum. Included after product.glsl and elements.glsl, with DTYPE and PARTIAL in scope, specialization
// constants. PARTIAL: sums go to scratch as they are.

float scaled_sum(float sum, int64_t c_member, uint m, uint n) {
  if (p.alpha == 1.0 && p.beta == 0.0) return sum;
  float result = p.alpha * sum;
  if (p.beta != 0.0) {
    result += p.beta * load_float(DTYPE, p.c, c_member + int64_t(m) * p.c_row + int64_t(n) * p.c_column);
  }
  return result;
}

void store_sum(Share share, Member member, uint m, uint n, float sum) {
  const int64_t at = int64_t(m) * p.out_row + int64_t(n) * p.out_column;
  if (PARTIAL) {
    store_float(DTYPE_FLOAT32, p.out_, partial_at(share) + at, sum);
  } else {
    store_float(DTYPE, p.out_, member.out_ + at, scaled_sum(sum, member.c, m, n));
  }
}

// Four neighbours of a row, where that is aligned to all of them.
void store_four(Share share, Member member, uint m, uint n, vec4 sums) {
  const int64_t at = int64_t(m) * p.out_row + int64_t(n);
  if (PARTIAL) {
    store_float4(DTYPE_FLOAT32, element_address(p.out_, partial_at(share) + at, 4), sums);
    return;
  }
  [[unroll]] for (uint i = 0; i < 4; ++i) sums[i] = scaled_sum(sums[i], member.c, m, n + i);
  store_float4(DTYPE, element_address(p.out_, member.out_ + at, item_size(DTYPE)), sums);
}
