/* Searching for any instruction set. */
#define TABLE search_base
#include "engine/cpu/sort/search.kernel.c"
