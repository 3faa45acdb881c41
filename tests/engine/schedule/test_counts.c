/* Sums of a constant that schedules replace by a constant. */
#include "base/arena.h"
#include "base/text.h"
#include "engine/schedule/schedule.h"
#include "tests/support/harness.h"

enum { LANES = 16, TERMS = 5, INSIDE = 3 };

/* Schedule the sums of x and of ones over a window; the read of ones has n bounds. Return the number of folds left. */
static int folds_left(int n) {
    static const int64_t along[] = {1}, none[] = {0}, output[] = {0};
    const ty_nest_dim dim = {TERMS, TY_NEST_FOLD, -1, -1};
    const ty_nest_term inside = {.read = 0, .bound = INSIDE, .divide = 1};
    const ty_nest_access reads[] = {{.slot = TY_NEST_INDEX, .dtype = TY_I64, .strides = along},
                                    {.slot = 0, .dtype = TY_I64, .strides = along},
                                    {.slot = TY_NEST_CONSTANT,
                                     .dtype = TY_I64,
                                     .strides = none,
                                     .nterms = n,
                                     .terms = &inside,
                                     .constant = {1}}};
    const ty_nest_fold folds[] = {
        {.kind = TY_NEST_SUM, .dtype = TY_I64, .value = 1, .when = TY_NEST_ALWAYS, .lanes = 1},
        {.kind = TY_NEST_SUM, .dtype = TY_I64, .value = 2, .when = TY_NEST_ALWAYS, .lanes = 1}};
    const ty_nest_instr mean = {"floor_div", TY_I64, TY_I64, 2, {3, 4}};
    const ty_nest_write write = {
        .to = {.slot = 1, .dtype = TY_I64, .strides = output}, .value = 5, .when = TY_NEST_ALWAYS};
    const ty_nest nest = {.name = "a mean",
                          .ndims = 1,
                          .nreads = 3,
                          .nfolds = 2,
                          .nafter = 1,
                          .nwrites = 1,
                          .dims = &dim,
                          .reads = reads,
                          .folds = folds,
                          .after = &mean,
                          .writes = &write};
    const ty_nest_step step = {.nest = &nest};
    ty_nests nests = {.nsteps = 1, .noperands = 2, .steps = &step};
    struct arena arena = {0};
    struct fault fault = {0};
    bool done = ty_nests_check(&nests, 0, NULL, NULL, NULL) && schedule(&nests, LANES, true, &arena, &fault);
    CHECK(done || test_starving(), "the nest is refused: %s", fault.text);
    int left = done ? nests.steps[nests.nsteps - 1].nest->nfolds : -1;
    arena_drop(&arena);
    return left;
}

static void sums_of_all_terms_are_constants(void) {
    int left = folds_left(0);
    CHECK(left == 1 || test_starving(), "%d folds are left", left);
}
/* Outside of the bound, a read is 0. */
static void sums_of_terms_inside_are_folds(void) {
    int left = folds_left(1);
    CHECK(left == 2 || test_starving(), "%d folds are left", left);
}

TESTS_MAIN(TEST(sums_of_all_terms_are_constants), TEST(sums_of_terms_inside_are_folds))
