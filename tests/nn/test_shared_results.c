/* Functions with several results that fail: all results are poison, and the caller owns a reference to each. */
#include <stdatomic.h>
#include <string.h>
#include <tyto/nn.h>
#include "array/tensor.h"
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"

enum { RESULTS = 3 };

static ty_tensor *squares(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(ty_sum(ty_square(x[0]), TY_ALL), ty_sum(ty_square(x[1]), TY_ALL));
}

/* Forward function of a model or layer with all results the same. */
static void same(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)self, (void)options, (void)n;
    for (int i = 0; i < RESULTS; i++) y[i] = ty_neg(x[0]);
}

/* Check that all results are poison, or none and true was returned. */
static void check_returned(bool done, int n, ty_tensor *const *y) {
    bool well = true;
    for (int i = 0; i < n; i++) well = well && y[i] && ty_ok(y[i]);
    for (int i = 0; i < n && !well; i++) CHECK_POISON(y[i], ""); /* after a failed allocation, too */
    CHECK(done == well, "%d was returned", done);
}

static void call_model(ty_tensor *const *x, ty_tensor **y) {
    ty_model *m = nn_own_model(ty_model_new(same, NULL, (ty_model_options){.inputs = 1, .results = RESULTS}));
    CHECK(ty_model_results(m) == RESULTS, "%s", ty_model_error(m)); /* one without memory knows no number */
    ty_model_call(m, NULL, 1, x, y);
}
static void call_layer(ty_tensor *const *x, ty_tensor **y) {
    static const ty_layer_kind kind = {.name = "same", .results = RESULTS, .forward = same};
    ty_model *m = nn_own_model(ty_model_new(NULL, NULL, (ty_model_options){0}));
    ty_layer_call(ty_model_root(m), NULL, &kind, NULL, 0, 1, x, y);
}
static void accumulate(ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *batch[] = {ty_ones(TY_F32, TY_SHAPE(2))};
    bool done = ty_accumulate(squares, NULL, 2, x, 1, batch, 2, &y[2], y);
    check_returned(done, RESULTS, y);
}
static void clip(ty_tensor *const *x, ty_tensor **y) {
    bool done = ty_clip_by_global_norm(2, x, 1, y, &y[2]);
    check_returned(done, RESULTS, y);
}
static void minimise(ty_tensor *const *x, ty_tensor **y) {
    ty_minimum found;
    bool done = ty_minimise(squares, NULL, 2, x, (ty_minimise_options){.iterations = 2}, y, &found);
    check_returned(done, 2, y);
    CHECK(done || strstr(found.message, ty_error(y[0])), "the report says %s, not %s", found.message,
          ty_error(y[0]));
}

static const struct {
    const char *name;
    int results;
    void (*run)(ty_tensor *const *x, ty_tensor **y);
} calls[] = {{"model_call", RESULTS, call_model},
             {"layer_call", RESULTS, call_layer},
             {"accumulate", RESULTS, accumulate},
             {"clip_by_global_norm", RESULTS, clip},
             {"minimise", 2, minimise}};

/* Check that all results are poison, with a reference for each place where one stands; the operand is a place. */
static void check_references(const char *name, int n, ty_tensor *const *y, const ty_tensor *operand) {
    for (int i = 0; i < n; i++) {
        int places = y[i] == operand;
        for (int k = 0; k < n; k++) places += y[k] == y[i];
        CHECK(y[i] && !ty_ok(y[i]), "%s: result %d is no poison", name, i);
        CHECK(y[i]->immortal || atomic_load(&y[i]->refs) >= places,
              "%s: %d references to a result in %d places", name, atomic_load(&y[i]->refs), places);
    }
}

static void poisoned_operands(void) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ty_tensor *bad = ty_poison("spoilt"), *x[] = {bad, bad}, *y[RESULTS] = {NULL};
        calls[i].run(x, y);
        check_references(calls[i].name, calls[i].results, y, bad);
    }
}

/* With --oom: if one result has no memory, none looks like a value. */
static void all_or_none(void) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ty_tensor *x[] = {ty_ones(TY_F32, TY_SHAPE(2)), ty_ones(TY_F32, TY_SHAPE(3))}, *y[RESULTS] = {NULL};
        calls[i].run(x, y);
        bool well = true;
        for (int k = 0; k < calls[i].results; k++) well = well && y[k] && ty_ok(y[k]);
        CHECK(well || test_starving(), "%s fails", calls[i].name);
        for (int k = 0; k < calls[i].results && !well; k++) CHECK_POISON(y[k], "out of memory");
    }
}

TESTS_MAIN(TEST(poisoned_operands), TEST(all_or_none))
