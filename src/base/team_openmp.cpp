#include "base/team.h"

#if !defined(PLIMSOLL_OWN_THREADS)

#include <omp.h>

namespace plimsoll::base {

void run_on_team(int threads, RangeFunction member) {
#pragma omp parallel num_threads(threads)
  member(omp_get_thread_num(), omp_get_num_threads());
}

void set_library_threads(int threads) { omp_set_num_threads(threads); }

}  // namespace plimsoll::base

#endif
