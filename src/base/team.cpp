// Own threads, because of how they wait: a language model's step opens hundreds of regions a few microseconds apart, so
// members spin for the next one, but only for a few times what going to sleep and waking costs. OpenMP's spin far
// longer, and on a machine with other work to do they then hold up the very threads that they wait for.
#include "base/team.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace plimsoll::base {
namespace {

constexpr int kSpins = 6000;  // about 0.3 ms

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits until the value is no longer `old`: first awake, then asleep.
uint32_t wait_for_change(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    const uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

// One member besides the caller. Its thread lives as long as the process.
class Worker {
 public:
  // Starts member(index, members). The worker must be idle.
  void start(const RangeFunction& member, int index, int members, std::atomic<uint32_t>& unfinished) {
    member_ = &member;
    index_ = index;
    members_ = members;
    unfinished_ = &unfinished;
    if (!started_) {
      started_ = true;
      std::thread([this] { work(); }).detach();
    }
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_one();
  }

 private:
  [[noreturn]] void work() {
    for (uint32_t round = 0;;) {
      round = wait_for_change(round_, round);
      (*member_)(index_, members_);
      std::atomic<uint32_t>& unfinished = *unfinished_;
      // Idle from here on: the next region may already be writing to this worker.
      if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished.notify_one();
    }
  }

  alignas(64) std::atomic<uint32_t> round_{0};
  // Written while idle, before `round_`; read after it.
  const RangeFunction* member_ = nullptr;
  int index_ = 0;
  int members_ = 0;
  std::atomic<uint32_t>* unfinished_ = nullptr;
  bool started_ = false;
};

struct Team {
  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<uint32_t> unfinished{0};  // of the region that runs
};

// Never destroyed: workers wait in it until the process ends.
Team& team() {
  static Team* const made = new Team;
  return *made;
}

}  // namespace

void run_on_team(int threads, RangeFunction member) {
  Team& t = team();
  const auto others = static_cast<size_t>(threads - 1);
  while (t.workers.size() < others) t.workers.push_back(std::make_unique<Worker>());
  t.unfinished.store(static_cast<uint32_t>(others), std::memory_order_relaxed);
  for (size_t i = 0; i < others; ++i) t.workers[i]->start(member, static_cast<int>(i) + 1, threads, t.unfinished);
  member(0, threads);
  for (uint32_t left = t.unfinished.load(std::memory_order_acquire); left != 0;) {
    left = wait_for_change(t.unfinished, left);
  }
}

}  // namespace plimsoll::base
