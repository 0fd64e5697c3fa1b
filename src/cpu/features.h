// Which instructions this processor has, and what the library makes of them. `devices` prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::cpu {

struct Feature {
  std::string_view name;  // "avx512", "vnni", "bfloat16 dot products", "amx tiles" ...
  bool present;           // the processor and the system offer it
  std::string_view use;   // what it is used for here, or why it is not used
};

// Every feature that some kernel asks about, present or not, in a fixed order.
std::vector<Feature> features();

// The instruction set that the Highway kernels run on: "AVX3", "AVX2", "SSE4" ...
std::string kernel_target();

// Whether bfloat16 products run on tiles or dot products of their own, so that bfloat16 panels beat float32 ones.
bool has_fast_bfloat16();

}  // namespace plimsoll::cpu
