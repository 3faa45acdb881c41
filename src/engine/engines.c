/* Which engines this build has; the first is the default. */
#include "engine/engines.h"
#include "contract/contraction.h"

const struct engine *const engine_table[] = {&cpu_engine, &ref_engine, &null_engine, NULL};

/* Who runs configurations of contractions. */
const struct contraction_runner *const contraction_runners[] = {&cpu_contraction_runner,
                                                                &contraction_interpreted, NULL};
