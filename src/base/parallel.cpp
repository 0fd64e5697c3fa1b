// One mutex stands for the team; what a thread is to the team decides how a region that it starts runs.
#include "base/parallel.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/env.h"
#include "base/team.h"

namespace plimsoll::base {
namespace {

enum class Standing {
  kOutside,  // a region must first take the team
  kHolder,   // holds a TeamLock: regions use the team at once
  kMember,   // runs a part of a region: nested regions run on this thread alone
};

thread_local Standing standing = Standing::kOutside;
std::mutex team_mutex;
std::atomic<int> chosen_threads{0};  // 0: the default

class StandingScope {
 public:
  explicit StandingScope(Standing now) : before_(standing) { standing = now; }
  ~StandingScope() { standing = before_; }
  StandingScope(const StandingScope&) = delete;
  StandingScope& operator=(const StandingScope&) = delete;

 private:
  Standing before_;
};

// Keeps the exception of the lowest index among those caught.
class FirstError {
 public:
  void catch_current(int64_t index) noexcept {
    const std::lock_guard lock(mutex_);
    if (index >= index_) return;
    index_ = index;
    error_ = std::current_exception();
  }

  // Requires that every part has ended.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  int64_t index_ = std::numeric_limits<int64_t>::max();
  std::exception_ptr error_;
};

// Runs member(index, members) on up to `threads` threads of the team, or on this thread alone inside a region.
void run_region(int threads, RangeFunction member) {
  const auto as_member = [&](int64_t index, int64_t members) {
    const StandingScope scope(Standing::kMember);
    member(index, members);
  };
  if (threads <= 1 || standing == Standing::kMember) {
    member(0, 1);
    return;
  }
  const TeamLock team;
  run_on_team(threads, as_member);
}

// Cores that the process may run on, which a container or taskset narrows; the machine's where that cannot be told.
int usable_cores() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int default_threads() {
  static const int threads = [] {
    const auto wanted = env_int("PLIMSOLL_NUM_THREADS", 1, 4096);
    return wanted ? static_cast<int>(*wanted) : usable_cores();
  }();
  return threads;
}

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

int num_threads() {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : default_threads();
}

void set_num_threads(int threads) { chosen_threads.store(std::max(threads, 0), std::memory_order_relaxed); }

void parallel_ranges(int64_t count, int64_t grain, RangeFunction body) {
  if (count <= 0) return;
  const int64_t length = std::max({int64_t{1}, grain, divide_up(count, num_threads())});
  const int64_t parts = divide_up(count, length);
  FirstError error;
  run_region(static_cast<int>(parts), [&](int64_t index, int64_t members) {
    for (int64_t part = index; part < parts; part += members) {
      try {
        body(part * length, std::min(count, (part + 1) * length));
      } catch (...) {
        error.catch_current(part);
      }
    }
  });
  error.rethrow();
}

void parallel_tasks(int64_t count, RangeFunction body) {
  if (count <= 0) return;
  std::atomic<int64_t> next{0};
  FirstError error;
  run_region(static_cast<int>(std::min<int64_t>(count, num_threads())), [&](int64_t, int64_t) {
    for (int64_t task = next++; task < count; task = next++) {
      try {
        body(task, task + 1);
      } catch (...) {
        error.catch_current(task);
      }
    }
  });
  error.rethrow();
}

TeamLock::TeamLock() : taken_(standing == Standing::kOutside) {
  if (!taken_) return;
  team_mutex.lock();
  standing = Standing::kHolder;
  set_library_threads(num_threads());
}

TeamLock::~TeamLock() {
  if (!taken_) return;
  standing = Standing::kOutside;
  team_mutex.unlock();
}

}  // namespace plimsoll::base
