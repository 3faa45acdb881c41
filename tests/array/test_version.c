/* Versions of the headers and of the library. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/harness.h"

#if !TY_VERSION_AT_LEAST(0, 1, 0) || TY_VERSION_AT_LEAST(999, 0, 0) ||                                       \
    TY_VERSION != TY_VERSION_MAJOR * 1000000 + TY_VERSION_MINOR * 1000 + TY_VERSION_PATCH
#error "the version is not one for the preprocessor"
#endif
#if TY_VERSION_AT_LEAST(TY_VERSION_MAJOR, TY_VERSION_MINOR, TY_VERSION_PATCH + 1) ||                         \
    !TY_VERSION_AT_LEAST(TY_VERSION_MAJOR, TY_VERSION_MINOR, TY_VERSION_PATCH)
#error "patches are not compared"
#endif

static void the_library_has_the_version_of_its_headers(void) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", TY_VERSION_MAJOR, TY_VERSION_MINOR, TY_VERSION_PATCH);
    CHECK(!strcmp(ty_version(), text), "%s is not %s", ty_version(), text);
}

static void versions_are_compared_part_by_part(void) {
    enum { MAJOR = TY_VERSION_MAJOR, MINOR = TY_VERSION_MINOR, PATCH = TY_VERSION_PATCH };
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            for (int k = -1; k <= 1; k++) {
                bool want = i ? i < 0 : j ? j < 0 : k <= 0;
                CHECK(ty_version_at_least(MAJOR + i, MINOR + j, PATCH + k) == want, "%d %d %d", i, j, k);
            }
    CHECK(ty_version_at_least(INT_MIN, INT_MAX, INT_MAX) && !ty_version_at_least(INT_MAX, INT_MIN, INT_MIN),
          "extremes");
}

TESTS_MAIN(TEST(the_library_has_the_version_of_its_headers), TEST(versions_are_compared_part_by_part))
