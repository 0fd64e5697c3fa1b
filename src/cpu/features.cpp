#include "cpu/features.h"

#include "hwy/highway.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plimsoll::cpu {
namespace {

struct Instructions {
  bool avx2 = false;
  bool avx512 = false;
  bool vnni = false;
  bool bfloat16 = false;
  bool amx_bfloat16 = false;
};

#if defined(__x86_64__)

// The state components that the system saves: bits 17 and 18 are the tile registers.
uint64_t saved_state() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

Instructions probe() {
  Instructions found;
  __builtin_cpu_init();
  found.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  found.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  found.vnni = found.avx512 && __builtin_cpu_supports("avx512vnni");
  uint32_t eax, ebx, ecx, edx;
  if (found.avx512 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) found.bfloat16 = (eax >> 5 & 1) != 0;
  if (found.avx512 && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    const bool tiles = (edx >> 24 & 1) != 0 && (edx >> 22 & 1) != 0;
    found.amx_bfloat16 = tiles && (saved_state() >> 17 & 3) == 3;
  }
  return found;
}

#else

Instructions probe() { return {}; }

#endif

const Instructions& instructions() {
  static const Instructions found = probe();
  return found;
}

}  // namespace

std::vector<Feature> features() {
  const Instructions& cpu = instructions();
  return {
      {"avx2", cpu.avx2, "float kernels, 8 lanes"},
      {"avx512", cpu.avx512, "float kernels, 16 lanes; 4-bit weights by table lookup in registers"},
      {"avx512_vnni", cpu.vnni, "not used: products never take inputs narrower than the activations"},
      {"avx512_bf16", cpu.bfloat16, "bfloat16 products with many rows"},
      {"amx_bf16", cpu.amx_bfloat16, "bfloat16 products with many rows"},
  };
}

std::string kernel_target() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;  // of those compiled, the lowest bit is the best
  return hwy::TargetName(usable & -usable);
}

bool has_fast_bfloat16() { return instructions().bfloat16 || instructions().amx_bfloat16; }

}  // namespace plimsoll::cpu
