#include "base/team.h"

#if !defined(PLIMSOLL_OWN_THREADS)
#include <omp.h>
#endif

namespace plimsoll::base {

void set_library_threads([[maybe_unused]] int threads) {
#if !defined(PLIMSOLL_OWN_THREADS)
  omp_set_num_threads(threads);
#endif
}

}  // namespace plimsoll::base
