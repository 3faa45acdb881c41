/* Search for the base instruction set. */
#define TABLE search_base
#include "engine/cpu/sort/search.kernel.c"
