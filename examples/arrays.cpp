// Lazy arrays: operations describe, `eval` and printing compute. Views share memory.
#include <plimsoll/plimsoll.h>

#include <iostream>

namespace pl = plimsoll;

int main() {
  const pl::array a = pl::reshape(pl::arange(0.0, 12.0, 1.0, pl::float32), {3, 4});
  const pl::array columns = pl::slice(pl::transpose(a), {1, 0}, {3, 3});  // a view: nothing is copied
  const pl::array product = pl::matmul(columns, a);                       // [2, 4], not computed yet

  std::cout << "a =\n"
            << a << "\ncolumns 1 and 2, transposed =\n"
            << columns << "\ntheir product with a =\n"
            << product;
  std::cout << "\nrow softmax =\n" << pl::softmax(product, -1) << '\n';
  return 0;
}
