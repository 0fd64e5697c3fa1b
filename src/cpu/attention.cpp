#include "cpu/attention.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "cpu/attention_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/attention.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "cpu/attention_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {

// Query rows [first, first + count) of one key/value head.
template <typename C>
void run_rows(const Attention& problem, int64_t head, int64_t first, int64_t count, std::byte* scratch) {
  const int64_t group = problem.query_heads / problem.kv_heads;
  const HeadRows rows{&problem, head / problem.kv_heads, head % problem.kv_heads, group};
  PanelBlock<C>(rows, scratch).run(first, count);
}

void panel_rows(const Attention& problem, int64_t head, int64_t first, int64_t count, std::byte* scratch) {
  if (problem.dtype == float64) return run_rows<double>(problem, head, first, count, scratch);
  run_rows<float>(problem, head, first, count, scratch);
}

// Rows of a full panel.
int64_t panel_width(bool wide) {
  return kMaxVectors * static_cast<int64_t>(wide ? hn::Lanes(Lanes<double>()) : hn::Lanes(Lanes<float>()));
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {
namespace {

HWY_EXPORT(panel_rows);
HWY_EXPORT(panel_width);

size_t compute_size(const Attention& problem) { return problem.dtype == float64 ? sizeof(double) : sizeof(float); }

// Scratch of one worker of the panel path.
size_t panel_worker_bytes(const Attention& problem) {
  const auto dims = static_cast<size_t>(problem.dim + problem.value_dim);
  const size_t size = compute_size(problem);
  const size_t panel = (dims + 2) * kPanelBytes + 4 * kAlignment;
  const size_t tiles = kTileKeys * dims * size + static_cast<size_t>(problem.value_dim) * size;
  return aligned_bytes(kMaxPanels * panel + (kTileKeys + 2) * kPanelBytes + tiles + 8 * kAlignment);
}

// Runs task(index, worker) for every index, on as many workers as the scratch has room for.
template <typename F>
void run_tasks(int64_t tasks, std::span<std::byte> scratch, size_t worker_bytes, F task) {
  const auto workers = std::min<int64_t>(tasks, static_cast<int64_t>(scratch.size() / worker_bytes));
  std::atomic<int64_t> next{0};
  base::parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) {
      std::byte* own = scratch.data() + static_cast<size_t>(worker) * worker_bytes;
      for (int64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) task(index, own);
    }
  });
}

void run_panels(const Attention& problem, std::span<std::byte> scratch) {
  const int64_t heads = problem.batch * problem.kv_heads;
  const int64_t rows = problem.queries * (problem.query_heads / problem.kv_heads);
  const int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)(problem.dtype == float64);
  const int64_t panels = (rows + width - 1) / width;
  // Enough tasks to keep every thread busy to the end; a row's result does not depend on the cut.
  const int64_t per_task = std::clamp<int64_t>(heads * panels / (4 * base::num_threads()), 1, kMaxPanels);
  const int64_t blocks = (panels + per_task - 1) / per_task;
  run_tasks(heads * blocks, scratch, panel_worker_bytes(problem), [&](int64_t index, std::byte* own) {
    // Last rows first: under a causal mask they see the most keys.
    const int64_t first = (blocks - 1 - index / heads) * per_task * width;
    const int64_t count = std::min(per_task * width, rows - first);
    HWY_DYNAMIC_DISPATCH(panel_rows)(problem, index % heads, first, count, own);
  });
}

}  // namespace

size_t attention_scratch_bytes(const Attention& problem) {
  return panel_worker_bytes(problem) * static_cast<size_t>(base::num_threads());
}

void attention(const Attention& problem, std::span<std::byte> scratch) {
  if (problem.batch * problem.query_heads * problem.queries * problem.value_dim == 0) return;
  run_panels(problem, scratch);
}

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
