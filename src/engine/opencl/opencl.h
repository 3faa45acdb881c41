/* Devices of OpenCL. */
#ifndef ENGINE_OPENCL_OPENCL_H
#define ENGINE_OPENCL_OPENCL_H
#include "array/device.h"

extern const struct device_family opencl_family;
/* Test hook: let kernels with few operations have tiles, too. */
void opencl_force_tiles(bool on);
#endif
