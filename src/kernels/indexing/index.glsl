// Positions that an array of integers names along one axis: negative ones count from the end.

// Stands in a parameter block; gpu/families/index.h fills it.
struct Index {
  uint64_t values;
  int64_t step;    // elements from one index to the next
  int64_t size;    // of the axis
  int64_t room;    // the largest position from which the elements taken exist
  int64_t stride;  // of the axis, in whatever unit
  uint dtype;
  uint is_offset;  // 1: the array, int64, holds the offsets themselves
};

// How far along its axis the i-th index points. There is no way back to the host for an error: one that is out of range
// is taken for the nearest that is not.
int64_t index_offset(Index index, int64_t i) {
  int64_t at = load_long(index.dtype, index.values, i * index.step);
  if (index.is_offset != 0) return at;
  at += at < 0 ? index.size : 0;
  at = at < 0 ? 0 : (at > index.room ? index.room : at);
  return at * index.stride;
}
