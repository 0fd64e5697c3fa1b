#include "cpu/register.h"

namespace plimsoll::cpu {

void register_all(Table& table) {
  register_views(table);
}

}  // namespace plimsoll::cpu
