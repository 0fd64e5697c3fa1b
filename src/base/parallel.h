// CPU parallelism: one team of threads per process, used by one parallel region at a time.
//
// A region started while another thread holds the team waits for it; a region started inside a region runs on the
// calling thread alone. Libraries with OpenMP regions of their own (oneDNN) run them while they hold the team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace plimsoll::base {

// Number of threads in the team, the caller included: at least 1. From PLIMSOLL_NUM_THREADS, else one per physical or
// virtual core that the process may run on.
int num_threads();

// Sets the size of the team for regions started from now on. Values below 1 mean the default.
void set_num_threads(int threads);

// A borrowed callable `void(int64_t begin, int64_t end)`; it does not own what it refers to, so a lambda written at the
// call lives just long enough.
class RangeFunction {
 public:
  template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, RangeFunction>)
  RangeFunction(F&& f)  // NOLINT(google-explicit-constructor): the one way it is made
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, int64_t begin, int64_t end) {
          (*static_cast<std::remove_reference_t<F>*>(object))(begin, end);
        }) {}

  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int64_t);
};

// Splits [0, count) into one contiguous range per thread, none (but the last) shorter than `grain`, and runs `body` on
// each. Returns when all are done. The split depends only on count, grain and num_threads(). An exception thrown by
// `body` is rethrown here once every range has ended; of several, the one of the lowest range.
void parallel_ranges(int64_t count, int64_t grain, RangeFunction body);

template <typename F>
void parallel_for(int64_t count, int64_t grain, F&& body) {
  if (count <= 0) return;
  if (count <= grain) {
    body(int64_t{0}, count);
    return;
  }
  parallel_ranges(count, grain, RangeFunction(body));
}

// Runs body(i, i + 1) for every i in [0, count), handing indices out one by one as threads become free: for tasks of
// uneven length. Order and placement vary; results must not depend on them.
void parallel_tasks(int64_t count, RangeFunction body);

// Holds the team for a library that runs its own OpenMP regions (oneDNN), so that no other region competes with it.
class TeamLock {
 public:
  TeamLock();
  ~TeamLock();
  TeamLock(const TeamLock&) = delete;
  TeamLock& operator=(const TeamLock&) = delete;

 private:
  bool taken_;  // false when this thread already holds the team
};

}  // namespace plimsoll::base
