/* Configurations of contractions as callers see them: handles that are never NULL and keep the reason of a failure. */
#include "tests/support/harness.h"
#include <stdio.h>
#include <string.h>
#include <tyto/context.h>
#include <tyto/contraction.h>
#include <unistd.h>
#include "base/context/stop.h"

enum { M = 7, N = 5, K = 9 };
static const int64_t shape_a[] = {M, K}, shape_b[] = {K, N};
static const ty_contraction_operand left = {TY_F64, 2, shape_a, NULL, 0},
                                    right = {TY_F64, 2, shape_b, NULL, 0};

static void drop(void *c) { ty_contraction_free(c); }
static void drop_plan(void *plan) { ty_contraction_plan_release(plan); }
static ty_contraction *own(ty_contraction *c) {
    CHECK(c, "a configuration is never NULL");
    return test_own(c, drop);
}
static bool well(const ty_contraction *c) { return !*ty_contraction_error(c); }

/* Run a configuration and compare with the sums of products. */
static void runs(const ty_contraction *c) {
    double a[M * K], b[K * N], y[M * N];
    for (int i = 0; i < M * K; i++) a[i] = i % 4 - 1;
    for (int i = 0; i < K * N; i++) b[i] = i % 3 - 1;
    ty_contraction_plan *plan = test_own(ty_contraction_compile(c), drop_plan);
    if (!ty_contraction_run(plan, a, b, y)) {
        CHECK(test_starving(), "%s", ty_contraction_plan_error(plan));
        return;
    }
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int k = 0; k < K; k++) sum += a[m * K + k] * b[k * N + n];
            CHECK(y[m * N + n] == sum, "y[%d,%d] is %g, not %g", m, n, y[m * N + n], sum);
        }
}

static void made_and_read(void) {
    ty_contraction *c = own(ty_contraction_new("mk,kn->mn", &left, &right, NULL));
    if (!well(c)) {
        CHECK(test_starving(), "%s", ty_contraction_error(c));
        return;
    }
    CHECK(ty_contraction_flops(c) == 2.0 * M * N * K, "%g operations", ty_contraction_flops(c));
    CHECK(ty_contraction_seconds(c) == 0, "%g s before the passes", ty_contraction_seconds(c));
    runs(c);
    if (!ty_contraction_optimise(c, 1)) return;
    CHECK(ty_contraction_seconds(c) > 0, "%g s", ty_contraction_seconds(c));
    runs(c);
    char *json = test_text(ty_contraction_json(c));
    if (!json) return;
    ty_contraction *again = own(ty_contraction_read(json, strlen(json)));
    if (!well(again)) return;
    char *same = test_text(ty_contraction_json(again));
    CHECK(!same || !strcmp(json, same), "%s\nis not\n%s", same, json);
    runs(again);
}

static void files(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/tyto_handle_%d.json", (int)getpid());
    ty_contraction *c = own(ty_contraction_new("mk,kn->mn", &left, &right, NULL));
    if (well(c) && ty_contraction_save(c, path)) {
        ty_contraction *again = own(ty_contraction_load(path));
        CHECK(well(again) || test_starving(), "%s", ty_contraction_error(again));
        if (well(again)) runs(again);
    }
    unlink(path);
    c = own(ty_contraction_load("no-such-file.json"));
    CHECK(strstr(ty_contraction_error(c), "no-such-file.json") || test_starving(), "%s",
          ty_contraction_error(c));
}

/* A failed configuration does nothing, and NULL is one. */
static void failures(void) {
    ty_contraction *failed[] = {own(ty_contraction_new("mk,kn->mq", &left, &right, NULL)),
                                own(ty_contraction_new(NULL, &left, NULL, NULL)),
                                own(ty_contraction_read("{", 1)),
                                own(ty_contraction_read(NULL, 3)),
                                own(ty_contraction_load(NULL)),
                                NULL};
    for (size_t i = 0; i < sizeof failed / sizeof *failed; i++) {
        ty_contraction *c = failed[i];
        CHECK(!well(c), "failure %zu has no reason", i);
        CHECK(ty_contraction_flops(c) == 0 && ty_contraction_seconds(c) == 0, "failure %zu has figures", i);
        CHECK(!ty_contraction_optimise(c, 1) && !ty_contraction_save(c, "no.json"), "failure %zu does", i);
        char *text = test_text(ty_contraction_text(c)), *json = test_text(ty_contraction_json(c));
        CHECK((!text || !strncmp(text, "error: ", 7)) && (!json || !strncmp(json, "error: ", 7)), "%s", text);
        CHECK(!ty_contraction_check(c, NULL), "failure %zu is valid", i);
        ty_contraction_plan *plan = test_own(ty_contraction_compile(c), drop_plan);
        CHECK(*ty_contraction_plan_error(plan), "failure %zu is compiled", i);
    }
    ty_contraction_free(NULL);
}

/* Check that a run fails with a code and words. */
static void fails_with(ty_contraction_plan *plan, const double *a, const double *b, double *y, ty_code code,
                       const char *words) {
    CHECK(!ty_contraction_run(plan, a, b, y), "runs: %s", words);
    CHECK(strstr(ty_contraction_plan_error(plan), words), "%s", ty_contraction_plan_error(plan));
    ty_tensor *error = ty_contraction_plan_failure(plan);
    CHECK(ty_error_code(error) == code || (test_starving() && ty_error_code(error) == TY_ERROR_MEMORY), "%s",
          ty_error(error));
}

/* A run that failed says why, and the plan runs afterwards. */
static void failed_runs(void) {
    static const double a[M * K] = {1}, b[K * N] = {1};
    double y[M * N];
    ty_contraction *c = own(ty_contraction_new("mk,kn->mn", &left, &right, NULL));
    ty_contraction_plan *plan = test_own(ty_contraction_compile(c), drop_plan);
    if (test_starving() && (!plan || *ty_contraction_plan_error(plan))) return;
    fails_with(plan, NULL, b, y, TY_ERROR_ARGUMENT, "left is NULL");
    fails_with(plan, a, NULL, y, TY_ERROR_ARGUMENT, "right is NULL");
    fails_with(plan, a, b, NULL, TY_ERROR_ARGUMENT, "out is NULL");
    ty_interrupt(NULL);
    fails_with(plan, a, b, y, TY_ERROR_INTERRUPTED, "interrupted: ");
    ty_resume(NULL);
    CHECK(ty_contraction_run(plan, a, b, y) && !*ty_contraction_plan_error(plan) &&
              !ty_contraction_plan_failure(plan) && y[0] == 1,
          "%s, y is %g", ty_contraction_plan_error(plan), y[0]);
    stop_at(2);
    bool ran = ty_contraction_run(plan, a, b, y);
    bool interrupted = ty_interrupted(NULL);
    stop_at(0);
    ty_resume(NULL);
    CHECK(ran != interrupted, "a run that was cut short says that it was done");
    CHECK(ty_contraction_run(plan, a, b, y) && y[0] == 1, "%s, y is %g", ty_contraction_plan_error(plan),
          y[0]);
}

TESTS_MAIN(TEST(made_and_read), TEST(files), TEST(failures), TEST(failed_runs))
