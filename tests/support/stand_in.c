#include "tests/support/stand_in.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/opencl/opencl.h"
#include "tests/support/far.h"
#include "tests/support/gather.h"
#include "tests/support/harness.h"
#include "tests/support/nest_run.h"
#include "tests/support/part.h"
#undef ty_use_engine

static bool gathers;

/* Return the device that `opencl` means. */
static const char *device(void) { return part_share() > 1 ? "part:0" : "opencl:0"; }

static void opencl_use(void) {
    if (gathers)
        gather_use(device());
    else
        ty_use_engine(device());
}

int stand_in_gather(bool now) {
    gathers = now && test_stand_in("opencl");
    return gathers ? 0 : gather_end();
}

/* Engines that TY_TEST_ENGINE lets stand for `cpu`. */
static const struct {
    const char *name;
    void (*use)(void);
} stand_ins[] = {{"nests", nest_engine_use}, {"far", far_use}, {"opencl", opencl_use}};

bool test_use_engine(const char *name) {
    const char *asked = getenv("TY_TEST_ENGINE");
    bool done = ty_use_engine(name);
    for (size_t i = 0; done && asked && !strcmp(name, "cpu") && i < sizeof stand_ins / sizeof *stand_ins; i++)
        if (!strcmp(asked, stand_ins[i].name)) stand_ins[i].use();
    return done;
}

bool test_stand_in(const char *name) {
    const char *asked = getenv("TY_TEST_ENGINE");
    return asked && !strcmp(asked, name);
}

bool stand_in_lacks_device(void) {
    ty_tensor *error = NULL;
    if (!test_stand_in("opencl")) return false;
    opencl_force_tiles(true); /* the sizes of tests are small */
    if (part_share() > 1) part_begin();
    far_use(); /* it gathers kernels, and is opened before memory is counted */
    ty_use_engine("cpu");
    if (ty_sync(device(), &error)) return false;
    printf("skipped: %s\n", ty_error(error));
    return true;
}
