// What every kernel starts with: the language features that the project requires of a device, the parameter block and
// the workgroup index (src/hal/kernel.h says how kernels are called).
//
//   PARAMETERS { uint first_group; uint count; uint64_t a; uint64_t out_; } p;       up to 128 bytes
//   LARGE_PARAMETERS { uint first_group; uint count; uint64_t shape[10]; ... };      more than 128 bytes; also named p
//   PARAMETER_POINTER
//
// Members are uint, int, float, uint64_t, int64_t, double and arrays of them, laid out as in C++.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define PARAMETERS layout(push_constant, std430) uniform Parameters
#define LARGE_PARAMETERS layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ParameterBlock
#define PARAMETER_POINTER layout(push_constant) uniform ParameterPointer { ParameterBlock p; };

// The index of this workgroup in the whole dispatch, before any cut.
#define WORKGROUP (p.first_group + gl_WorkGroupID.x)

// Dtypes, as gpu::dtype_code gives them.
#define DTYPE_BOOL 0
#define DTYPE_UINT8 1
#define DTYPE_UINT16 2
#define DTYPE_UINT32 3
#define DTYPE_UINT64 4
#define DTYPE_INT8 5
#define DTYPE_INT16 6
#define DTYPE_INT32 7
#define DTYPE_INT64 8
#define DTYPE_FLOAT16 9
#define DTYPE_FLOAT32 10
#define DTYPE_FLOAT64 11
#define DTYPE_BFLOAT16 12
#define DTYPE_COMPLEX64 13
