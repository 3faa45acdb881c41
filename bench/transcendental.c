/*
 * Nanoseconds per element of every floating-point entry, f32 and f64, 65536 elements (in the second-level cache). Peers
 * are NumPy's and PyTorch's functions of the same name, if any. A second table compares the bare loop with SLEEF's
 * function of the same name and vector width, if the library is installed.
 *
 *   ./dev bench transcendental [--threads 1,2] [--filter TEXT] [--rounds N] [--json [FILE]]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/machine/isa.h"
#include "bench/support/harness.h"
#include "bench/support/record.h"
#include "engine/cpu/cpu.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"

enum { ELEMENTS = 1 << 16, LOOP = 4096, ROUNDS = 301 };

/* Entries with another name in NumPy (second column) or PyTorch (third); "": no such function. */
static const char *const names[][3] = {{"asin", "arcsin", "asin"},    {"acos", "arccos", "acos"},
                                       {"atan", "arctan", "atan"},    {"asinh", "arcsinh", "asinh"},
                                       {"acosh", "arccosh", "acosh"}, {"atanh", "arctanh", "atanh"},
                                       {"atan2", "arctan2", "atan2"}, {"pow", "power", "pow"},
                                       {"cbrt", "cbrt", ""},          {"erf", "", "erf"},
                                       {"erfc", "", "erfc"},          {"sigmoid", "", "sigmoid"},
                                       {"lgamma", "", "lgamma"},      {"rsqrt", "", "rsqrt"},
                                       {"softplus", "", ""},          {"arg", "", ""}};

static enum row_id current;
static ty_tensor *run_row(ty_tensor *const *x) { return elementwise(current, row_ops[current].arity, x); }

/* Return true for entries that need more than one or two instructions. */
static bool is_transcendental(enum row_id row) {
    const struct row *r = &row_table[row];
    return ((int)r->in & CLASS_FLOAT) && !((int)r->in & CLASS_BOOL) && r->out != BOOL &&
           r->error.ulps > 0.5 && row_ops[row].arity < 3;
}

static void against_peers(struct bench *b) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    for (int row = 0; row < ROWS; row++) {
        if (!is_transcendental((enum row_id)row)) continue;
        const char *ours = row_ops[row].name, *numpy = ours, *torch = ours;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(names[i][0], ours) == 0) numpy = names[i][1], torch = names[i][2];
        current = (enum row_id)row;
        for (int d = 0; d < 2; d++) {
            char title[64], np[64], th[64];
            const char *operands = row_ops[row].arity == 1 ? "a" : "a, b";
            struct bench_input in = {dtypes[d], 1, {ELEMENTS}, row_table[row].low, row_table[row].high};
            snprintf(title, sizeof title, "%s %s", ours, ty_dtype_name(dtypes[d]));
            snprintf(np, sizeof np, "np.%s(%s, out=out)", numpy, operands);
            snprintf(th, sizeof th, "torch.%s(%s, out=out)", torch, operands);
            bench_case(b, &(struct bench_case){.name = title,
                                               .ninputs = row_ops[row].arity,
                                               .inputs = {in, in},
                                               .run = run_row,
                                               .numpy = *numpy ? np : NULL,
                                               .torch = *torch ? th : NULL,
                                               .roof = BENCH_NO_ROOF});
        }
    }
}

#if defined(__x86_64__)
/* Define a loop that calls an AVX-512 function of SLEEF through a pointer. */
typedef double wide_f64 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float wide_f32 __attribute__((vector_size(64), aligned(4), may_alias));
#define SLEEF_LOOP(name, vector, lanes)                                                                      \
    __attribute__((target("avx512f"))) static void name(void *f, int arity, void *y, const void *a,          \
                                                        const void *b) {                                     \
        for (int i = 0; i < LOOP / lanes; i++)                                                               \
            ((vector *)y)[i] =                                                                               \
                arity == 1 ? ((vector(*)(vector))f)(((const vector *)a)[i])                                  \
                           : ((vector(*)(vector, vector))f)(((const vector *)a)[i], ((const vector *)b)[i]); \
    }
