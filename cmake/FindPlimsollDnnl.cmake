# oneDNN's CPU side as DNNL::dnnl. Debian's own package file also asks for OpenCL's headers, for a GPU side that is not
# used here.
find_path(PlimsollDnnl_INCLUDE_DIR NAMES oneapi/dnnl/dnnl.hpp)
find_library(PlimsollDnnl_LIBRARY NAMES dnnl)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PlimsollDnnl REQUIRED_VARS PlimsollDnnl_LIBRARY PlimsollDnnl_INCLUDE_DIR)

if(PlimsollDnnl_FOUND AND NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${PlimsollDnnl_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${PlimsollDnnl_INCLUDE_DIR})
endif()
mark_as_advanced(PlimsollDnnl_INCLUDE_DIR PlimsollDnnl_LIBRARY)
