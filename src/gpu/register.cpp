#include "gpu/register.h"

namespace plimsoll::gpu {

void register_all(Table& table) {
  register_arg_reduce(table);
  register_attention(table);
  register_binary(table);
  register_concatenate(table);
  register_convert(table);
  register_indexing(table);
  register_matmul(table);
  register_norm(table);
  register_quantized(table);
  register_random(table);
  register_reduce(table);
  register_rope(table);
  register_scan(table);
  register_slice(table);
  register_softmax(table);
  register_sort(table);
  register_unary(table);
  register_views(table);
}

}  // namespace plimsoll::gpu
