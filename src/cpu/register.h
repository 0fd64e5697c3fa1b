// One function per kernel family; each enters the family's primitives into the table.
#pragma once

#include "cpu/table.h"

namespace plimsoll::cpu {

void register_views(Table& table);

}  // namespace plimsoll::cpu
