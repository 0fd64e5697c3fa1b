// Rows along one axis and the axes around it: gpu/row_blocks.h fills them in.
//
//   #define ROW_OPERANDS 2
//   #include "rows.glsl"
//   PARAMETERS { uint first_group; ... RowAxes axes; } p;
//   int64_t at[ROW_OPERANDS];
//   locate_row(p.axes, row, at);     // elements from each operand's first row
//
// Include after common.glsl.
#define ROW_AXES 3

struct RowAxes {
  uint64_t sizes[ROW_AXES - 1];  // of all but the outermost; 1 where there is none
  int64_t strides[ROW_OPERANDS * ROW_AXES];
};

// n / d, which is cheap for what fits 32 bits.
uint64_t row_quotient(uint64_t n, uint64_t d) {
  return ((n | d) >> 32) == 0 ? uint64_t(uint(n) / uint(d)) : n / d;
}

void locate_row(RowAxes axes, uint64_t row, out int64_t at[ROW_OPERANDS]) {
  [[unroll]] for (uint k = 0; k < ROW_OPERANDS; ++k) at[k] = 0;
  uint64_t rest = row;
  [[unroll]] for (uint axis = ROW_AXES - 1; axis > 0; --axis) {
    const uint64_t size = axes.sizes[axis - 1];
    if (size == 1) continue;
    const uint64_t quotient = row_quotient(rest, size);
    const int64_t position = int64_t(rest - quotient * size);
    [[unroll]] for (uint k = 0; k < ROW_OPERANDS; ++k) at[k] += position * axes.strides[k * ROW_AXES + axis];
    rest = quotient;
  }
  [[unroll]] for (uint k = 0; k < ROW_OPERANDS; ++k) at[k] += int64_t(rest) * axes.strides[k * ROW_AXES];
}
