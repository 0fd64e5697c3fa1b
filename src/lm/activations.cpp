#include "lm/activations.h"

#include <stdexcept>
#include <string>

#include "plimsoll/device.h"

namespace plimsoll::lm {

namespace {

bool processor_multiplies_bfloat16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

}  // namespace

Dtype default_activations() {
  if (default_device() == Device::cpu && !processor_multiplies_bfloat16()) return float32;
  return bfloat16;
}

void require_activation_dtype(Dtype dtype) {
  if (dtype == float32 || dtype == bfloat16 || dtype == float16) return;
  throw std::invalid_argument("[Model] activations are float32, bfloat16 or float16, not " +
                              std::string(name_of(dtype)));
}

}  // namespace plimsoll::lm
