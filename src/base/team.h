// The team of threads behind parallel.h: OpenMP's, or the project's own under PLIMSOLL_OWN_THREADS.
#pragma once

#include "base/parallel.h"

namespace plimsoll::base {

// Calls member(index, members) once for every index in [0, members), on `members` threads, the caller among them.
// `members` is at most `threads`: the system may grant fewer. `member` must not throw. Only one call at a time.
void run_on_team(int threads, RangeFunction member);

// Tells libraries that open their own regions from this thread how many threads to use.
void set_library_threads(int threads);

}  // namespace plimsoll::base
