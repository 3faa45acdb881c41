/* Public functions for interpreters of nests (tyto/engine.h): folds, lists, operators. */
#include <string.h>

#include "engine/nest/lower.h"
#include "tests/support/harness.h"

static void folds_have_limits(void) {
    static const int64_t strides[] = {1};
    ty_nest_dim dim = {8, TY_NEST_FOLD, -1, -1};
    ty_nest_access read = {.slot = 0, .dtype = TY_F32, .strides = strides};
    ty_nest_fold fold = {.kind = TY_NEST_SUM, .dtype = TY_F32, .when = TY_NEST_ALWAYS, .lanes = NEST_LANES};
    ty_nest nest = {
        .name = "a sum", .ndims = 1, .nreads = 1, .nfolds = 1, .dims = &dim, .reads = &read, .folds = &fold};
    ty_folding *f = ty_folding_new(&nest, 0);
    CHECK(f || test_starving(), "64 lanes are refused");
    if (!f) return;
    ty_nest_value x = {{0}}, sum;
    float one = 1;
    memcpy(x.words, &one, sizeof one);
    ty_folding_start(f);
    for (int i = 0; i < 8; i++) ty_folding_term(f, &x), ty_folding_end(f, 0);
    ty_folding_end(f, 1);
    ty_folding_result(f, &sum);
    memcpy(&one, sum.words, sizeof one);
    ty_folding_free(f);
    CHECK(one == 8, "8 ones are %g", (double)one);
    fold.lanes = 2 * NEST_LANES;
    CHECK(!ty_folding_new(&nest, 0), "128 lanes");
    fold.lanes = 3;
    CHECK(!ty_folding_new(&nest, 0), "3 lanes joined by halves");
    fold.join = TY_NEST_DOTS;
    CHECK(!ty_folding_new(&nest, 0), "3 lanes of dots");
    CHECK(!ty_folding_new(&nest, 1) && !ty_folding_new(NULL, 0), "a fold that is not there");
}

static void lists_have_limits(void) {
    ty_tensor *error = NULL;
    ty_nest_temporary temporary = {TY_F32, 5};
    ty_nests nests = {.ntemporaries = 1, .temporaries = &temporary};
    CHECK(ty_nests_check(&nests, 0, NULL, NULL, &error) || test_starving(), "%s", ty_error(error));
    char *text = ty_nests_describe(&nests);
    CHECK(!text || !strstr(text, "not valid") || test_starving(), "described as: %s", text);
    ty_free(text);
    temporary.size = -1;
    CHECK(!ty_nests_check(&nests, 0, NULL, NULL, &error), "a temporary of %lld elements of dtype %d",
          (long long)temporary.size, (int)temporary.dtype);
    CHECK(strstr(ty_error(error), "a temporary is not valid") || test_starving(), "%s", ty_error(error));
    temporary = (ty_nest_temporary){TY_DTYPES, 5};
    CHECK(!ty_nests_check(&nests, 0, NULL, NULL, &error), "a temporary of no dtype");
    text = ty_nests_describe(&nests); /* the reason of the refusal */
    CHECK(!text || strstr(text, "a temporary is not valid") || test_starving(), "described as: %s", text);
    ty_free(text);
    CHECK(!ty_nests_describe(NULL), "a description of NULL");
}

static void applies_operators(void) {
    float x[] = {1, -2}, y[2] = {7, 7};
    double wide[2];
    const void *operands[] = {x, x, x};
    ty_nest_instr instr = {"add", TY_F32, TY_F32, 2, {0, 0}};
    CHECK(ty_nest_apply(&instr, 2, operands, y) && y[0] == 2 && y[1] == -4, "%g %g", (double)y[0],
          (double)y[1]);
    instr.n = 1;
    CHECK(!ty_nest_apply(&instr, 2, operands, y) && y[0] == 2, "add of one operand");
    instr = (ty_nest_instr){"sum", TY_F32, TY_F32, 1, {0}};
    CHECK(!ty_nest_apply(&instr, 2, operands, y), "sum is no operator of elements");
    instr = (ty_nest_instr){"cast", TY_F32, TY_F64, 1, {0}};
    CHECK(ty_nest_apply(&instr, 2, operands, wide) && wide[1] == -2, "%g", wide[1]);
    instr = (ty_nest_instr){"view_as", TY_F32, TY_F64, 1, {0}};
    CHECK(!ty_nest_apply(&instr, 2, operands, wide), "other bits");
    instr = (ty_nest_instr){"eq", TY_F32, TY_F32, 2, {0, 0}};
    CHECK(!ty_nest_apply(&instr, 2, operands, y), "eq gives bool");
}

TESTS_MAIN(TEST(folds_have_limits), TEST(lists_have_limits), TEST(applies_operators))
