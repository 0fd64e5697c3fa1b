#version 460
// Compiles where the compiler knows GL_KHR_cooperative_matrix; never run.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Values { float16_t values[]; };
void main() {
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
  coopMatLoad(a, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
  coopMatStore(a, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
