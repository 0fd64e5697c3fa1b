// The ways to run attention.
#pragma once

#include <cstddef>

#include "gpu/families/attention_problem.h"

namespace plimsoll::gpu::attention {

// Few query rows against parts of the keys, then a pass that joins the parts. Takes any operand.
void launch_rows(const Problem& p, Task& task);
size_t rows_scratch_bytes(const Problem& p, const hal::DeviceInfo& device);

// Many queries, tile by tile, with products in float32. Whether it takes a problem depends on shapes alone.
bool tiles_take(const Problem& p, const hal::DeviceInfo& device);
void launch_tiles(const Problem& p, Task& task);

// Many queries of float16 or bfloat16 on cooperative matrices. Whether it takes a problem depends on addresses too.
bool matrix_takes(const Problem& p, const hal::DeviceInfo& device);
void launch_matrix(const Problem& p, Task& task);

}  // namespace plimsoll::gpu::attention
