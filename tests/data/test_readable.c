/* Data sets without the examples that cannot be read. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/context.h>
#include <tyto/create.h>
#include <tyto/data.h>
#include <tyto/graph.h>
#include "tests/support/harness.h"

static bool get_odd(void *context, int64_t index, ty_tensor **out) {
    (void)context;
    out[0] = ty_scalar(TY_F32, (double)index);
    return index % 2;
}
static bool get_none(void *context, int64_t index, ty_tensor **out) {
    (void)context, (void)index, (void)out;
    return false;
}

static void only_readable_examples(void) {
    const ty_field field = {"x", TY_F32, 0, NULL};
    ty_data_source source = {.size = 7, .nfields = 1, .fields = &field, .get = get_odd};
    int64_t bad[2] = {-1, -1}, count = -1;
    ty_dataset *whole = ty_dataset_source(source), *set = ty_dataset_readable(whole, 2, bad, &count);
    ty_dataset_free(whole);
    CHECK(!*ty_dataset_error(set) || test_starving(), "%s", ty_dataset_error(set));
    CHECK((ty_dataset_size(set) == 3 && count == 4 && bad[0] == 0 && bad[1] == 2) || test_starving(),
          "%lld examples and %lld others, %lld first", (long long)ty_dataset_size(set), (long long)count,
          (long long)bad[0]);
    ty_tensor *x;
    CHECK((ty_dataset_get(set, 2, 1, &x) && ty_item(x) == 5) || test_starving(), "another example");
    ty_dataset_free(set);
    source.get = get_none;
    whole = ty_dataset_source(source);
    set = ty_dataset_readable(whole, 0, NULL, NULL);
    ty_dataset_free(whole);
    CHECK(strstr(ty_dataset_error(set), "none of the 7 examples can be read") || test_starving(), "%s",
          ty_dataset_error(set));
    ty_dataset_free(set);
}

static bool get_promise(void *context, int64_t index, ty_tensor **out) {
    (void)context;
    out[0] = ty_mul(ty_lazy(ty_scalar(TY_F32, (double)index)), ty_num(2));
    return true;
}

/* A stop is no example that cannot be read. */
static void stops(void) {
    const ty_field field = {"x", TY_F32, 0, NULL};
    ty_data_source source = {.size = 7, .nfields = 1, .fields = &field, .get = get_promise};
    ty_dataset *whole = ty_dataset_source(source);
    ty_interrupt(NULL);
    ty_dataset *set = ty_dataset_readable(whole, 0, NULL, NULL);
    ty_resume(NULL);
    CHECK(strstr(ty_dataset_error(set), "interrupted") || test_starving(), "%s", ty_dataset_error(set));
    ty_dataset_free(set);
    ty_dataset_free(whole);
}

TESTS_MAIN(TEST(only_readable_examples), TEST(stops))
