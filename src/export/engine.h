/*
 * The engine of exported programs: it prepares kernels as lists of nests and as C99, and launches none.  A program that
 * was compiled for it is a list of calls of C functions on places in one arena.
 */
#ifndef EXPORT_ENGINE_H
#define EXPORT_ENGINE_H
#include "engine/text/text.h"
#include "ops/core/kernel/kernel.h"

extern const struct engine export_engine;

/* A kernel as text: the preparation that kernel->prepared points to. */
struct export_kernel {
    ty_nests nests;
    struct text_program program;
    int64_t *temporaries; /* offset of each temporary in the workspace */
    char *refusal;        /* why there is no text; NULL: there is one */
};
#endif
