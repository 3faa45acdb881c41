/* Sorting for the base instruction set. */
#define TABLE sort_base
#include "engine/cpu/sort/sort.kernel.c"
