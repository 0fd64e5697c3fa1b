#include "graph/tracing.h"

namespace plimsoll::tracing {
namespace {

thread_local int depth = 0;

}  // namespace

Scope::Scope() { ++depth; }
Scope::~Scope() { --depth; }
bool is_active() { return depth > 0; }

}  // namespace plimsoll::tracing
