/*
 * Memory that each public function allocates besides its result: bytes for each element of a vector x, counted by the
 * library's allocator.
 *
 *   ./dev bench memory [PART OF A NAME]
 * The rows of tests/support/samples/beside.def come first; "grows" marks those that need over 1/16 byte per element more
 * at four times the length. Then each function is called as f(x), f(x, x), ...: with the first list of arguments that it
 * accepts. "over" marks those above their limit in tests/support/samples/bytes.def, which make the command fail.
 * "ragged" measures gradient steps over batches of ever new sizes instead: eager, by a function with a bound of the size
 * (ty_function_bound), and the time that networks take to record and compile a new size with and without such a bound.
 */
#include "base/memory/blocks.h"
#include "compile/program.h"
#include "base/machine/debug.h"
#include <tyto/zoo.h>
#include "tests/support/ragged.h"
#include "tests/support/samples/beside.h"
#include "tests/support/samples/function_bytes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW = 1 << 20, MANY = 4 * FEW, NAME = 64 };

static const char *const uses[] = {
#define BESIDE(text, of_u8, of_f32) text,
#include "tests/support/samples/beside.def"
};

static struct beside measure(ty_dtype dtype, int64_t n, const char *text) {
    ty_tensor *x[BESIDE_NAMES];
    ty_scope *scope = ty_open();
    beside_operands(dtype, n, x);
    struct beside b = beside_of(text, x);
    ty_close(scope);
    return b;
}

static void print_row(const char *text) {
    printf("%-44s", text);
    for (int i = 0; i < 2; i++) {
        ty_dtype dtype = i ? TY_F32 : TY_U8;
        struct beside few = measure(dtype, FEW, text), many = measure(dtype, MANY, text);
        if (few.error || many.error) {
            printf("  %6s %6s %6s %-5s", "-", "-", "-", "");
            continue;
        }
        double grows = (double)(many.peak - few.peak) / (MANY - FEW);
        printf("  %6.2f %6.2f %6.2f %-5s", (double)many.result / MANY, (double)few.peak / FEW,
               (double)many.peak / MANY, grows > 1.0 / 16 ? "grows" : "");
    }
    printf("\n");
    fflush(stdout);
}

/* Print the bytes of all functions whose name has this part. Return the number of those above their limits. */
static int print_functions(const char *part) {
    char name[NAME];
    int left = 0, over = 0;
    const char *signature;
    printf("bytes for each element of x, f32: of the result, beside it, beside a destination\n");
    for (int i = 0; (signature = ty_expression_function(i)); i++) {
        struct function_bytes b;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
        if (!strstr(name, part)) continue;
        if (!function_bytes(name, &b)) {
            left++;
            continue;
        }
        printf("%-44s  %8.2f %8.2f %8.2f  %s%s\n", b.text, b.result, b.beside, b.into,
               b.steep ? "steep " : "", b.over ? "over" : "");
        fflush(stdout);
        over += b.over;
    }
    printf("%d functions take none of these lists of arguments, or long; %d are above their limits\n", left,
           over);
    return over;
}

/* Print the peak of live and kept blocks of gradient steps over batches of a fixed size and of ever new ones. */
static void print_ragged(void) {
    enum { STEPS = 1500 };
    int64_t peaks[2];
    for (int i = 0; i < 2; i++) {
        ty_trim();
        blocks_peak_begin();
        if (ragged_steps(i ? STEPS : 3, i ? RAGGED_LEAST : RAGGED_MOST, RAGGED_MOST)) return;
        peaks[i] = (int64_t)blocks_state().peak;
    }
    printf("gradient steps over %d to %d rows: %.1f MB of blocks, %.1f MB for the largest alone\n",
           RAGGED_LEAST, RAGGED_MOST, 1e-6 * (double)peaks[1], 1e-6 * (double)peaks[0]);
}

/* As ragged_step, of a function: y[0] are the weights after a step on x[0] with the weights x[1]. */
static void step_of_function(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_tensor *w = x[1], *loss = ty_mean(ty_square(ty_matmul(x[0], w)), TY_ALL), *gradient;
    ty_grad(loss, 1, &w, &gradient);
    y[0] = ty_sub(w, ty_mul(gradient, ty_num(0.1)));
}

