// The team of threads behind parallel.h, and what OpenMP's team of libraries is told.
#pragma once

#include "base/parallel.h"

namespace plimsoll::base {

// Calls member(index, members) once for every index in [0, threads), each on a thread of its own, the caller being
// member 0. `member` must not throw. Only one call at a time.
void run_on_team(int threads, RangeFunction member);

// Tells libraries that open OpenMP regions of their own from this thread how many threads to use.
void set_library_threads(int threads);

}  // namespace plimsoll::base
