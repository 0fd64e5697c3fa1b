// A workgroup's tile of a product with many rows, and where its slices in k and its columns lie. Include after
// quantized_product.glsl, with THREADS, BM, BN, BK and TRANSPOSED in scope.
//
// A slice of BK holds whole parcels, so that of TRANSPOSED products it is made of runs that may lie apart; so are the
// columns of the others. Sums do not care: x's columns are taken in the same order.

// The tile's number in each direction: bands of eight rows of tiles, so that workgroups that run together read few rows
// of x and of w.
struct Tile {
  uint m, n;
};
Tile tile_of(uint workgroup) {
  const uint tiles_m = (p.M + BM - 1) / BM, tiles_n = (p.N + BN - 1) / BN, band_tiles = 8 * tiles_n;
  const uint band = workgroup / band_tiles, in_band = workgroup % band_tiles, rows = min(tiles_m - band * 8, 8u);
  return Tile(band * 8 + in_band % rows, in_band / rows);
}

// The index in k that stands at `i` in the slice that starts at `first`, and the column at `i` of tile number `tile`.
uint slice_k(uint first, uint i) {
  return TRANSPOSED ? parcel_position((first + i) / PARCEL, i % PARCEL) : first + i;
}
uint tile_column(uint tile, uint i) {
  const uint column = tile * BN + i;
  return TRANSPOSED ? column : parcel_position(column / PARCEL, i % PARCEL);
}

// Packets of x that each invocation fetches for a slice.
const uint X_FETCHES = (BM * BK / PACKET + THREADS - 1) / THREADS;

// Where fetch number `i` of this invocation stands in the tile.
struct Place {
  uint outer, k;  // row of x or column of w; index in the slice
};
Place x_place(uint i) {
  const uint at = gl_LocalInvocationIndex + i * THREADS;
  return Place(at / (BK / PACKET), at % (BK / PACKET) * PACKET);
}
// Neighbours take neighbouring parcels of a row where a row has several.
Place w_place(uint i) {
  const uint at = gl_LocalInvocationIndex + i * THREADS, parcels = (TRANSPOSED ? BK : BN) / PARCEL;
  const uint row = at / parcels, parcel = at % parcels * PARCEL;
  return TRANSPOSED ? Place(row, parcel) : Place(parcel, row);
}
bool in_tile(Place place, uint outer_count) { return place.outer < outer_count && place.k < BK; }

uvec4 fetch_x_packet(bool whole, Tile tile, uint i, uint k_first) {
  const Place place = x_place(i);
  const uint m = tile.m * BM + place.outer, k = slice_k(k_first, place.k);
  return fetch_x(whole, m, k, place.outer < BM && m < p.M && k < p.K ? p.K - k : 0);
}

// Fetches parcel number `i` of this invocation; one of zeros where there is none.
void fetch_w_parcel(Tile tile, uint i, uint k_first) {
  const Place place = w_place(i);
  const uint n = tile.n * BN + place.outer, k = k_first + place.k;
  if (!in_tile(place, BN) || n >= p.N || k >= p.K) {
    clear_parcel(i);
  } else if (TRANSPOSED) {
    fetch_parcel(i, weight_row(n), k / PARCEL);
  } else {
    fetch_parcel(i, weight_row(k), n / PARCEL);
  }
}