/* Run the steps of print_ragged by a function; print what it compiles and keeps. */
static void print_function(bool bounded) {
    enum { STEPS = 1500 };
    uint64_t state = 1;
    ty_scope *scope = ty_open();
    ty_tensor *w = ty_full(TY_F32, TY_SHAPE(RAGGED_WIDTH, RAGGED_WIDTH), 0.1);
    ty_function *f = ty_function_new(step_of_function, NULL, 2, 1, (ty_compile_options){0});
    if (bounded) ty_function_bound(f, 0, 0, RAGGED_MOST, NULL);
    ty_trim();
    blocks_peak_begin();
    for (int i = 0; i < STEPS; i++) {
        ty_scope *inner = ty_open();
        state = state * 6364136223846793005u + 1442695040888963407u;
        int64_t n = RAGGED_LEAST + (int64_t)((state >> 33) % (RAGGED_MOST - RAGGED_LEAST + 1));
        ty_tensor *x[] = {ty_full(TY_F32, TY_SHAPE(n, RAGGED_WIDTH), 0.01), w}, *y;
        ty_function_call(f, 2, x, 1, &y);
        ty_close(inner);
    }
    ty_function_memory m;
    ty_function_report(f, &m);
    double blocks = 1e-6 * (double)blocks_state().peak, programs = 1e-6 * (double)m.bytes;
    printf("by a function %s a bound: %d compiled, %d resized, %d dropped; %.1f MB of blocks and %.1f MB of "
           "programs\n",
           bounded ? "with" : "without", (int)m.compiles, (int)m.resized, (int)m.dropped, blocks, programs);
    ty_function_free(f);
    ty_close(scope);
}

/* A network: record its results, or the gradients of the mean of their squares, for a batch of n; return their
   number. */
struct network {
    ty_model *model;
    bool tokens, gradient;
};
enum { MOST_RESULTS = 512 };
static int record_network(const struct network *net, int64_t n, ty_tensor **y) {
    ty_tensor *x = ty_var(net->tokens ? ty_zeros(TY_I64, TY_SHAPE(2, n))
                                      : ty_zeros(TY_F32, TY_SHAPE(n, 28, 28, 1)),
                          "x"),
              *parameters[MOST_RESULTS];
    ty_model_call(net->model, NULL, 1, &x, y);
    if (!net->gradient) return 1;
    ty_tensor *loss = ty_mean(ty_square(y[0]), TY_ALL);
    int count = ty_model_parameters(net->model);
    for (int i = 0; i < count; i++) parameters[i] = ty_model_parameter(net->model, i);
    ty_grad(loss, count, parameters, y);
    return count;
}

/* Record and compile the network for n; return the milliseconds, 0 on failure. Adds the bytes of the arena to
   *arena. */
static double time_size(const struct network *net, int64_t n, const struct plan_use *sharing, double *arena) {
    ty_tensor *y[MOST_RESULTS];
    ty_scope *scope = ty_open();
    double start = debug_clock();
    int count = record_network(net, n, y);
    struct ty_program *p = program_new_shared(count, y, (ty_compile_options){0}, sharing);
    double time = debug_clock() - start;
    if (!p || p->broken.set) return 0;
    *arena += 1e-6 * (double)p->plan.arena_bytes;
    program_release(p);
    ty_close(scope);
    return time;
}

/* Print the time of a new size of a network, alone and with the plan of the bound. */
static void print_sizes(const char *name, bool gradient, int64_t least, int64_t most) {
    enum { SIZES = 24 };
    const ty_network *network = ty_network_named(name);
    ty_scope *scope = ty_open();
    struct network net = {
        .model = ty_network_model(network, (ty_network_options){0}, (ty_model_options){.lazy = true}),
        .tokens = network->tokens,
        .gradient = gradient};
    struct plan_share share = {0};
    struct plan_use sharing = {&share, 1};
    double alone = 0, shared = 0, arena = 0, arenas = 0, none = 0,
           bound = time_size(&net, most, &sharing, &none);
    for (int i = 0; i < SIZES; i++) {
        int64_t n = least + (most - least) * (7 * i % SIZES) / SIZES;
        if (i % 2) alone += time_size(&net, n, NULL, &arena);
        shared += time_size(&net, n, &sharing, &arenas);
        if (i % 2 == 0) alone += time_size(&net, n, NULL, &arena);
    }
    size_t bytes;
    printf("%-8s %-8s %4d..%-4d  %8.2f ms  %8.2f ms  %8.2f ms  %5d  %8.1f MB  %8.1f MB\n", name,
           gradient ? "gradient" : "", (int)least, (int)most, bound, alone / SIZES, shared / SIZES,
           memory_share_count(&share, &bytes), arena / SIZES, arenas / SIZES);
    memory_share_drop(&share);
    ty_model_free(net.model);
    ty_close(scope);
}

static void print_all_sizes(void) {
    printf("a new size, recorded and compiled: the bound, others alone, with the plan of the bound; plans; "
           "mean arenas\n");
    for (int gradient = 0; gradient < 2; gradient++) {
        print_sizes("lenet", gradient, 10, 200);
        print_sizes("gpt", gradient, 4, 100);
    }
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    if (strstr("ragged", part)) {
        print_ragged();
        print_function(false);
        print_function(true);
        print_all_sizes();
    }
    if (!strcmp("ragged", part)) return 0;
    mem_watch();
    printf("bytes beside the result for each element of x, of %d and of %d elements\n%-44s  %-27s%s\n%-44s",
           FEW, MANY, "", "u8", "f32", "");
    for (int i = 0; i < 2; i++) printf("  %6s %6s %6s %-5s", "result", "few", "many", "");
    printf("\n");
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (strstr(uses[i], part)) print_row(uses[i]);
    return print_functions(part) ? 1 : 0;
}
