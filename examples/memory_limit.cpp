// A limit refuses before anything is allocated; the program goes on with what it has.
#include <plimsoll/plimsoll.h>

#include <iostream>

namespace pl = plimsoll;

int main() {
  constexpr size_t kMiB = size_t{1} << 20;
  pl::set_memory_limit(64 * kMiB);

  const pl::array small = pl::ones({1024, 1024});  // 4 MiB
  pl::eval(small);
  try {
    pl::eval(pl::ones({8192, 8192}));  // 256 MiB
    std::cout << "the limit did not hold\n";
    return 1;
  } catch (const pl::OutOfMemory& refusal) {
    std::cout << refusal.what() << "\n\n";
  }

  std::cout << "still here: sum = " << pl::sum(small).item<float>() << ", active " << pl::get_active_memory()
            << " bytes, peak " << pl::get_peak_memory() << " bytes\n";
  return pl::get_peak_memory() <= 64 * kMiB ? 0 : 1;
}
