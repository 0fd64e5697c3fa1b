// Runs tests on every compiled Highway target that the processor has, in turn.
#pragma once

#include <cstdint>

#include "gtest/gtest.h"
#include "hwy/highway.h"

namespace plimsoll::cpu {

// Calls body() once for each target, with dynamic dispatch forced to it, and restores the best one. Failures name the
// target.
template <typename F>
void for_each_target(F body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace plimsoll::cpu
