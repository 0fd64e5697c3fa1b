// Attention by panels of query rows (prefill). Compiled once per target.

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_ATTENTION_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_ATTENTION_PANELS_INL_H_
#undef PLIMSOLL_CPU_ATTENTION_PANELS_INL_H_
#else
#define PLIMSOLL_CPU_ATTENTION_PANELS_INL_H_
#endif

#include <algorithm>

#include "cpu/attention_rows-inl.h"
#include "cpu/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Up to kMaxVectors vectors of query rows of one key/value head, with the state of their softmax.
template <typename C>
struct Panel {
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t width = 0;     // lanes: rows, rounded up to vectors
  C* queries = nullptr;  // [dim][width], scaled
  C* sums = nullptr;     // [value_dim][width]
  C* maxima = nullptr;   // [width]
  C* totals = nullptr;   // [width]
};

// Keys and values [first, first + count) of one head.
template <typename C>
struct KeyTile {
  int64_t first = 0;
  int64_t count = 0;
  TileRows<C> keys;
  TileRows<C> values;
};

// Works on consecutive query rows of one key/value head, as many panels at a time as share a tile of keys.
template <typename C>
class PanelBlock {
 public:
  PanelBlock(const HeadRows& head, std::byte* scratch) : head_(head), problem_(*head.problem), carver_(scratch) {
    const int64_t width = kPanelBytes / static_cast<int64_t>(sizeof(C));
    scores_ = carver_.take<C>(kTileKeys * width);
    keep_ = carver_.take<C>(width);
    limits_ = carver_.take<C>(width);
    key_rows_ = carver_.take<C>(kTileKeys * problem_.dim);
    value_rows_ = carver_.take<C>(kTileKeys * problem_.value_dim);
    row_ = carver_.take<C>(problem_.value_dim);
  }

  void run(int64_t first_row, int64_t rows) {
    add_panels(first_row, rows);
    const int64_t visible = head_.visible_keys(first_row + rows - 1);
    for (int64_t first = 0; first < visible; first += kTileKeys) {
      KeyTile<C> tile{first, std::min(kTileKeys, visible - first), {}, {}};
      tile.keys = head_.keys(first, tile.count, key_rows_);
      tile.values = head_.values(first, tile.count, value_rows_);
      for (int p = 0; p < panel_count_; ++p) visit(panels_[p], tile);
    }
    for (int p = 0; p < panel_count_; ++p) finish(panels_[p]);
  }

 private:
  void add_panels(int64_t first_row, int64_t rows) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<C>()));
    for (int64_t done = 0; done < rows; done += kMaxVectors * lanes) {
      Panel<C>& panel = panels_[panel_count_++];
      panel.first_row = first_row + done;
      panel.rows = std::min(rows - done, kMaxVectors * lanes);
      panel.width = (panel.rows + lanes - 1) / lanes * lanes;
      panel.queries = carver_.take<C>(problem_.dim * panel.width);
      panel.sums = carver_.take<C>(problem_.value_dim * panel.width);
      panel.maxima = carver_.take<C>(panel.width);
      panel.totals = carver_.take<C>(panel.width);
      std::fill_n(panel.sums, problem_.value_dim * panel.width, C{0});
      std::fill_n(panel.maxima, panel.width, kNoScore<C>);
      std::fill_n(panel.totals, panel.width, C{0});
      load_queries(panel);
    }
  }

  void load_queries(const Panel<C>& panel) {
    for (int64_t lane = 0; lane < panel.width; ++lane) {
      if (lane < panel.rows) {
        head_.query(panel.first_row + lane, panel.queries + lane, panel.width);
      } else {
        for (int64_t c = 0; c < problem_.dim; ++c) panel.queries[c * panel.width + lane] = 0;
      }
    }
  }

  void visit(Panel<C>& panel, const KeyTile<C>& tile) {
    if (head_.visible_keys(panel.first_row + panel.rows - 1) <= tile.first) return;
    switch (panel.width / static_cast<int64_t>(hn::Lanes(Lanes<C>()))) {
      case 1:
        return visit_vectors<1>(panel, tile);
      case 2:
        return visit_vectors<2>(panel, tile);
      default:
        return visit_vectors<3>(panel, tile);
    }
  }

  template <int kVectors>
  void visit_vectors(Panel<C>& panel, const KeyTile<C>& tile) {
    score_tile<kVectors>(tile.keys.data, tile.keys.stride, tile.count, panel.queries, problem_.dim, scores_);
    mask(panel, tile);
    for (int64_t lane = 0; lane < panel.width; lane += panel.width / kVectors) {
      soften_rows(scores_ + lane, panel.width, tile.count, panel.maxima + lane, panel.totals + lane, keep_ + lane);
    }
    value_tile<kVectors>(tile.values.data, tile.values.stride, tile.count, scores_, problem_.value_dim, keep_,
                         panel.sums);
  }

  void mask(const Panel<C>& panel, const KeyTile<C>& tile) {
    if (problem_.mask.data) {
      for (int64_t lane = 0; lane < panel.rows; ++lane) {
        head_.mask(panel.first_row + lane, tile.first, tile.count, scores_ + lane, panel.width);
      }
    }
    if (head_.visible_keys(panel.first_row) >= tile.first + tile.count) return;
    for (int64_t lane = 0; lane < panel.width; ++lane) {
      const int64_t row = panel.first_row + std::min(lane, panel.rows - 1);
      const int64_t limit = head_.visible_keys(row) - 1 - tile.first;
      limits_[lane] = static_cast<C>(std::clamp<int64_t>(limit, -1, kTileKeys));
    }
    const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<C>()));
    for (int64_t lane = 0; lane < panel.width; lane += lanes) {
      hide_rows(scores_ + lane, panel.width, tile.count, limits_ + lane);
    }
  }

  void finish(const Panel<C>& panel) {
    for (int64_t lane = 0; lane < panel.rows; ++lane) {
      for (int64_t c = 0; c < problem_.value_dim; ++c) row_[c] = panel.sums[c * panel.width + lane];
      head_.write(panel.first_row + lane, row_, panel.totals[lane]);
    }
  }

  HeadRows head_;
  const Attention& problem_;
  Carver carver_;
  C* scores_;  // [kTileKeys][width], of one panel at a time
  C* keep_;
  C* limits_;
  C* key_rows_;
  C* value_rows_;
  C* row_;
  Panel<C> panels_[kMaxPanels];
  int panel_count_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // toggle
