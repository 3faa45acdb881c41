/*
 * Every public function of expressions and every structural operator, with each of its allocations failing in turn:
 * eagerly, lazily and on a tracked value. Results are valid or report missing memory, nothing leaks, and the next call
 * is unaffected.
 */
#include <stdio.h>
#include <string.h>
#include "tests/support/samples/beside.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"

static const char *const lists[] = {
#include "tests/support/call_lists.def"
};

enum mode { AT_ONCE, LAZILY, TRACKED, MODES };
static const char *const mode_names[] = {"at once", "lazily", "tracked"};

/* One call: a function of an expression, or an operator's sample. */
struct call {
    const char *text;
    ty_tensor *(*run)(ty_tensor *x);
    enum mode mode;
    int64_t elements;
};

static ty_tensor *as_mode(enum mode mode, ty_tensor *x) {
    return mode == LAZILY                                ? ty_var(x, "x")
           : mode == TRACKED && ty_dtype_of(x) == TY_F32 ? ty_track(x, "x")
                                                         : x;
}

static ty_tensor *run_text(const struct call *c) {
    static const char *const names[BESIDE_NAMES] = {"x", "m", "w", "ones", "key", "k"};
    ty_tensor *x[BESIDE_NAMES], *results[BESIDE_RESULTS];
    char text[256];
    beside_small(x);
    for (int i = 0; i < BESIDE_NAMES; i++) x[i] = as_mode(c->mode, x[i]);
    beside_text(text, sizeof text, c->text, ty_size(x[0]));
    int n = ty_expressions(text, BESIDE_NAMES, names, x, BESIDE_RESULTS, results);
    for (int i = 0; i < n; i++)
        if (!ty_ok(results[i])) return results[i];
    return results[0];
}

static ty_tensor *run_sample(const struct call *c) {
    ty_tensor *x = ty_iota(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, 1);
    return c->run(as_mode(c->mode, x));
}

/* Return true if the call succeeds; error holds the message otherwise. */
static bool call(const struct call *c, char error[256]) {
    ty_scope *scope = ty_open();
    ty_tensor *y = c->run ? run_sample(c) : run_text(c);
    if (c->mode == LAZILY) y = ty_eval(y);
    bool well = ty_ok(y);
    *error = 0;
    if (!well) strncat(error, ty_error(y), 255);
    ty_close(scope);
    return well;
}

/* Fail each allocation in turn until none fails. */
static void starve(const struct call *c) {
    char error[256];
    ty_trim();
    if (!call(c, error)) return; /* these operands are invalid */
    ty_trim();
    int64_t live = mem_live();
    bool starved = true;
    for (int64_t k = 1; starved; k++) {
        mem_fail_at(k);
        bool well = call(c, error);
        starved = mem_failed();
        mem_fail_at(0);
        ty_trim();
        CHECK(well || (starved && strstr(error, "out of memory")), "%s %s, allocation %lld failing: %s",
              c->text, mode_names[c->mode], (long long)k, error);
        CHECK(mem_live() == live, "%s %s, allocation %lld failing: %lld blocks are left", c->text,
              mode_names[c->mode], (long long)k, (long long)(mem_live() - live));
    }
}

static void starve_modes(struct call c) {
    for (int mode = 0; mode < MODES; mode++) {
        c.mode = (enum mode)mode;
        starve(&c);
    }
}

/* Write a call with the first valid list of arguments of a function to text; false: none is valid. */
static bool find_call(const char *f, char text[256]) {
    char error[256];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(text, 256, "%s(%s)", f, lists[i]);
        if (call(&(struct call){.text = text}, error)) return true;
    }
    return false;
}

static void functions(void) {
    if (test_starving()) return; /* this test fails allocations itself */
    char name[64], text[256];
    const char *signature;
    int called = 0, all = 0, step = test_some(1, 7, 1);
    for (; (signature = ty_expression_function(all)); all++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
        if (!find_call(name, text)) continue;
        called++;
        if (all % step == 0) starve_modes((struct call){.text = text});
    }
    CHECK(called >= all * 3 / 4, "only %d of %d functions are called", called, all);
}

static void operators(void) {
    if (test_starving()) return;
    for (int i = 0; i < operator_sample_count; i++)
        starve_modes((struct call){.text = operator_samples[i].name, .run = operator_samples[i].run});
}

TESTS_MAIN(TEST(functions), TEST(operators))
