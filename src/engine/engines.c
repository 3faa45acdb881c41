/* The engines of this build; the first is the default. */
#include "engine/engines.h"
#include "contract/contraction.h"
#include "engine/opencl/opencl.h"
#include "ops/core/kernel/devices.h"

const struct engine *const engine_table[] = {&cpu_engine, &ref_engine, &null_engine, NULL};

/* Engines with devices. */
const struct device_family *const device_families[] = {&opencl_family, NULL};

/* Runners of contractions configured by users. */
const struct contraction_runner *const contraction_runners[] = {&cpu_contraction_runner,
                                                                &contraction_interpreted, NULL};
