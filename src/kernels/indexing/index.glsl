// Positions that an array of integers names along an axis: negative ones count from the end. There is no way back to
// the host for an error: reads take an index that is out of range for the nearest that is not, writes skip it.
//
// Include after elements.glsl.

#define NO_PLACE int64_t(0x8000000000000000ul)  // in arrays of offsets: an index was out of range

struct Axis {
  int64_t size;
  int64_t room;    // the largest position from which the elements wanted exist
  int64_t stride;  // in whatever unit
  uint dtype;      // of the indices
  uint unused;
};

// Makes `index` a position that exists; whether it named one.
bool resolve_index(Axis axis, inout int64_t index) {
  const int64_t wanted = index + (index < 0 ? axis.size : 0);
  index = wanted < 0 ? 0 : (wanted > axis.room ? axis.room : wanted);
  return index == wanted;
}
