/* Which engines this build has; the first is the default. */
#include "engine/engines.h"

const struct engine *const engine_table[] = {&cpu_engine, &ref_engine, &null_engine, NULL};
