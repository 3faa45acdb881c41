/* Bounds and reports of caches of programs: those of a function and those of evaluations. */
#ifndef COMPILE_DEMAND_KEPT_H
#define COMPILE_DEMAND_KEPT_H
#include <tyto/cache.h>
#include "base/lru.h"

/* Return the limit in bytes of a cache of programs for the number that the caller set; below 0: the default. */
size_t kept_most(int64_t set);
/* Write the state of a cache to *memory: its programs, and these limits and numbers. */
void kept_report(struct lru *programs, int64_t set, int64_t compiles, ty_function_memory *memory);
#endif
