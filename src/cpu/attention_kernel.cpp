#include "cpu/attention_kernel.h"

#include <algorithm>

#include "base/parallel.h"
#include "cpu/attention_plan.h"
#include "cpu/last_axis.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/attention_kernel.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "cpu/attention_few-inl.h"
#include "cpu/attention_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {

HeadRows head_rows(const Attention& problem, int64_t head) {
  return {&problem, head / problem.kv_heads, head % problem.kv_heads, problem.query_heads / problem.kv_heads};
}

// Query rows [first, first + count) of one key/value head.
void panel_rows(const Attention& problem, int64_t head, int64_t first, int64_t count, std::byte* scratch) {
  const HeadRows rows = head_rows(problem, head);
  if (problem.dtype == float64) return PanelBlock<double>(rows, scratch).run(first, count);
  PanelBlock<float>(rows, scratch).run(first, count);
}

// Rows of a full panel.
int64_t panel_width(bool wide) {
  return kMaxVectors * static_cast<int64_t>(wide ? hn::Lanes(Lanes<double>()) : hn::Lanes(Lanes<float>()));
}

// All query rows of one head against part `part` of `parts`; the state goes to `store`.
template <typename C>
void few_rows_of(const Attention& problem, int64_t head, int64_t part, int64_t parts, std::byte* store,
                 std::byte* scratch) {
  const auto out = PartialStore<C>(problem, store).part(head * parts + part);
  dispatch_rows<C>(problem.dtype, [&](auto element) {
    FewRows<C, decltype(element)>(head_rows(problem, head), scratch).run(part * kPartKeys, kPartKeys, out);
  });
}

void few_rows(const Attention& problem, int64_t head, int64_t part, int64_t parts, std::byte* store,
              std::byte* scratch) {
  if (problem.dtype == float64) return few_rows_of<double>(problem, head, part, parts, store, scratch);
  few_rows_of<float>(problem, head, part, parts, store, scratch);
}

// Joins the parts of one head, in order, into the first, and writes the output.
template <typename C>
void join_parts_of(const Attention& problem, int64_t head, int64_t parts, std::byte* store) {
  const PartialStore<C> states(problem, store);
  const HeadRows rows = head_rows(problem, head);
  const PartialRows<C> all = states.part(head * parts);
  for (int64_t row = 0; row < rows.row_count(); ++row) {
    C* sums = all.sums + row * all.stride;
    for (int64_t part = 1; part < parts; ++part) {
      const PartialRows<C> next = states.part(head * parts + part);
      join_row(sums, next.sums + row * next.stride, problem.value_dim, all.maxima[row], next.maxima[row],
               all.totals[row], next.totals[row]);
    }
    rows.write(row, sums, all.totals[row]);
  }
}

