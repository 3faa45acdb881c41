/* Random programs of loops, independent of the compiler: orders, steps, packing and stores. The cpu engine
   agrees with the interpreter to the bit, since all values are small integers. */
#include <string.h>
#include "contract/configuration.h"
#include "tests/support/harness.h"

enum { PROGRAMS = 3000, STARVING = 40, MOST = 1 << 15 };

static const struct form {
    const char *equation;
    int ranks[2];
    const char *letters[2];
} forms[] = {{"mk,kn->mn", {2, 2}, {"mk", "kn"}},           {"km,nk->nm", {2, 2}, {"km", "nk"}},
             {"abk,kcd->acbd", {3, 3}, {"abk", "kcd"}},     {"kba,dkc->cbda", {3, 3}, {"kba", "dkc"}},
             {"akbl,lkdc->bdac", {4, 4}, {"akbl", "lkdc"}}, {"dbea,ec->abcd", {4, 2}, {"dbea", "ec"}},
             {"dca,bd->abc", {3, 2}, {"dca", "bd"}},        {"gak,gkbc->gcab", {3, 4}, {"gak", "gkbc"}},
             {"agk,kbg->abg", {3, 3}, {"agk", "kbg"}}};
static const ty_dtype dtypes[] = {TY_F32, TY_F32, TY_F32, TY_F64, TY_C64, TY_C128, TY_I32, TY_BF16};

/* Return a random integer in 0 .. n - 1. */
static int64_t draw(int64_t n) { return test_between(0, n - 1); }

static int64_t draw_size(void) {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 13, 17, 24, 33, 48, 64};
    return sizes[draw(sizeof sizes / sizeof *sizes)];
}

/* Make a contraction with random sizes small enough for the interpreter; false on error. */
static bool make(ty_contraction *c, const struct form *form, ty_dtype dtype) {
    int64_t sizes[128] = {0}, products = 1, shapes[2][4];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < form->ranks[side]; i++) {
            int letter = form->letters[side][i];
            if (!sizes[letter]) {
                do sizes[letter] = draw_size();
                while (sizes[letter] > 1 && products * sizes[letter] > MOST);
                products *= sizes[letter];
            }
            shapes[side][i] = sizes[letter];
        }
    ty_contraction_operand x = {dtype, form->ranks[0], shapes[0], NULL, 0},
                           y = {dtype, form->ranks[1], shapes[1], NULL, 0};
    bool ok = contraction_from(c, form->equation, &x, &y, NULL);
    CHECK(ok || test_starving(), "%s: %s", form->equation, c->error);
    return ok;
}

/* Draw up to two loops over each dimension in any order with decreasing steps; those before the first over
   K may be shared. */
static void draw_loops(ty_contraction *c) {
    int64_t left[TY_CONTRACTION_DIMS];
    int loops = (int)draw(2 * c->ndims + 1);
    bool shared = draw(2) != 0;
    c->nloops = 0;
    for (int d = 0; d < c->ndims; d++) left[d] = c->dims[d].size;
    for (int i = 0; i < loops; i++) {
        int d = (int)draw(c->ndims);
        if (left[d] < 2) continue;
        left[d] = draw(3) ? 1 + draw(left[d]) : (left[d] + 1) / 2;
        shared = shared && c->dims[d].type != TY_DIM_K;
        c->loops[c->nloops++] = (ty_loop){d, shared ? TY_EXEC_SHARED : TY_EXEC_SEQUENTIAL, left[d]};
    }
    int walked = c->nloops;
    for (int d = 0; d < c->ndims; d++) c->loops[c->nloops++] = (ty_loop){d, TY_EXEC_PRIMITIVE, left[d]};
    for (int i = c->nloops - 1; i > walked; i--) {
        int j = walked + (int)draw(i - walked + 1);
        ty_loop x = c->loops[i];
        c->loops[i] = c->loops[j];
        c->loops[j] = x;
    }
    for (int side = 0; side < 2; side++) {
        c->packing[side].kind = draw(3) ? TY_PACK_PANELS : draw(2) ? TY_PACK_NONE : TY_PACK_WHOLE;
        c->packing[side].loop = (int)draw(walked + 1) - 1;
    }
    c->primitive = (ty_primitive)draw(TY_PRIMITIVE_SCALAR + 1);
    c->bypass = draw(2) != 0;
}

static void release_plan(void *plan) { ty_contraction_plan_release(plan); }

static bool run_with(const char *engine, const ty_contraction *c, ty_tensor *x, ty_tensor *y, void *out) {
    ty_use_engine(engine);
    ty_contraction_plan *plan = test_own(ty_contraction_compile(c), release_plan);
    bool ok = ty_contraction_run(plan, ty_data(x), ty_data(y), out);
    CHECK(ok || test_starving(), "%s: %s", engine, ty_contraction_plan_error(plan));
    ty_use_engine("cpu");
    return ok;
}

