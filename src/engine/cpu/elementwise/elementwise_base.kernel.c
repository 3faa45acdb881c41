/* The elementwise loops for every CPU of the architecture: vectors of 16 bytes; SLEEF picks its own code. */
#define VECTOR_BYTES 16
#define SLEEF_f32 f4
#define SLEEF_f64 d2
#define SLEEF_SUFFIX
#define ELEMENTWISE_SET base
#include "engine/cpu/elementwise/elementwise_types.h"
