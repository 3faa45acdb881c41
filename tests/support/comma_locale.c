/*
 * A locale with a decimal comma. No distribution installs German by default, so the numeric category is written in
 * glibc's file format (locale/loadlocale.c): a magic number, the number of entries, the offset of each, the entries.
 */
#include "tests/support/comma_locale.h"
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/starve.h"

static const struct {
    uint32_t what, entries, begins[6];
    char point[2], thousands[2], grouping[2], unused[2];
    uint32_t wide_point, wide_thousands;
    char code[6], end[2];
} comma = {0x20031114, 6, {32, 34, 36, 40, 44, 48}, ",", ".", "\3", "", ',', '.', "UTF-8", ""};

static bool has_comma(void) {
    char text[16];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return !strcmp(text, "1,5");
}

static bool make_locale(void) {
    const char *folder = scratch_folder(), *place = scratch_path(folder, "comma");
    CHECK(!mkdir(place, 0700), "no folder for a locale");
    write_file(scratch_path(place, "LC_NUMERIC"), &comma, sizeof comma);
    CHECK(!setenv("LOCPATH", folder, 1), "no environment");
    return setlocale(LC_NUMERIC, "comma") && has_comma();
}

static void restore(void *unused) {
    (void)unused;
    /* the test's own setlocale must not fail; glibc's does not survive it */
    bool starving = starve_others(false);
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    starve_others(starving);
}

bool comma_locale_begin(void) {
    static char token;
    test_own(&token, restore);
    bool starving = starve_others(false);
    bool german =
        (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "German_Germany.1252")) && has_comma();
    bool there = german || make_locale();
    starve_others(starving);
#if defined(__GLIBC__) || defined(_WIN32)
    CHECK(there, "no locale with commas could be made");
#endif
    return there;
}

void comma_locale_end(void) { restore(NULL); }
