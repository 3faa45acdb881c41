/* Tensors record the source line that made them if sources are compiled with TY_PLACES, like this file. */
#define TY_PLACES
#include <stdio.h>
#include <string.h>
#include <tyto/tyto.h>
#include "tests/support/calls/headers.c" /* they declare functions behind the macros of the same names */
#include "tests/support/harness.h"

/* Format "test_places.c:N" for the line before. */
#define HERE() (snprintf(line, sizeof line, "test_places.c:%d", __LINE__ - 1), line)
static char line[64];

static const char *place(const ty_tensor *x) {
    static char words[96];
    return ty_place_of(x, words, sizeof words);
}

static void values_and_promises(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3));
    HERE();
    CHECK(!strcmp(place(x), line), "%s is not %s", place(x), line);
    ty_tensor *v = ty_var(x, "v"), *y = ty_add(v, x);
    HERE();
    CHECK(test_starving() || !strcmp(place(y), line), "%s is not %s", place(y), line);
    CHECK(test_starving() || strcmp(place(x), line) < 0, "%s has changed", place(x));
}

static void poison_says_where(void) {
    ty_tensor *x = ty_add(ty_ones(TY_F32, TY_SHAPE(2)), ty_ones(TY_F32, TY_SHAPE(3)));
    HERE();
    CHECK(test_starving() || strstr(ty_error(x), line), "%s without %s", ty_error(x), line);
    ty_tensor *y = ty_exp(x);
    CHECK(!strcmp(ty_error(y), ty_error(x)), "another sentence: %s", ty_error(y));
    ty_tensor *z = ty_poison("%s", ty_error(x));
    CHECK(!strcmp(ty_error(z), ty_error(x)), "said twice: %s", ty_error(z));
}

/* Tensors of rewritten graphs, gradients and subgraphs record lines, too. */
static ty_tensor *twice(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(x[0], x[0]);
}
static void what_is_made_in_passing(void) {
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "v");
    ty_tensor *y = ty_softmax(v, 0);
    HERE();
    ty_tensor *g, *loss = ty_sum(y, TY_ALL);
    if (!ty_grad(loss, 1, &v, &g)) return;
    char *text = test_text(ty_text(1, &g));
    CHECK(test_starving() || (text && strstr(text, line)), "no %s in\n%s", line, text);
    ty_tensor *f = ty_fuse(twice, NULL, 1, &v);
    CHECK(test_starving() || !strncmp(place(f), "test_places.c:", 14), "%s", place(f));
}

static void untrap(void *unused) {
    (void)unused;
    ty_trap_nan(false);
}
static void the_trap_says_where(void) {
    static char any;
    test_own(&any, untrap);
    ty_trap_nan(true);
    ty_tensor *v = ty_var(ty_zeros(TY_F32, TY_SHAPE(3)), "v");
    ty_tensor *y = ty_log(v);
    HERE();
    ty_tensor *z = ty_exp(y);
    ty_tensor *bad = ty_eval(z);
    CHECK(test_starving() || strstr(ty_error(bad), line), "%s without %s", ty_error(bad), line);
    bad = ty_log(ty_eval(v));
    HERE();
    CHECK(test_starving() || strstr(ty_error(bad), line), "%s without %s", ty_error(bad), line);
}

static void places_that_are_strange(void) {
    char words[96], few[4];
    ty_here("a/very/long/folder/and/a/file-whose-name-has-far-more-letters-than-anybody-would-want-to-read.c",
            7);
    ty_tensor *x = (ty_zeros)(TY_F32, TY_SCALAR);
    CHECK(strlen(place(x)) < 80, "%s", place(x));
    CHECK(!strcmp(ty_place_of(x, few, sizeof few), "fil"), "%s", few);
    CHECK(!*ty_place_of(x, NULL, 3) && !*ty_place_of(x, words, 0), "a place without room");
    ty_here(NULL, 7);
    x = (ty_zeros)(TY_F32, TY_SCALAR);
    CHECK(!*place(x), "%s", place(x));
    CHECK(!*place(NULL), "NULL has a place");
}

TESTS_MAIN(TEST(values_and_promises), TEST(poison_says_where), TEST(what_is_made_in_passing),
           TEST(the_trap_says_where), TEST(places_that_are_strange))
