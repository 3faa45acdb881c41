/*
 * Numbers as text below, at and above the counts of digits at which reading and printing change their way
 * (tests/thresholds.def): read values against the C library's strtod of the whole text, printed ones against snprintf.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/number_read.h"
#include "base/nearest.h"
#include "tests/support/harness.h"

static void check_read(const char *text) {
    struct number number;
    size_t n = strlen(text), used = number_read(text, n, &number);
    double want = strtod(text, NULL);
    CHECK(used == n && number.value == want, "%.60s.. (%zu characters): %.17g of %zu, not %.17g", text, n,
          number.value, used, want);
}

/* FAST_DIGITS: integers of 17 to 22 digits, whole and behind a point, by any power of ten. */
static void many_digits(void) {
    static const int powers[] = {0, -1, 5, 22, 23, -22, -23, 27, 28, -27, -28, 100, -200, 290, -330};
    for (int digits = 17; digits <= 22; digits++)
        for (int turn = 0; turn < 200; turn++) {
            char text[64], *at = text;
            for (int i = 0; i < digits; i++) *at++ = (char)('0' + test_between(i == 0, 9));
            *at = 0;
            check_read(text);
            for (int p = 0; p < (int)(sizeof powers / sizeof *powers); p++) {
                sprintf(at, "e%d", powers[p]);
                check_read(text);
            }
        }
}

/* EIGHT: 0 to 6 digits in front of a point and 0 to 26 behind it, the first of which are perhaps zeros; each also with
   another character in one place, where reading ends. */
static void digits_behind_points(void) {
    for (int front = 0; front <= 6; front++)
        for (int behind = front == 0; behind <= 26; behind++)
            for (int zeros = 0; zeros <= behind && zeros < 10; zeros++) {
                char text[64], *at = text;
                struct number number;
                for (int i = 0; i < front; i++) *at++ = (char)('0' + test_between(0, 9));
                *at++ = '.';
                for (int i = 0; i < behind; i++) *at++ = (char)('0' + (i < zeros ? 0 : test_between(0, 9)));
                *at = 0;
                check_read(text);
                if (!behind) continue;
                char *other = text + front + 1 + test_between(0, behind - 1);
                *other = "/:x "[test_between(0, 3)];
                size_t used = number_read(text, strlen(text), &number);
                size_t want = front || other > text + 1 ? (size_t)(other - text) : 0;
                CHECK(used == want, "%s: %zu of %zu characters are read", text, used, want);
            }
}

/* MOST_DIGITS: half between two doubles, followed by zeros and perhaps a one, with 768 to 773 digits in all. */
static void halves(void) {
    static const char *const starts[] = {"9007199254740993.", "9007199254740995.", "0.009007199254740993",
                                         "900719925474099300000"};
    for (int i = 0; i < 4; i++)
        for (int digits = 768; digits <= 773; digits++)
            for (int one = 0; one < 2; one++) {
                char text[1024];
                int n = sprintf(text, "%s", starts[i]), own = n - (strchr(starts[i], '.') != NULL);
                if (i == 2) own = 16;
                memset(text + n, '0', (size_t)(digits - own));
                n += digits - own;
                text[n - 1] = one ? '1' : '0';
                sprintf(text + n, i == 3 ? "e-700" : "e2");
                check_read(text);
            }
}

/* EXPONENT_LIMIT: more digits of an exponent change nothing. */
static void exponents(void) {
    static const char *const texts[] = {
        "1e99999",   "1e100000",     "1e100001",  "1e1000000",  "1e9999999999999999999",
        "1e-100000", "1e-10000000",  "0e1000000", "-1e1000000", "1e0000000000000000005",
        "1e-0000",   "12e000000100", "5e-324",    "1e-323",     "2e-324"};
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) check_read(texts[i]);
}

/* ---- printing ---- */

/* MOST_DIGITS of print_options.c: more than 320 places are 320. */
static void check_printed(double x, int places) {
    char want[700];
    snprintf(want, sizeof want, "[%.*f]", places < 320 ? places : 320, x);
    ty_print_options options = {.precision = places, .suppress = true, .mode = TY_FIXED, .line_width = 2000};
    char *text = test_text(ty_format(CHECK_OK(ty_full(TY_F64, TY_SHAPE(1), x)), options));
    if (text) CHECK(!strcmp(text, want), "%g with %d places: %s", x, places, text);
}

static void printed_places(void) {
    static const double x[] = {0.1, 0x1p-900, 1.0 / 3, 99999999.99999999, 0x1p-60, 5e-324, 12345678.9};
    for (int i = 0; i < 7; i++)
        for (int places = 318; places <= 322; places++) check_printed(x[i], places);
    for (int i = 0; i < 7; i++)
        for (int places = 20; places <= 60; places++) check_printed(x[i], places);
}

/* LEAST_LIMIT: numbers whose first digit is behind all places, which round to 0 or to the last place. */
static void last_places(void) {
    for (int places = 28; places <= 321; places++)
        for (int up = 0; up < 2; up++) check_printed((up ? 6 : 4) * pow(10, -places - 1), places);
}

/* ---- names ---- */

/* NAME_MAX_LENGTH: of names of 39 to 41 letters with one wrong, up to 40 letters are compared. */
static void long_names(void) {
    for (int n = 39; n <= 41; n++) {
        char name[64] = {0}, wrong[64] = {0}, hint[NEAREST_HINT], want[NEAREST_HINT];
        memset(name, 'a', (size_t)n), memset(wrong, 'a', (size_t)n);
        wrong[5] = 'b';
        struct nearest nearest = {.wanted = wrong};
        nearest_offer(&nearest, "another");
        nearest_offer(&nearest, name);
        snprintf(want, sizeof want, " (did you mean %s?)", name);
        CHECK(!strcmp(nearest_hint(&nearest, hint), n <= 40 ? want : ""), "%d letters: %s", n, hint);
        struct nearest longer = {.wanted = name + n - 38}; /* 38 letters; the candidate has n */
        nearest_offer(&longer, name);
        CHECK(!strcmp(nearest_hint(&longer, hint), n <= 40 ? want : ""), "38 of %d letters: %s", n, hint);
    }
}

/* SCOPES: 256 scopes may be open; more are none, and what they would own belongs to the last one. */
static void many_scopes(void) {
    enum { MOST = 300 };
    ty_scope *scopes[MOST];
    int n = 0, none = 0;
    for (; n < MOST && none < 2; n++) {
        scopes[n] = ty_open();
        none += !scopes[n];
    }
    ty_tensor *kept = CHECK_OK(ty_add(ty_num(2), ty_num(3)));
    CHECK(ty_item(kept) == 5, "a sum inside of %d scopes", n);
    CHECK(none == 2 && n > 250 && n <= 258, "%d scopes", n);
    while (n-- > 0) ty_close(scopes[n]);
    CHECK(ty_item(CHECK_OK(ty_add(ty_num(1), ty_num(3)))) == 4, "a sum after them");
}

TESTS_MAIN(TEST(many_digits), TEST(digits_behind_points), TEST(halves), TEST(exponents), TEST(printed_places),
           TEST(last_places), TEST(long_names), TEST(many_scopes))