static ty_tensor *numbers(ty_dtype dtype, int64_t n, int seed) {
    ty_tensor *u = ty_uniform(TY_F32, 1, &n, ty_key((uint64_t)seed));
    return ty_cast(ty_sub(ty_floor(ty_mul(u, ty_num(5))), ty_num(2)), dtype);
}

/* Return the bytes of a side, from its first element to its last. */
static int64_t bytes_of(const ty_contraction *c, int side) {
    int64_t n = 1;
    for (int d = 0; d < c->ndims; d++) n += (c->dims[d].size - 1) * c->dims[d].stride[side];
    return n * (int64_t)ty_dtype_size(c->dtype[side]);
}

/* Run by both engines and compare. */
static void compare(const ty_contraction *c, ty_dtype dtype, const char *equation, int seed) {
    static ty_contraction plain;
    int64_t bytes = bytes_of(c, TY_OUT), size = (int64_t)ty_dtype_size(dtype);
    ty_tensor *x = numbers(dtype, bytes_of(c, TY_LEFT) / size, 2 * seed),
              *y = numbers(dtype, bytes_of(c, TY_RIGHT) / size, 2 * seed + 1);
    char *want = test_room((size_t)bytes), *got = test_room((size_t)bytes);
    CHECK_OK(x);
    CHECK_OK(y);
    if (!ty_ok(x) || !ty_ok(y)) return;
    plain = *c;
    plain.nloops = 0;
    plain.packing[0].loop = plain.packing[1].loop = -1;
    memset(got, 0xff, (size_t)bytes);
    if (!run_with("ref", &plain, x, y, want) || !run_with("cpu", c, x, y, got)) return;
    if (!memcmp(want, got, (size_t)bytes)) return;
    char *text = test_text(ty_contraction_text(c));
    CHECK(false, "program %d, %s:\n%s", seed, equation, text ? text : "");
}

static void run_program(const struct form *form, ty_contraction *c, int seed) {
    ty_dtype dtype = dtypes[draw(sizeof dtypes / sizeof *dtypes)];
    if (!make(c, form, dtype)) return;
    draw_loops(c);
    CHECK(ty_contraction_check(c, NULL), "program %d: %s", seed, c->error);
    compare(c, dtype, form->equation, seed);
}

static void loops_of_all_kinds(void) {
    static ty_contraction c;
    for (int i = 0; i < (test_starving() ? STARVING : PROGRAMS); i++) {
        struct test_round round = test_round();
        run_program(&forms[i % (int)(sizeof forms / sizeof *forms)], &c, i);
        test_round_end(round);
    }
}

/* Loops agree with small caches, too: sums have no buffer, arrays exceed the caches. */
static void loops_with_other_caches(void) {
    test_draw_caches();
    loops_of_all_kinds();
}

/* Remainders of remainders: 33 in steps of 17, of 9, of 3. The last 9 is 8, though 33, 17 - 8 and 9 are
   multiples of 3. */
static void rests_of_rests(void) {
    static const ty_loop loops[] = {{2, TY_EXEC_SEQUENTIAL, 17}, {2, TY_EXEC_SEQUENTIAL, 9},
                                    {3, TY_EXEC_SEQUENTIAL, 4},  {2, TY_EXEC_SEQUENTIAL, 3},
                                    {0, TY_EXEC_PRIMITIVE, 48},  {1, TY_EXEC_PRIMITIVE, 2},
                                    {2, TY_EXEC_PRIMITIVE, 3},   {3, TY_EXEC_PRIMITIVE, 4}};
    static ty_contraction c;
    ty_contraction_operand x = {TY_F32, 3, (int64_t[]){48, 33, 8}, NULL, 0},
                           y = {TY_F32, 3, (int64_t[]){8, 2, 33}, NULL, 0};
    bool ok = contraction_from(&c, "agk,kbg->abg", &x, &y, NULL);
    CHECK(ok || test_starving(), "%s", c.error);
    if (!ok) return;
    c.nloops = (int)(sizeof loops / sizeof *loops);
    memcpy(c.loops, loops, sizeof loops);
    c.packing[0].kind = c.packing[1].kind = TY_PACK_PANELS;
    c.packing[0].loop = c.packing[1].loop = -1;
    compare(&c, TY_F32, "agk,kbg->abg", 0);
}

TESTS_MAIN(TEST(rests_of_rests), TEST(loops_of_all_kinds), TEST(loops_with_other_caches))
