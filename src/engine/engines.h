/* Declares the engines of this build, which engines.c lists. */
#ifndef ENGINE_ENGINES_H
#define ENGINE_ENGINES_H
#include "ops/core/kernel/kernel.h"

struct contraction_runner;
extern const struct engine cpu_engine, ref_engine, null_engine;
extern const struct contraction_runner cpu_contraction_runner;
#endif
