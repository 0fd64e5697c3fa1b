// Whether the calling thread is inside a transform. Marks on arrays (array::is_tracer) mean something only then, so
// that what a transform leaves behind is ordinary.
#pragma once

namespace plimsoll::tracing {

class Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

bool is_active();

}  // namespace plimsoll::tracing
