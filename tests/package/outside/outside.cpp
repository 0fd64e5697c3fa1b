// A program that knows only the installed package: exits 0 when arrays work in it.
#include <plimsoll/plimsoll.h>

#include <iostream>

int main() {
  namespace pl = plimsoll;
  pl::array x = pl::array({1.0F, 2.0F, 3.0F, 4.0F}, {2, 2});
  pl::array y = pl::sum(pl::matmul(x, x));
  const auto value = y.item<float>();
  std::cout << "sum(x @ x) = " << value << '\n';
  return value == 54.0F ? 0 : 1;
}
