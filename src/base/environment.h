/* The variables of the environment: who reads one says which values mean something, engine/environment.c
   lists them all, and a value that means nothing counts as not set and is told (ty_environment_error). */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H
#include <stdbool.h>
#include <stdint.h>

struct environment_row {
    const char *name, *values;         /* values: in words */
    bool (*allows)(const char *value); /* "" is the same as not set */
};
extern const struct environment_row environment_debug, environment_isa, environment_threads,
    environment_workspace;

/* The value where it is set and allowed, else NULL. */
const char *environment_value(const struct environment_row *row);
/* A whole number of 0 .. most and nothing else. */
bool environment_number(const char *value, int64_t most, int64_t *number);
#endif
