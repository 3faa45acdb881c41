/* Arithmetic as machine code gives the bits of the loops on every instruction set, for any number of
   elements, values and arrays. */
#include "base/machine/isa.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"
#include "tests/support/samples/sample.h"

enum { MOST = 40 };

static ty_tensor *one(uint64_t kind, ty_tensor *a, ty_tensor *b) {
    switch (kind % 13) {
    case 0:
        return ty_add(a, b);
    case 1:
        return ty_sub(a, b);
    case 2:
        return ty_mul(a, b);
    case 3:
        return ty_div(a, b);
    case 4:
        return ty_sqrt(ty_square(a));
    case 5:
        return ty_neg(a);
    case 7:
        return ty_abs(ty_sub(a, b));
    case 6:
        return ty_square(ty_sub(b, a));
    case 8:
        return ty_max(a, b);
    case 9:
        return ty_min(a, b);
    case 10:
        return ty_relu(ty_sub(a, b));
    case 11:
        return ty_clip(a, b, ty_mul(a, b));
    default:
        return ty_add(a, a);
    }
}

/* Record `count` random operators over n inputs; writes the last `results` of them to y. */
static void record(uint64_t seed, int n, ty_tensor *const *x, int count, int results, ty_tensor **y) {
    ty_tensor *values[2 * MOST];
    for (int i = 0; i < n; i++) values[i] = x[i];
    for (int i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int most = n + i, a = (int)((seed >> 33) % (uint64_t)most), b = (int)((seed >> 40) % (uint64_t)most);
        values[most] = one(seed >> 50, values[i % 3 ? most - 1 : a], values[b]);
    }
    for (int i = 0; i < results; i++) y[i] = CHECK_OK(values[n + count - 1 - i]);
}

static void check(uint64_t seed, ty_dtype dtype, int n, int64_t size, int count, int results) {
    struct test_round round = test_round();
    ty_tensor *x[MOST], *tracked[MOST], *want[MOST], *y[MOST];
    for (int i = 0; i < n; i++) {
        bool scalar = i % 4 == 3;
        ty_tensor *value = sample_shape(dtype, !scalar, &size, -3, 3);
        if (i % 3 == 1) /* zeros of both signs, infinities and NaN */
            value = ty_div(ty_floor(value), ty_floor(sample_shape(dtype, !scalar, &size, -3, 3)));
        x[i] = CHECK_OK(ty_var(value, "x"));
        tracked[i] = CHECK_OK(ty_track(value, "x"));
    }
    record(seed, n, tracked, count, results, want);
    record(seed, n, x, count, results, y);
    for (int jit = 1; jit >= 0; jit--) {
        ty_trim();
        jit_allow(jit);
        program_gives(seed, jit ? "machine code" : "loops", (ty_compile_options){0}, results, y, want);
    }
    jit_allow(true);
    ty_trim();
    test_round_end(round);
}

static void check_all(void) {
    static const int64_t sizes[] = {5, 16, 17, 100, 1023, 5000};
    uint64_t seed = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int count = 2; count <= MOST; count += test_some(5, 13, 20))
            for (int d = 0; d < 2; d++)
                for (int n = 1; n <= 17; n += 4, seed++) {
                    int results = 1 + (int)(seed % 6);
                    check(seed, d ? TY_F64 : TY_F32, n, sizes[s], count, results < count ? results : count);
                }
}

static void every_set(void) {
    enum isa best = isa_best();
    for (int isa = (int)best; isa >= 0; isa--) {
        isa_force((enum isa)isa);
        check_all();
    }
    isa_force(best);
}

static void small_tiles(void) {
    test_draw_tiles();
    check_all();
}

/* A step of an optimiser overwrites its operands. */
static void in_place(void) {
    for (int size = 1; size < 3000; size = 3 * size + 1) {
        struct test_round round = test_round();
        int64_t n = size;
        ty_tensor *value = sample_shape(TY_F32, 1, &n, -1, 1), *g = ty_var(value, "g");
        ty_tensor *p = ty_var(value, "p"), *m = ty_var(value, "m"), *v = ty_var(ty_square(value), "v");
        ty_tensor *now[3] = {value, value, ty_square(value)};
        ty_tensor *m1 = ty_add(ty_mul(m, ty_num(0.9)), ty_mul(g, ty_num(0.1)));
        ty_tensor *v1 = ty_add(ty_mul(v, ty_num(0.99)), ty_mul(ty_square(g), ty_num(0.01)));
        ty_tensor *p1 = ty_sub(p, ty_div(m1, ty_add(ty_sqrt(v1), ty_num(1e-8))));
        ty_update updates[] = {{p, p1}, {m, m1}, {v, v1}};
        ty_program *step =
            test_program(ty_compile(0, NULL, (ty_compile_options){.updates = updates, .nupdates = 3}));
        if (!program_is_well(step)) continue;
        for (int i = 0; i < 3; i++) {
            now[1] = ty_add(ty_mul(now[1], ty_num(0.9)), ty_mul(value, ty_num(0.1)));
            now[2] = ty_add(ty_mul(now[2], ty_num(0.99)), ty_mul(ty_square(value), ty_num(0.01)));
            now[0] = ty_sub(now[0], ty_div(now[1], ty_add(ty_sqrt(now[2]), ty_num(1e-8))));
            if (!ty_run(step)) break;
        }
        ty_tensor *variables[] = {p, m, v};
        for (int i = 0; i < 3 && !test_starving(); i++)
            compare_bits(ty_eval(variables[i]), now[i], "%d of %d", i, size);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(every_set), TEST(small_tiles), TEST(in_place))