void join_parts(const Attention& problem, int64_t head, int64_t parts, std::byte* store) {
  if (problem.dtype == float64) return join_parts_of<double>(problem, head, parts, store);
  join_parts_of<float>(problem, head, parts, store);
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {
namespace {

HWY_EXPORT(panel_rows);
HWY_EXPORT(panel_width);
HWY_EXPORT(few_rows);
HWY_EXPORT(join_parts);

size_t compute_size(const Attention& problem) { return problem.dtype == float64 ? sizeof(double) : sizeof(float); }

// Scratch of one worker of the panel path.
size_t panel_worker_bytes(const Attention& problem) {
  const auto dims = static_cast<size_t>(problem.dim + problem.value_dim);
  const size_t size = compute_size(problem);
  const size_t panel = (dims + 2) * kPanelBytes + 4 * kAlignment;
  const size_t tiles = kTileKeys * dims * size + static_cast<size_t>(problem.value_dim) * size;
  return aligned_bytes(kMaxPanels * panel + (kTileKeys + 2) * kPanelBytes + tiles + 8 * kAlignment);
}

// Scratch of one worker of the path for few rows.
size_t few_worker_bytes(const Attention& problem) {
  return aligned_bytes(kFewRows * compute_size(problem) * static_cast<size_t>(problem.dim + kTileKeys)) +
         2 * kAlignment;
}

bool is_empty(const Attention& p) { return p.batch * p.query_heads * p.queries * p.value_dim == 0; }

int64_t part_count(const Attention& problem) {
  return std::max<int64_t>(1, (problem.keys + kPartKeys - 1) / kPartKeys);
}

size_t store_bytes(const Attention& problem) {
  const size_t part = problem.dtype == float64 ? PartialStore<double>(problem, nullptr).part_bytes()
                                               : PartialStore<float>(problem, nullptr).part_bytes();
  return part * static_cast<size_t>(part_count(problem) * problem.batch * problem.kv_heads);
}

// Multiplications below which a second thread costs more than it saves.
constexpr int64_t kWorkOfThread = 1 << 17;

int64_t worker_limit(const Attention& p) {
  const int64_t work = p.batch * p.query_heads * p.queries * p.keys * (p.dim + p.value_dim);
  return std::max<int64_t>(1, work / kWorkOfThread);
}

int64_t workers_in(std::span<std::byte> scratch, size_t worker_bytes, const Attention& problem) {
  return std::min(static_cast<int64_t>(scratch.size() / worker_bytes), worker_limit(problem));
}

void run_panels(const Attention& problem, std::span<std::byte> scratch) {
  const int64_t heads = problem.batch * problem.kv_heads;
  const int64_t rows = problem.queries * (problem.query_heads / problem.kv_heads);
  const int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)(problem.dtype == float64);
  const int64_t panels = (rows + width - 1) / width;
  // Enough tasks to keep every thread busy to the end; a row's result does not depend on the cut.
  const int64_t per_task = std::clamp<int64_t>(heads * panels / (4 * base::num_threads()), 1, kMaxPanels);
  const int64_t blocks = (panels + per_task - 1) / per_task;
  const size_t worker_bytes = panel_worker_bytes(problem);
  const int64_t workers = workers_in(scratch, worker_bytes, problem);
  run_on_workers(heads * blocks, workers, scratch.data(), worker_bytes, [&](int64_t index, std::byte* own) {
    // Last rows first: under a causal mask they see the most keys.
    const int64_t first = (blocks - 1 - index / heads) * per_task * width;
    const int64_t count = std::min(per_task * width, rows - first);
    HWY_DYNAMIC_DISPATCH(panel_rows)(problem, index % heads, first, count, own);
  });
}

void run_few_rows(const Attention& problem, std::span<std::byte> scratch) {
  const int64_t heads = problem.batch * problem.kv_heads;
  const int64_t parts = part_count(problem);
  std::byte* store = scratch.data();
  const auto rest = scratch.subspan(store_bytes(problem));
  const size_t worker_bytes = few_worker_bytes(problem);
  const int64_t workers = workers_in(rest, worker_bytes, problem);
  run_on_workers(heads * parts, workers, rest.data(), worker_bytes, [&](int64_t index, std::byte* own) {
    // All heads of a part in turn: in a cache they lie side by side.
    HWY_DYNAMIC_DISPATCH(few_rows)(problem, index % heads, index / heads, parts, store, own);
  });
  for (int64_t head = 0; head < heads; ++head) HWY_DYNAMIC_DISPATCH(join_parts)(problem, head, parts, store);
}

}  // namespace

size_t attention_scratch_bytes(const Attention& problem) {
  if (is_empty(problem)) return 0;
  const auto threads = static_cast<size_t>(base::num_threads());
  if (has_few_rows(problem)) return store_bytes(problem) + few_worker_bytes(problem) * threads;
  return panel_worker_bytes(problem) * threads;
}

void attention(const Attention& problem, std::span<std::byte> scratch) {
  if (is_empty(problem)) return;
  if (has_few_rows(problem)) return run_few_rows(problem, scratch);
  run_panels(problem, scratch);
}

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
