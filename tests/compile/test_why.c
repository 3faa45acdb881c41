/* Reasons why kernels are not fused, as text. */
#include <string.h>
#include "base/alloc.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

static ty_tensor *view_of_it(ty_tensor *x) {
    ty_tensor *y = ty_exp(x);
    return ty_add(ty_mul(y, ty_num(2)), ty_transpose(y));
}
static ty_tensor *read_twice(ty_tensor *x) {
    ty_tensor *y = ty_exp(x);
    return ty_add(ty_sum(y, TY_ALL), ty_prod(y, TY_ALL));
}
static ty_tensor *product_of_map(ty_tensor *x) { return ty_matmul(ty_exp(x), x); }
static ty_tensor *two_products(ty_tensor *x) { return ty_matmul(ty_matmul(x, x), x); }
static ty_tensor *sum_of_product(ty_tensor *x) { return ty_sum(ty_matmul(x, x), ty_axis(1)); }
static ty_tensor *nothing_to_tell(ty_tensor *x) { return ty_exp(ty_add(x, ty_num(1))); }

static const struct {
    ty_tensor *(*make)(ty_tensor *x);
    const char *words; /* "": no kernel gives a reason */
} graphs[] = {
    {view_of_it, "it is read in another order, or partly\n"},
    {read_twice, "other kernels read it too\n"},
    {product_of_map, "only reductions compute their inputs\n"},
    {two_products, "not fused with the producer of b"},
    {sum_of_product, "sum: not fused with the producer of b"},
    {nothing_to_tell, ""},
};

static void reasons(void) {
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(64, 64)), "x"), *y = graphs[i].make(x);
        ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
        if (!program_is_well(p)) return;
        const char *why = test_text(ty_program_why(p));
        if (!why) return (void)CHECK(test_starving(), "there is no text");
        CHECK(!*graphs[i].words ? !strstr(why, "not with") : strstr(why, graphs[i].words) != NULL,
              "case %d says:\n%s", (int)i, why);
        int lines = 0;
        for (const char *at = why; *at; at++) lines += *at == '\n';
        CHECK(lines == test_report(p).kernels, "%d lines of case %d", lines, (int)i);
    }
}

static void broken_programs(void) {
    ty_tensor *bad = ty_poison("it was bad");
    ty_program *p = test_program(ty_compile(1, &bad, (ty_compile_options){0}));
    const char *why = test_text(ty_program_why(p)), *null = test_text(ty_program_why(NULL));
    if (test_starving()) return;
    CHECK(strstr(why, "it was bad"), "%s", why);
    CHECK(strstr(null, "the program is NULL"), "%s", null);
}

TESTS_MAIN(TEST(reasons), TEST(broken_programs))
