# shaderc as Plimsoll::shaderc. Debian 12's shared library leaves glslang's symbols to whoever links it, and glslang
# comes as static libraries, so what links is found by linking.
include(CheckCXXSourceCompiles)
include(FindPackageHandleStandardArgs)
find_path(PlimsollShaderc_INCLUDE_DIR NAMES shaderc/shaderc.h)
mark_as_advanced(PlimsollShaderc_INCLUDE_DIR)

# Sets PlimsollShaderc_LIBRARIES to the paths of the named libraries if all are there and a program links with them.
function(plimsoll_try_shaderc check)
  set(paths)
  foreach(name IN LISTS ARGN)
    find_library(PlimsollShaderc_${name}_LIBRARY NAMES ${name})
    mark_as_advanced(PlimsollShaderc_${name}_LIBRARY)
    if(NOT PlimsollShaderc_${name}_LIBRARY)
      return()
    endif()
    list(APPEND paths ${PlimsollShaderc_${name}_LIBRARY})
  endforeach()
  set(CMAKE_REQUIRED_INCLUDES ${PlimsollShaderc_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${paths} Threads::Threads)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles(
    "#include <shaderc/shaderc.h>
     int main() {
       shaderc_compiler_t compiler = shaderc_compiler_initialize();
       return shaderc_compile_into_spv(compiler, \"\", 0, shaderc_glsl_compute_shader, \"a\", \"main\", nullptr) == nullptr;
     }" ${check})
  if(${check})
    set(PlimsollShaderc_LIBRARIES ${paths} PARENT_SCOPE)
  endif()
endfunction()

if(PlimsollShaderc_INCLUDE_DIR)
  plimsoll_try_shaderc(PlimsollShaderc_SHARED_LINKS shaderc)
  if(NOT PlimsollShaderc_LIBRARIES)
    plimsoll_try_shaderc(PlimsollShaderc_STATIC_LINKS
      shaderc_combined SPIRV glslang MachineIndependent GenericCodeGen OGLCompiler OSDependent SPIRV-Tools-opt SPIRV-Tools)
  endif()
endif()

find_package_handle_standard_args(PlimsollShaderc REQUIRED_VARS PlimsollShaderc_LIBRARIES PlimsollShaderc_INCLUDE_DIR)
if(PlimsollShaderc_FOUND AND NOT TARGET Plimsoll::shaderc)
  add_library(Plimsoll::shaderc INTERFACE IMPORTED)
  set_target_properties(Plimsoll::shaderc PROPERTIES
    INTERFACE_LINK_LIBRARIES "${PlimsollShaderc_LIBRARIES};Threads::Threads"
    INTERFACE_INCLUDE_DIRECTORIES ${PlimsollShaderc_INCLUDE_DIR})
endif()
