/* Searching for any instruction set. */
#define TABLE search_base
#include "engine/cpu/search.kernel.c"
