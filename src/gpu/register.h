// One function per kernel family; each enters the family's primitives into the table.
#pragma once

#include "gpu/table.h"

namespace plimsoll::gpu {

void register_arg_reduce(Table& table);
void register_attention(Table& table);
void register_binary(Table& table);
void register_concatenate(Table& table);
void register_convert(Table& table);
void register_indexing(Table& table);
void register_matmul(Table& table);
void register_norm(Table& table);
void register_quantized(Table& table);
void register_random(Table& table);
void register_reduce(Table& table);
void register_rope(Table& table);
void register_scan(Table& table);
void register_slice(Table& table);
void register_softmax(Table& table);
void register_sort(Table& table);
void register_unary(Table& table);
void register_views(Table& table);

}  // namespace plimsoll::gpu
