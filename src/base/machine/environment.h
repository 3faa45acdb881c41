/* Environment variables.  The module that reads a variable declares its valid values; engine/environment.c
   lists all variables.  An invalid value counts as not set and is reported by ty_environment_error. */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stdint.h>

struct environment_row {
    const char *name, *values;         /* values: description of the valid values */
    bool (*allows)(const char *value); /* true if value is valid; "" counts as not set */
    const char *doc;                   /* a sentence for manuals */
};
extern const struct environment_row environment_debug, environment_isa, environment_threads,
    environment_workspace, environment_cache;

/* Return the value of the environment variable that `row` describes; NULL if it is unset, empty or not
   allowed. */
const char *environment_value(const struct environment_row *row);
/* Parse a decimal integer from 0 to `most` into *number. False if `value` is anything else; *number is then
   undefined. */
bool environment_number(const char *value, int64_t most, int64_t *number) FOR_COMMAND(environment_number);
/* True if `value` is "0" or "1". */
bool environment_switch(const char *value);
#endif
