/* Rows of profiles for devices: copies, and kernels that cpu computes for them. */
#include <string.h>
#include <tyto/profile.h>

#include "ops/core/kernel/kernel.h"
#include "tests/support/far.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *numbers(int64_t n) { return sample_shape(TY_F32, 1, &n, -2, 2); }

/* A copy has a row for each way and size. */
static void profiles(void) {
    far_begin();
    ty_profile_start();
    ty_tensor *y = ty_exp(ty_to(numbers(1000), "far:0"));
    ty_data(y);
    ty_profile *p = test_own(ty_profile_stop(), (void (*)(void *))ty_profile_free);
    int found = 0;
    for (int i = 0; i < ty_profile_count(p); i++) {
        ty_profile_row row = test_profile_row(p, i);
        found += !strcmp(row.name, "copy to far:0, 4000 bytes") && row.calls == 1 && row.bytes == 4000;
        found += !strcmp(row.name, "copy from far:0, 4000 bytes") && row.calls == 1;
    }
    CHECK(found == 2 || test_starving(), "%d rows of copies", found);
}

/* Kernels that a device lacks are counted by their kind. */
static void profiles_of_others(void) {
    far_begin();
    far.kinds = UINT64_C(1) << KERNEL_SORT;
    ty_profile_start();
    for (int i = 1; i <= 3; i++) ty_data(ty_sort(ty_to(numbers(100 * i), "far:0"), 0, false));
    ty_profile *p = test_own(ty_profile_stop(), (void (*)(void *))ty_profile_free);
    int64_t calls = 0;
    int others = 0;
    for (int i = 0; i < ty_profile_count(p); i++)
        if (!strcmp(test_profile_row(p, i).name, "on cpu for far:0: sort"))
            calls += test_profile_row(p, i).calls;
        else
            others++;
    CHECK(calls == 3 || test_starving(), "%lld sorts by cpu", (long long)calls);
    const char *table = test_text(ty_profile_table(p, 1, 0, 0));
    CHECK(test_starving() || strstr(table, "on cpu for far:0: sort\n"), "%s", table);
    char total[64];
    snprintf(total, sizeof total, "ms in %d kinds of kernels\n", others);
    CHECK(test_starving() || strstr(table, total), "%s lacks %s", table, total);
}

TESTS_MAIN(TEST(profiles), TEST(profiles_of_others))
