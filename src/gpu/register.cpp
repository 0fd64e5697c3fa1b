#include "gpu/register.h"

namespace plimsoll::gpu {

void register_all(Table&) {}

}  // namespace plimsoll::gpu
