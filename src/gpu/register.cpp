#include "gpu/register.h"

namespace plimsoll::gpu {

void register_all(Table& table) { register_matmul(table); }

}  // namespace plimsoll::gpu
