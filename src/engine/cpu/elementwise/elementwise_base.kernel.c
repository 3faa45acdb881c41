/* Elementwise loops for the base instruction set: vectors of 16 bytes. */
#define VECTOR_BYTES 16
#define ELEMENTWISE_SET base
#include "engine/cpu/elementwise/elementwise_types.h"
