/* Constants are held once: compiling, running, saving and loading count bytes of one copy. */
#include <tyto/io.h>
#include "base/alloc.h"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

enum { SIDE = 1024, BYTES = SIDE * SIDE * 4, LITTLE = BYTES / 8 };

/* Return the constant, with nothing recycled besides. */
static ty_tensor *constant(void) {
    ty_tensor *c = ty_normal(TY_F32, TY_SHAPE(SIDE, SIDE), ty_key(1));
    ty_trim();
    return c;
}

/* ---- programs ---- */

/* Functions of a constant and a row whose results are small, so that all other bytes are copies. */
static ty_tensor *whole(ty_tensor *c, ty_tensor *x) { return ty_sum(ty_mul(c, x), ty_axis(1)); }
static ty_tensor *transposed(ty_tensor *c, ty_tensor *x) { return whole(ty_transpose(c), x); }
static ty_tensor *reversed(ty_tensor *c, ty_tensor *x) { return whole(ty_flip(c, 0), x); }
static ty_tensor *cut(ty_tensor *c, ty_tensor *x) { return whole(ty_slice(c, 0, 0, SIDE, 2), x); }
static ty_tensor *twice(ty_tensor *c, ty_tensor *x) { return ty_add(whole(c, x), whole(c, ty_exp(x))); }
static ty_tensor *vector_product(ty_tensor *c, ty_tensor *x) { return ty_matmul(c, x); }
static ty_tensor *gathered(ty_tensor *c, ty_tensor *x) {
    ty_tensor *i = ty_cast(ty_abs(ty_mul(ty_slice(x, 0, 0, 4, 1), ty_num(9))), TY_I64);
    return ty_sum(ty_take(c, i, 0), ty_axis(1));
}
static ty_tensor *(*const uses[])(ty_tensor *c, ty_tensor *x) = {whole, transposed,     reversed, cut,
                                                                 twice, vector_product, gathered};
enum { USES = sizeof uses / sizeof *uses };

/* Run programs of a constant, and evaluate the same graph, and check what is held and the peak. */
static void check_use(int i) {
    ty_tensor *c = constant(), *x = ty_var(ty_uniform(TY_F32, TY_SHAPE(SIDE), ty_key(2)), "x"), *y, *value;
    if (!ty_ok(c) || !ty_ok(x)) return;
    int64_t before = mem_bytes();
    mem_peak_begin();
    y = uses[i](ty_lazy(c), x);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (!program_is_well(p) || !ty_run(p)) return;
    value = ty_eval(y);
    if (!ty_ok(value)) return;
    if (!test_starving()) {
        int64_t more = mem_bytes() - before, peak = mem_peak() - before;
        CHECK(more < LITTLE, "use %d: %lld bytes besides the constant", i, (long long)more);
        CHECK(peak < LITTLE, "use %d: at most %lld bytes besides the constant", i, (long long)peak);
    }
    compare_near(ty_output(p, 0), uses[i](c, ty_eval(x)), 1e-4, 1e-3, "use %d", i);
}

static void programs(void) {
    for (int i = 0; i < USES; i++) {
        struct test_round round = test_round();
        check_use(i);
        test_round_end(round);
    }
}

/* ---- files ---- */

static void graphs_in_files(void) {
    const char *path = scratch_path(scratch_folder(), "held.safetensors");
    ty_scope *scope = ty_open();
    ty_tensor *c = constant(), *x = ty_var(ty_ones(TY_F32, TY_SHAPE(SIDE)), "x"), *error = NULL,
              *y = ty_add(whole(ty_lazy(c), x), whole(ty_transpose(ty_lazy(c)), x));
    int64_t before = mem_bytes();
    mem_peak_begin();
    bool saved = ty_graph_save(path, 1, (const char *const[]){"y"}, &y, (ty_graph_options){0}, &error);
    CHECK(saved || test_starving(), "%s", ty_error(error));
    int64_t peak = mem_peak() - before;
    CHECK(test_starving() || peak < LITTLE, "saving takes %lld bytes besides the constant", (long long)peak);
    ty_close(scope);
    if (!saved) return;
    ty_trim();
    before = mem_bytes();
    mem_peak_begin();
    ty_graph *g = ty_graph_load(path, (ty_file_options){0});
    bool loaded = !*ty_graph_error(g);
    CHECK(loaded || test_starving(), "%s", ty_graph_error(g));
    peak = mem_peak() - before;
    CHECK(test_starving() || peak < BYTES + LITTLE, "loading takes %lld bytes for a constant of %d",
          (long long)peak, BYTES);
    y = ty_graph_get(g, "y");
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    ty_graph_free(g);
    if (loaded && program_is_well(p) && ty_run(p) && !test_starving()) {
        peak = mem_peak() - before;
        CHECK(peak < BYTES + LITTLE, "running takes %lld bytes for a constant of %d", (long long)peak, BYTES);
    }
}

/* A replaced graph shares the constants of the old one. */
static void replaced_graphs(void) {
    ty_tensor *c = constant(), *x = ty_var(ty_ones(TY_F32, TY_SHAPE(SIDE)), "x"),
              *other = ty_var(ty_ones(TY_F32, TY_SHAPE(SIDE)), "other"), *y = twice(ty_lazy(c), x), *z;
    if (!ty_ok(y) || !ty_ok(other)) return;
    int64_t before = mem_bytes();
    if (!ty_replace(1, &x, &other, 1, &y, &z)) return (void)CHECK_OK(z);
    CHECK(test_starving() || mem_bytes() - before < LITTLE, "%lld bytes", (long long)(mem_bytes() - before));
}

TESTS_MAIN(TEST(programs), TEST(graphs_in_files), TEST(replaced_graphs))
