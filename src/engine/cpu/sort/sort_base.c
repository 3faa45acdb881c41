/* Sorting for any instruction set. */
#define TABLE sort_base
#include "engine/cpu/sort/sort.kernel.c"
