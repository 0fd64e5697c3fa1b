#include "base/team.h"

#if defined(PLIMSOLL_OWN_THREADS)

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace plimsoll::base {
namespace {

// Sleeping workers that wake for each round. Members 1.. run on workers, member 0 on the thread that calls run().
class Team {
 public:
  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(int threads, RangeFunction member) {
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(workers_.size()) < threads - 1) add_worker();
      member_ = &member;
      members_ = threads;
      running_ = threads - 1;
      ++round_;
    }
    wake_.notify_all();
    member(0, threads);
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  // Requires mutex_. A new worker takes part from the next round on.
  void add_worker() {
    const int index = static_cast<int>(workers_.size()) + 1;
    workers_.emplace_back([this, index, seen = round_]() mutable { work(index, seen); });
  }

  void work(int index, uint64_t seen) {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      if (index >= members_) continue;
      const RangeFunction member = *member_;
      const int members = members_;
      lock.unlock();
      member(index, members);
      lock.lock();
      if (--running_ == 0) idle_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::vector<std::thread> workers_;
  const RangeFunction* member_ = nullptr;
  int members_ = 0;
  int running_ = 0;     // workers that have not finished this round
  uint64_t round_ = 0;  // counts calls of run()
  bool stopping_ = false;
};

}  // namespace

void run_on_team(int threads, RangeFunction member) {
  static Team team;
  team.run(threads, member);
}

void set_library_threads(int) {}

}  // namespace plimsoll::base

#endif