SLEEF_LOOP(sleef_f32, wide_f32, 16)
SLEEF_LOOP(sleef_f64, wide_f64, 8)

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double operands[2][LOOP], result[LOOP]; /* f32 uses half of the bytes */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct record_time summary(double *samples) {
    qsort(samples, ROUNDS, sizeof *samples, ascending);
    return (struct record_time){samples[ROUNDS / 2], samples[0]};
}

static void sleef_row(struct bench *b, enum row_id row, ty_dtype dtype, void *function) {
    int arity = row_ops[row].arity;
    cpu_loop loop = cpu_loop_find(&row_ops[row], dtype, dtype);
    double ours[ROUNDS], theirs[ROUNDS], span = row_table[row].high - row_table[row].low;
    uint64_t random = 88172645463325252u;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < LOOP; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            double x = row_table[row].low + span * (double)(random >> 11) * 0x1p-53;
            if (dtype == TY_F64)
                operands[k][i] = x;
            else
                ((float *)operands[k])[i] = (float)x;
        }
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        loop(LOOP, result, operands[0], operands[1], NULL);
        double middle = seconds();
        (dtype == TY_F64 ? sleef_f64 : sleef_f32)(function, arity, result, operands[0], operands[1]);
        double end = seconds();
        ours[round] = middle - start, theirs[round] = end - middle;
    }
    char name[64];
    struct record_row r = {.name = name, .dtype = ty_dtype_name(dtype), .threads = 1, .npeers = 1};
    r.ours = summary(ours), r.peers[0].time = summary(theirs), r.peers[0].name = "SLEEF";
    snprintf(name, sizeof name, "loop of %s %s", row_ops[row].name, r.dtype);
    record_row(bench_record(b), &r);
    double median = r.ours.median, peer = r.peers[0].time.median;
    printf("%-10s %-4s %8.3f %8.3f %8.2f\n", row_ops[row].name, r.dtype, median / LOOP * 1e9,
           peer / LOOP * 1e9, peer / median);
}

static void against_sleef(struct bench *b, const char *filter) {
    void *library = dlopen("libsleef.so.3", RTLD_NOW);
    if (!library || isa_current() != ISA_AVX512) {
        printf("no peer SLEEF: %s\n", library ? "its functions of AVX-512 are what is compared"
                                              : "on Debian: apt-get install libsleef3");
        return;
    }
    record_peer(bench_record(b), "SLEEF", "SLEEF 3", "1");
    printf("\nns per element, median of %d   ours    SLEEF    ratio\n", ROUNDS);
    for (int row = 0; row < ROWS; row++)
        for (int d = 0; d < 2 && is_transcendental((enum row_id)row); d++) {
            static const char *const bounds[] = {"u10", "u15", "u05"};
            void *function = NULL;
            for (int i = 0; i < 3 && !function; i++) {
                char name[64];
                snprintf(name, sizeof name, "Sleef_%s%s_%savx512f", row_ops[row].name, d ? "d8" : "f16",
                         bounds[i]);
                function = dlsym(library, name);
            }
            if (function && (!filter || strstr(row_ops[row].name, filter)))
                sleef_row(b, (enum row_id)row, d ? TY_F64 : TY_F32, function);
        }
    dlclose(library);
}
#else
static void against_sleef(struct bench *b, const char *filter) { (void)b, (void)filter; }
#endif

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "floating rows, 65536 elements");
    const char *filter = NULL;
    if (!b) return 1;
    for (int i = 1; i + 1 < argc && argv[i] && argv[i + 1]; i++)
        if (strcmp(argv[i], "--filter") == 0) filter = argv[i + 1];
    against_peers(b);
    against_sleef(b, filter);
    return bench_close(b);
}
