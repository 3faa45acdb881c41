/*
 * Memory of public functions of expressions: bytes beside the result, and beside a destination (ty_into), as the operands
 * grow. Functions of formulas, casts and tables take none. ./dev bench memory measures all functions against
 * tests/support/samples/bytes.def.
 */
#include <stdio.h>
#include <string.h>
#include "tests/support/harness.h"
#include "tests/support/samples/function_bytes.h"

static void some_functions(void) {
    static const char *const names[] = {"add",    "clip",    "hann",    "flat_top",
                                        "bohman", "fftfreq", "indices", "tri"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !test_starving(); i++) {
        struct function_bytes b = {.text = ""};
        struct test_round round = test_round();
        CHECK(function_bytes(names[i], &b), "%s takes no list of arguments", names[i]);
        CHECK(!b.over, "%s: %.2f bytes an element beside the result, %.2f beside a destination", b.text,
              b.beside, b.into);
        test_round_end(round);
    }
}

/* The limits are those of functions that exist. */
static void names(void) {
    static const char *const rows[] = {
#define BYTES(name, beside, into) name,
#include "tests/support/samples/bytes.def"
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    bool found[ROWS] = {false};
    const char *signature;
    for (int i = 0; (signature = ty_expression_function(i)); i++)
        for (int k = 0; k < ROWS; k++)
            if (!strncmp(signature, rows[k], strlen(rows[k])) && signature[strlen(rows[k])] == '(')
                found[k] = true;
    for (int k = 0; k < ROWS; k++) CHECK(found[k] || test_starving(), "there is no function %s", rows[k]);
}

TESTS_MAIN(TEST(some_functions), TEST(names))
