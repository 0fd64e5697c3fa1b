// The dispatches of one operation, staged before any is recorded.
//
// Evaluators state everything here; only then does the encoder ask the time budget, so that an operation that cannot be
// cut small enough is refused before anything of it is sent. Storage is kept from one operation to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/dispatch.h"

namespace plimsoll::gpu {

class LaunchPlan {
 public:
  struct Step {
    const hal::Kernel* kernel;
    uint64_t groups;
    hal::Cost cost;
    size_t parameters_begin, parameters_bytes;
    size_t accesses_begin, accesses_count;
  };

  // `label`: the primitive's name, of static lifetime.
  void begin(const char* label);

  // Adds a dispatch. The first uint32 of `parameters` is the first workgroup; the encoder writes it.
  void add(const hal::Kernel& kernel, std::span<const std::byte> parameters, uint64_t groups,
           std::span<const hal::Access> accesses, hal::Cost cost);

  const char* label() const { return label_; }
  const std::vector<Step>& steps() const { return steps_; }
  std::span<std::byte> parameters(const Step& step) {
    return {bytes_.data() + step.parameters_begin, step.parameters_bytes};
  }
  std::span<const hal::Access> accesses(const Step& step) const {
    return {accesses_.data() + step.accesses_begin, step.accesses_count};
  }

 private:
  const char* label_ = "";
  std::vector<Step> steps_;
  std::vector<std::byte> bytes_;
  std::vector<hal::Access> accesses_;
};

}  // namespace plimsoll::gpu
