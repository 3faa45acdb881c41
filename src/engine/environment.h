/* The table of all environment variables of the library. */
#ifndef ENGINE_ENVIRONMENT_H
#define ENGINE_ENVIRONMENT_H
#include "base/for_command.h"
#include "base/machine/environment.h"
/* Return variable i, from 0; NULL behind the last one. */
const struct environment_row *environment_row(int i) FOR_COMMAND(environment_row);
#endif
