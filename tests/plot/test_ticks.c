/* Ticks: linear and logarithmic ones, and those of odd ranges. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/scale.h"
#include "tests/support/harness.h"

/* Return the number that a label shows. */
static double number_of(const char *label) {
    char plain[64];
    size_t n = 0;
    for (const char *at = label; *at && n < sizeof plain - 1; at++)
        if (*at != ',') plain[n++] = *at;
    plain[n] = 0;
    return strtod(plain, NULL);
}

/* Check ticks of a linear scale: even, inside, as many as asked for, and with labels that say where they are. */
static void check_linear(double low, double high, int wanted) {
    struct scale s = {.low = low, .high = high, .to = 100};
    static struct ticks t;
    ticks_choose(&t, &s, wanted, true);
    CHECK(t.n >= 2 && t.n <= 2 * wanted + 2, "%g to %g: %d ticks, wanted %d", low, high, t.n, wanted);
    double step = t.at[1] - t.at[0], factor = 1, base = 0;
    if (*t.factor == 'x') factor = strtod(t.factor + 2, NULL);
    const char *offset = strpbrk(t.factor, "+-");
    if (offset && offset[1] == ' ') base = number_of(offset + 2) * (*offset == '-' ? -1 : 1);
    for (int i = 0; i < t.n; i++) {
        double even = t.at[0] + i * step, error = 1e-6 * step + 1e-15 * fmax(fabs(low), fabs(high));
        CHECK(t.at[i] >= low - error && t.at[i] <= high + error && fabs(t.at[i] - even) <= error, "tick %g",
              t.at[i]);
        double shown = number_of(t.labels[i]) * factor + base;
        CHECK(fabs(shown - t.at[i]) <= 100 * error, "%g to %g: label %s %s at %.17g", low, high, t.labels[i],
              t.factor, t.at[i]);
        CHECK(!i || strcmp(t.labels[i], t.labels[i - 1]) != 0, "%g to %g: two labels %s", low, high,
              t.labels[i]);
    }
}

static void ticks(void) {
    static const double known[][2] = {{0, 1},         {-1, 1},        {0, 100},           {3, 97},
                                      {1e9, 1e9 + 1}, {-3e-8, 5e-8},  {1e6, 3e6},         {0.12, 0.13},
                                      {-7e22, 1e23},  {1e300, 2e300}, {0, 5e-300},        {99.9, 100.1},
                                      {0, 1e5},       {-1e4, 2e4},    {1234567, 1234999}, {1e-200, 4e-200}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int wanted = 2; wanted < 12; wanted++) check_linear(known[i][0], known[i][1], wanted);
    for (int i = 0; i < test_some(2000, 200, 20); i++) {
        double size = pow(10, test_uniform(-12, 12)), middle = size * test_uniform(-3, 3);
        check_linear(middle - size, middle + size, (int)test_between(2, 12));
    }
}

/* Ticks that the algorithm of Talbot, Lin and Hanrahan chooses. */
static void ticks_of_the_paper(void) {
    static struct ticks t;
    struct scale s = {.low = 0, .high = 100, .to = 100};
    ticks_choose(&t, &s, 5, false);
    CHECK(t.n == 5 && t.at[1] == 25 && !strcmp(t.labels[4], "100"), "%d ticks, %g", t.n, t.at[1]);
    s.low = -1.04, s.high = 1.04;
    ticks_choose(&t, &s, 5, false);
    CHECK(t.n == 5 && !strcmp(t.labels[0], "−1.0") && !strcmp(t.labels[2], "0.0"), "%d ticks, %s", t.n,
          t.labels[0]);
    s.low = 0, s.high = 2.4e6;
    ticks_choose(&t, &s, 5, false);
    CHECK(!strcmp(t.factor, "×10⁶") && strchr(t.labels[1], '.'), "%s, %s", t.factor, t.labels[1]);
    s.low = 999996.8, s.high = 1000003.2; /* the offset is a round number between the ticks */
    ticks_choose(&t, &s, 7, false);
    CHECK(!strcmp(t.factor, "+ 1,000,000") && !strcmp(t.labels[0], "−3"), "%s, %s", t.factor, t.labels[0]);
    s.low = 1234567.01, s.high = 1234567.09; /* or below them */
    ticks_choose(&t, &s, 5, false);
    CHECK(!strcmp(t.factor, "+ 1,234,567") && !strcmp(t.labels[0], "0.01"), "%s, %s", t.factor, t.labels[0]);
    s.low = 0, s.high = 20000;
    ticks_choose(&t, &s, 5, false);
    CHECK(!strcmp(t.labels[1], "5,000") && !*t.factor, "%s", t.labels[1]);
    s.low = -0.5, s.high = 1.5, s.whole = true;
    ticks_choose(&t, &s, 8, false);
    CHECK(t.n == 2 && t.at[0] == 0 && t.at[1] == 1, "whole: %d ticks", t.n);
    s.low = 0, s.high = 1.04; /* the count of one element */
    ticks_choose(&t, &s, 10, false);
    CHECK(t.n == 2 && t.at[0] == 0 && t.at[1] == 1, "one: %d ticks", t.n);
    s.low = -0.5, s.high = 0.5; /* a single row */
    ticks_choose(&t, &s, 8, false);
    CHECK(t.n == 1 && t.at[0] == 0 && !strcmp(t.labels[0], "0"), "a row: %d ticks", t.n);
}

