// The blocked product of panel.h. A register tile holds kRows x (2 vectors) of sums; one panel of row vectors, small
// enough for the second-level cache, meets all tiles of lanes before the next panel is widened by the same thread.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/panel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/blocked.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "cpu/transpose-inl.h"
#include "cpu/unroll.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

#ifndef PLIMSOLL_CPU_BLOCKED_ONCE_
#define PLIMSOLL_CPU_BLOCKED_ONCE_
namespace plimsoll::cpu {

inline constexpr int64_t kPanelRows = 24;     // the smallest panel: a multiple of every target's tile rows
inline constexpr int64_t kMaxTileLanes = 32;  // lanes of the widest tile (float32 on AVX-512)
inline constexpr int64_t kVectorBytes = 64;

// Row stride of a panel: rows start in different cache sets whatever K is.
template <typename T>
constexpr int64_t panel_stride(int64_t K) {
  constexpr int64_t kLine = kVectorBytes / static_cast<int64_t>(sizeof(T));
  return (K + kLine - 1) / kLine * kLine + kLine;
}

// Rows of a panel. Lanes that do not fit the second-level cache are read from memory once for each panel, so panels
// then grow to a good part of that cache.
template <typename T>
constexpr int64_t panel_rows(int64_t row_count, int64_t lane_count, int64_t K) {
  constexpr int64_t kLanesBytes = 1 << 20, kPanelBytes = 3 << 18, kMostRows = 4 * kPanelRows;
  const int64_t vector_bytes = panel_stride<T>(K) * static_cast<int64_t>(sizeof(T));
  if (lane_count * vector_bytes <= kLanesBytes || row_count <= kPanelRows) return kPanelRows;
  return std::clamp(kPanelBytes / vector_bytes / kPanelRows * kPanelRows, kPanelRows, kMostRows);
}

// One slice of work: a panel of rows against a range of tiles.
struct Split {
  int64_t panel_rows;
  int64_t panels;
  int64_t slices;  // of the tiles, for each panel
  int64_t tiles;
};

struct Scratch {
  std::byte* tiles;   // packed lanes
  std::byte* panels;  // one panel a thread
  int64_t panel_bytes;
  int64_t panel_rows;
};

}  // namespace plimsoll::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <typename T>
inline constexpr int kLanesOf = static_cast<int>(hn::MaxLanes(Tag<T>()));
template <typename T>
inline constexpr int64_t kTileLanes = 2 * kLanesOf<T>;

#undef PLIMSOLL_TILE_ROWS
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON
#define PLIMSOLL_TILE_ROWS 12  // 24 sums, of 32 registers
#else
#define PLIMSOLL_TILE_ROWS 6  // 12 sums, of 16 registers
#endif
inline constexpr int kTileRows = PLIMSOLL_TILE_ROWS;

// out[kRows][kVectors * lanes] = rows (stride apart) times lanes (lane_stride apart in k).
template <typename T, int kRows, int kVectors>
HWY_INLINE void multiply_tile(const T* HWY_RESTRICT rows, int64_t stride, const T* HWY_RESTRICT lanes,
                              int64_t lane_stride, int64_t K, T* HWY_RESTRICT out) {
  const Tag<T> d;
  constexpr int kLanes = kLanesOf<T>, kAhead = 16;  // steps of k that lanes are fetched ahead
  hn::Vec<Tag<T>> sums[kRows][kVectors];
  PLIMSOLL_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (int64_t k = 0; k < K; ++k, lanes += lane_stride) {
    hn::Vec<Tag<T>> b[kVectors];
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      b[v] = hn::LoadU(d, lanes + v * kLanes);
      hwy::Prefetch(lanes + kAhead * lane_stride + v * kLanes);
    }
    PLIMSOLL_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const auto a = hn::Set(d, rows[i * stride + k]);
      PLIMSOLL_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(a, b[v], sums[i][v]);
    }
  }
  PLIMSOLL_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[i][v], d, out + (i * kVectors + v) * kLanes);
  }
}

template <typename T>
using TileKernel = void (*)(const T*, int64_t, const T*, int64_t, int64_t, T*);

template <typename T, int kRows, int kVectors>
void tile_kernel(const T* rows, int64_t stride, const T* lanes, int64_t lane_stride, int64_t K, T* out) {
  multiply_tile<T, kRows, kVectors>(rows, stride, lanes, lane_stride, K, out);
}

