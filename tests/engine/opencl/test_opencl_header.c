/* The engine's own constants and types of OpenCL are those of <CL/cl.h>, where that is installed. */
#include "tests/support/harness.h"
#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#endif

#ifdef CL_TARGET_OPENCL_VERSION
#define CONSTANT(name, value) _Static_assert((name) == (value), #name);
#include "engine/opencl/constants.def"
#undef CONSTANT
#ifndef CL_PLATFORM_NOT_FOUND_KHR /* of <CL/cl_ext.h> */
#define CL_PLATFORM_NOT_FOUND_KHR -1001
#endif
#define ERROR(name, value, ...) _Static_assert((name) == (value), #name);
#include "engine/opencl/errors.def"
#undef ERROR
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define ENTRY(result, name, parameters)                                                                      \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name);
#include "engine/opencl/entries.def"
static void agrees(void) {}
#else
static void agrees(void) { printf("OpenCL's headers are not installed: nothing was compared\n"); }
#endif

TESTS_MAIN(TEST(agrees))