/* Limits that no data give are as they are: ticks inside of them end, and ascend. */
static void ticks_of_odd_limits(void) {
    static const double odd[][2] = {{-1e308, 1e308}, {-DBL_MAX, DBL_MAX}, {1e17, 1e17 + 32}, {1, 1 + 4e-16},
                                    {0, 1e-310},     {-DBL_MAX, 1},       {0.2, 0.7}};
    static struct ticks t;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int whole = 0; whole < 2; whole++) {
            struct scale s = {.low = odd[i][0], .high = odd[i][1], .whole = whole, .to = 100};
            ticks_choose(&t, &s, 8, false);
            CHECK(whole || t.n >= 1, "limits %zu: %d ticks", i, t.n);
            for (int k = 1; k < t.n; k++) CHECK(t.at[k] > t.at[k - 1], "limits %zu: tick %d", i, k);
        }
}

static void logarithmic_ticks(void) {
    static struct ticks t;
    struct scale s = {.log = true, .low = 1e-3, .high = 1e3, .to = 100};
    ticks_choose(&t, &s, 8, false);
    CHECK(t.n == 7 && !strcmp(t.labels[0], "0.001") && !strcmp(t.labels[6], "1000"), "%d: %s", t.n,
          t.labels[0]);
    CHECK(t.nminor == 48, "%d minor ticks", t.nminor);
    ticks_choose(&t, &s, 2, false);
    CHECK(t.n == 2, "%d ticks of a short axis", t.n);
    s.low = 1e-9, s.high = 1e9;
    ticks_choose(&t, &s, 4, false);
    CHECK(t.n >= 3 && t.n <= 6 && !strncmp(t.labels[0], "10", 2), "%d: %s", t.n, t.labels[0]);
    ticks_choose(&t, &s, 4, true);
    CHECK(!strncmp(t.labels[0], "1e-", 3), "%s", t.labels[0]);
    s.low = 3, s.high = 40;
    ticks_choose(&t, &s, 5, false);
    CHECK(t.n == 3 && t.at[0] == 5 && t.at[1] == 10 && t.at[2] == 20, "%d ticks from %g", t.n, t.at[0]);
    s.low = 5, s.high = 7;
    ticks_choose(&t, &s, 5, false);
    CHECK(t.n >= 3, "%d ticks", t.n);
    CHECK(isnan(scale_at(&s, 0)) && isnan(scale_at(&s, -1)) && isnan(scale_at(&s, NAN)),
          "a position of no number");
}

static void ranges(void) {
    static const struct bounds odd[] = {
        {1, 0}, {0, 0}, {7, 7}, {-DBL_MAX, DBL_MAX}, {DBL_MAX, DBL_MAX}, {1e15, 1e15 + 0.125}, {0, 5e-324}};
    static struct ticks t;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int log = 0; log < 2; log++) {
            struct scale s = {.log = log, .to = 1};
            struct bounds b =
                log && odd[i].low <= 0 && odd[i].high > 0 ? (struct bounds){5e-324, odd[i].high} : odd[i];
            if (log && odd[i].high <= 0) b = BOUNDS_EMPTY;
            scale_fit(&s, b, 0.04);
            CHECK(isfinite(s.low) && isfinite(s.high) && s.low < s.high, "range %zu: %g to %g", i, s.low,
                  s.high);
            ticks_choose(&t, &s, 6, false);
            CHECK(t.n >= 1, "range %zu: %d ticks", i, t.n);
            double middle = log ? sqrt(s.low) * sqrt(s.high) : s.low / 2 + s.high / 2;
            CHECK(fabs(scale_at(&s, middle) - 0.5) < 1e-6, "range %zu: %g", i, scale_at(&s, middle));
        }
}

TESTS_MAIN(TEST(ticks), TEST(ticks_of_the_paper), TEST(ticks_of_odd_limits), TEST(logarithmic_ticks),
           TEST(ranges))