// Rows of a tile that computes at least `rows` (of at most kTileRows).
constexpr int covering_rows(int64_t rows) { return rows == 1 ? 1 : rows <= 3 ? 3 : kTileRows; }

template <typename T>
TileKernel<T> choose_kernel(int64_t rows, int64_t width) {
  const bool narrow = width == kLanesOf<T>;
  switch (covering_rows(rows)) {
    case 1:
      return narrow ? tile_kernel<T, 1, 1> : tile_kernel<T, 1, 2>;
    case 3:
      return narrow ? tile_kernel<T, 3, 1> : tile_kernel<T, 3, 2>;
    default:
      return narrow ? tile_kernel<T, kTileRows, 1> : tile_kernel<T, kTileRows, 2>;
  }
}

// Lanes of tile `tile`: the last one is narrow when that is enough.
template <typename T>
int64_t tile_width(int64_t lane_count, int64_t tile) {
  return lane_count - tile * kTileLanes<T> <= kLanesOf<T> ? kLanesOf<T> : kTileLanes<T>;
}

// The lanes of a tile where they lie, when packing them would cost more than it saves: for few rows. Else null.
template <typename T>
const T* unpacked_tile(const BlockedProduct<T>& p, int64_t tile, int64_t* k_stride) {
  const int64_t first = tile * kTileLanes<T>;
  if (p.row_count > kTileRows || p.lane_count - first < tile_width<T>(p.lane_count, tile)) return nullptr;
  return p.lanes->direct_lanes(first, k_stride);
}

// Packs lanes tile by tile; `spare` holds kTileLanes rows of K.
template <typename T>
void pack_tile(const BlockedProduct<T>& p, int64_t tile, T* out, T* spare) {
  int64_t k_stride;
  if (unpacked_tile(p, tile, &k_stride) != nullptr) return;
  const int64_t first = tile * kTileLanes<T>, width = tile_width<T>(p.lane_count, tile);
  const int64_t count = std::min(width, p.lane_count - first);
  if (p.lanes->lanes_adjacent()) return p.lanes->fill_lanes(first, count, width, out);
  int64_t stride;
  const T* rows = count == width ? p.lanes->direct_rows(first, &stride) : nullptr;
  if (rows != nullptr) return transpose(rows, stride, width, p.K, out, width);
  stride = panel_stride<T>(p.K);
  p.lanes->fill_rows(first, count, spare, stride);
  for (int64_t j = count; j < width; ++j) std::fill_n(spare + j * stride, p.K, T(0));
  transpose(spare, stride, width, p.K, out, width);
}

template <typename T>
class PanelWorker {
 public:
  PanelWorker(const BlockedProduct<T>& p, const Split& split, const T* tiles, T* panel)
      : p_(p), split_(split), tiles_(tiles), panel_(panel), stride_(panel_stride<T>(p.K)) {}

  void run(int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t panel = task / split_.slices, slice = task % split_.slices;
      if (task == begin || slice == 0) fill_panel(panel);
      const int64_t first = slice * split_.tiles / split_.slices, last = (slice + 1) * split_.tiles / split_.slices;
      for (int64_t tile = first; tile < last; ++tile) multiply_panel(tile);
    }
  }

 private:
  void fill_panel(int64_t panel) {
    first_row_ = panel * split_.panel_rows;
    rows_ = std::min(split_.panel_rows, p_.row_count - first_row_);
    p_.rows->fill_rows(first_row_, rows_, panel_, stride_);
    const int64_t whole = rows_ / kTileRows * kTileRows;
    const int64_t covered = rows_ == whole ? rows_ : whole + covering_rows(rows_ - whole);
    for (int64_t i = rows_; i < covered; ++i) std::fill_n(panel_ + i * stride_, p_.K, T(0));
  }

  void multiply_panel(int64_t tile) {
    const int64_t lane = tile * kTileLanes<T>, width = tile_width<T>(p_.lane_count, tile);
    const int64_t lanes = std::min(width, p_.lane_count - lane);
    int64_t lane_stride = width;
    const T* packed = unpacked_tile(p_, tile, &lane_stride);
    if (packed == nullptr) packed = tiles_ + lane * p_.K;
    HWY_ALIGN T out[kTileRows * kTileLanes<T>];
    for (int64_t i = 0; i < rows_; i += kTileRows) {
      const int64_t rows = std::min<int64_t>(kTileRows, rows_ - i);
      choose_kernel<T>(rows, width)(panel_ + i * stride_, stride_, packed, lane_stride, p_.K, out);
      write_tile(out, first_row_ + i, rows, lane, lanes, width);
    }
  }

  void write_tile(const T* out, int64_t row, int64_t rows, int64_t lane, int64_t lanes, int64_t width) {
    if (!p_.transposed) {
      for (int64_t i = 0; i < rows; ++i) p_.sink->write(row + i, lane, out + i * width, lanes);
      return;
    }
    HWY_ALIGN T turned[kTileLanes<T> * kTileRows];
    transpose(out, width, rows, lanes, turned, kTileRows);
    for (int64_t j = 0; j < lanes; ++j) p_.sink->write(lane + j, row, turned + j * kTileRows, rows);
  }

  const BlockedProduct<T>& p_;
  const Split& split_;
  const T* tiles_;
  T* panel_;
  int64_t stride_;
  int64_t first_row_ = 0;
  int64_t rows_ = 0;
};

