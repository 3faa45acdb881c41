/* The engines of this build; engines.c lists them. */
#ifndef ENGINE_ENGINES_H
#define ENGINE_ENGINES_H
#include "ops/kernel.h"

extern const struct engine cpu_engine, ref_engine, null_engine;
#endif
