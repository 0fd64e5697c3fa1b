// Kernels over operands of one shape that step through memory each in their own way: gpu/strided.h fills the parameters.
//
//   #include "common.glsl"
//   #include "elements.glsl"
//   layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
//   layout(constant_id = 1) const bool WIDE = true;   // the last constant: launch_strided adds it
//   #define STRIDED_OPERANDS 2
//   #include "strided.glsl"                           // declares p, the group size, and what follows
//   void main() {
//     for (uint k = 0; k < STRIDED_RUN; ++k) {
//       const uint64_t index = strided_index(k);
//       if (index >= p.count) return;
//       int64_t at[STRIDED_OPERANDS];
//       strided_locate(index, at);
//       store_float(DTYPE, p.operands[1], at[1], -load_float(DTYPE, p.operands[0], at[0]));
//     }
//   }
//
// A kernel that names the constant otherwise defines STRIDED_WIDE. It is false where every index and offset has less
// than 2^31: divisions then are multiplications.
#define STRIDED_AXES 6
#define STRIDED_GROUP 256
#define STRIDED_RUN 4  // elements an invocation
#ifndef STRIDED_WIDE
#define STRIDED_WIDE WIDE
#endif

layout(local_size_x = STRIDED_GROUP) in;

LARGE_PARAMETERS {
  uint first_group;
  uint axes;                          // at least 1
  uint64_t count;                     // elements
  uint64_t operands[STRIDED_OPERANDS];  // addresses of element [0, 0, ...]
  uint multipliers[STRIDED_AXES];     // of division by a size
  uint shifts[STRIDED_AXES];
  uint64_t sizes[STRIDED_AXES];       // of axes, outermost first
  int64_t strides[STRIDED_OPERANDS * STRIDED_AXES];  // elements; operand k's from k * STRIDED_AXES on
  uint scalars[8];                    // whatever else the kernel needs
#ifdef STRIDED_MORE
  STRIDED_MORE  // members that do not fit there
#endif
};
PARAMETER_POINTER

// The invocation's k-th element: neighbours work on neighbours.
uint64_t strided_index(uint k) {
  return uint64_t(WORKGROUP) * (STRIDED_GROUP * STRIDED_RUN) + k * STRIDED_GROUP + gl_LocalInvocationID.x;
}

void strided_locate_narrow(uint index, out int64_t at[STRIDED_OPERANDS]) {
  int offsets[STRIDED_OPERANDS];
  for (uint k = 0; k < STRIDED_OPERANDS; ++k) offsets[k] = 0;
  uint rest = index;
  for (uint axis = p.axes - 1; axis > 0; --axis) {
    uint high, low;
    umulExtended(rest, p.multipliers[axis], high, low);
    const uint quotient = (high + rest) >> p.shifts[axis];
    const int position = int(rest - quotient * uint(p.sizes[axis]));
    for (uint k = 0; k < STRIDED_OPERANDS; ++k) offsets[k] += position * int(p.strides[k * STRIDED_AXES + axis]);
    rest = quotient;
  }
  for (uint k = 0; k < STRIDED_OPERANDS; ++k) at[k] = int64_t(offsets[k] + int(rest) * int(p.strides[k * STRIDED_AXES]));
}

void strided_locate_wide(uint64_t index, out int64_t at[STRIDED_OPERANDS]) {
  for (uint k = 0; k < STRIDED_OPERANDS; ++k) at[k] = 0;
  uint64_t rest = index;
  for (uint axis = p.axes - 1; axis > 0; --axis) {
    const uint64_t quotient = rest / p.sizes[axis];
    const int64_t position = int64_t(rest - quotient * p.sizes[axis]);
    for (uint k = 0; k < STRIDED_OPERANDS; ++k) at[k] += position * p.strides[k * STRIDED_AXES + axis];
    rest = quotient;
  }
  for (uint k = 0; k < STRIDED_OPERANDS; ++k) at[k] += int64_t(rest) * p.strides[k * STRIDED_AXES];
}

// Element offsets of the index-th element, in row-major order, in each operand.
void strided_locate(uint64_t index, out int64_t at[STRIDED_OPERANDS]) {
  if (STRIDED_WIDE) {
    strided_locate_wide(index, at);
  } else {
    strided_locate_narrow(uint(index), at);
  }
}