inline Split split_work(int64_t row_count, int64_t panel_rows, int64_t tiles, int64_t threads) {
  const int64_t panels = (row_count + panel_rows - 1) / panel_rows;
  const int64_t wanted = 4 * threads;  // enough pieces that the last ones do not leave a thread idle
  const int64_t slices = panels >= wanted ? 1 : std::min(tiles, (wanted + panels - 1) / panels);
  return {panel_rows, panels, threads == 1 ? 1 : slices, tiles};
}

template <typename T>
void multiply(const BlockedProduct<T>& p, const Scratch& scratch) {
  const int64_t tiles = (p.lane_count + kTileLanes<T> - 1) / kTileLanes<T>, threads = base::num_threads();
  T* packed = reinterpret_cast<T*>(scratch.tiles);
  const auto panel = [&](int64_t slot) { return reinterpret_cast<T*>(scratch.panels + slot * scratch.panel_bytes); };
  base::parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin * tiles / threads; t < end * tiles / threads; ++t) {
      pack_tile(p, t, packed + t * kTileLanes<T> * p.K, panel(begin));
    }
  });
  const Split split = split_work(p.row_count, scratch.panel_rows, tiles, threads);
  const int64_t tasks = split.panels * split.slices;
  base::parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
    PanelWorker<T>(p, split, packed, panel(begin)).run(begin * tasks / threads, end * tasks / threads);
  });
}

void multiply_float(const BlockedProduct<float>& p, const Scratch& scratch) { multiply(p, scratch); }
void multiply_double(const BlockedProduct<double>& p, const Scratch& scratch) { multiply(p, scratch); }

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

namespace {

template <typename T>
int64_t panel_bytes(int64_t rows, int64_t K) {
  return std::max(rows, kMaxTileLanes) * panel_stride<T>(K) * static_cast<int64_t>(sizeof(T));
}

template <typename T>
int64_t tiles_bytes(int64_t lane_count, int64_t K) {
  const int64_t lanes = (lane_count + kMaxTileLanes - 1) / kMaxTileLanes * kMaxTileLanes;
  return (lanes * K * static_cast<int64_t>(sizeof(T)) + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
}

}  // namespace

template <typename T>
size_t blocked_scratch_bytes(int64_t row_count, int64_t lane_count, int64_t K) {
  const int64_t panel = panel_bytes<T>(panel_rows<T>(row_count, lane_count, K), K);
  return static_cast<size_t>(tiles_bytes<T>(lane_count, K) + base::num_threads() * panel);
}

template <typename T>
void multiply_blocked(const BlockedProduct<T>& p, void* scratch) {
  std::byte* tiles = static_cast<std::byte*>(scratch);
  const int64_t rows = panel_rows<T>(p.row_count, p.lane_count, p.K);
  const Scratch parts{tiles, tiles + tiles_bytes<T>(p.lane_count, p.K), panel_bytes<T>(rows, p.K), rows};
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(multiply_float)(p, parts);
  } else {
    HWY_DYNAMIC_DISPATCH(multiply_double)(p, parts);
  }
}

template size_t blocked_scratch_bytes<float>(int64_t, int64_t, int64_t);
template size_t blocked_scratch_bytes<double>(int64_t, int64_t, int64_t);
template void multiply_blocked(const BlockedProduct<float>&, void*);
template void multiply_blocked(const BlockedProduct<double>&, void*);

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
