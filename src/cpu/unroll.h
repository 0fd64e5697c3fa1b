// Asks for a loop of few, constant iterations to be written out, so that arrays of vectors stay in registers at -O2.
#pragma once

#ifdef __clang__
#define PLIMSOLL_UNROLL _Pragma("unroll")
#else
#define PLIMSOLL_UNROLL _Pragma("GCC unroll 32")
#endif
