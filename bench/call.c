/*
 * The overhead of a call: operations on one-element operands, and the cost of starting threads. NumPy and PyTorch are
 * called from Python, so their time includes the interpreter's.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/threads/parallel.h"
#include "bench/support/harness.h"
#include "bench/support/record.h"

static ty_tensor *add(ty_tensor *const *x) { return ty_add(x[0], x[1]); }
static ty_tensor *add_number(ty_tensor *const *x) { return ty_add(x[0], ty_num(2)); }
static ty_tensor *sine(ty_tensor *const *x) { return ty_sin(x[0]); }
static ty_tensor *total(ty_tensor *const *x) { return ty_sum(x[0], TY_ALL); }
static ty_tensor *transposed(ty_tensor *const *x) { return ty_transpose(x[0]); }

/* Created by the first call, reused by later ones. */
static ty_tensor *tracked, *promise;
static ty_program *program;

static ty_tensor *add_tracked(ty_tensor *const *x) {
    if (!tracked) tracked = ty_retain(ty_track(x[0], "x"));
    return ty_add(tracked, tracked);
}

static ty_tensor *add_promise(ty_tensor *const *x) {
    if (!promise) promise = ty_retain(ty_var(x[0], "x"));
    return ty_add(promise, promise);
}

static ty_tensor *run_program(ty_tensor *const *x) {
    if (!program) {
        ty_tensor *v = ty_var(x[0], "x"), *y = ty_add(v, v);
        program = ty_compile(1, &y, (ty_compile_options){0});
    }
    return ty_run(program) ? ty_output(program, 0) : ty_program_failure(program);
}

#define ONE                                                                                                  \
    { TY_F32, 1, {1}, 0, 1 }
#define FEW                                                                                                  \
    { TY_F32, 2, {3, 4}, 0, 1 }
static const struct bench_case cases[] = {
    {"add, 1 element", 2, {ONE, ONE}, add, "np.add(a, b)", "torch.add(a, b)", 0, BENCH_NO_ROOF},
    {"add a number, 1 element", 1, {ONE}, add_number, "a + 2", "a + 2", 0, BENCH_NO_ROOF},
    {"sin, 1 element", 1, {ONE}, sine, "np.sin(a)", "torch.sin(a)", 0, BENCH_NO_ROOF},
    {"sum, 3 by 4", 1, {FEW}, total, "np.sum(a)", "torch.sum(a)", 0, BENCH_NO_ROOF},
    {"transposed view, 3 by 4", 1, {FEW}, transposed, "a.T", "a.t()", 0, BENCH_NO_ROOF},
    {"add, tracked", 1, {ONE}, add_tracked, NULL, "torch.add(a, a)", 0, BENCH_NO_ROOF},
    {"add, recorded as a promise", 1, {ONE}, add_promise, NULL, NULL, 0, BENCH_NO_ROOF},
    {"run of a compiled add", 1, {ONE}, run_program, NULL, NULL, 0, BENCH_NO_ROOF},
};

/* ---- threads ---- */

enum { ROUNDS = 101, IDLE_MICROSECONDS = 20000 };
static void nothing(void *context, int64_t begin, int64_t end) { (void)context, (void)begin, (void)end; }
static void enter_and_leave(void *context) {
    parallel_for(*(int *)context, *(int *)context, 1, nothing, NULL);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct record_time after_idling(int threads) {
    double seconds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec t0, t1;
        usleep(IDLE_MICROSECONDS);
        clock_gettime(CLOCK_MONOTONIC, &t0);
        enter_and_leave(&threads);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        seconds[i] = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
    }
    qsort(seconds, ROUNDS, sizeof *seconds, ascending);
    return (struct record_time){seconds[ROUNDS / 2], seconds[0]};
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "calls");
    if (!b) return 1;
    ty_set_threads(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) bench_case(b, &cases[i]);
    for (int threads = 2; threads <= ty_threads() || threads == 2; threads *= 2) {
        const char *warm = "parallel_for, warm", *idle = "parallel_for, after 20 ms";
        printf("%-34s %2d %12.3f\n", warm, threads,
               1e6 * bench_time(b, warm, threads, enter_and_leave, &threads));
        struct record_time rested = after_idling(threads);
        printf("%-34s %2d %12.3f\n", idle, threads, 1e6 * rested.median);
        record_row(bench_record(b), &(struct record_row){.name = idle, .threads = threads, .ours = rested});
    }
    if (tracked) ty_release(tracked);
    if (promise) ty_release(promise);
    if (program) ty_program_free(program);
    return bench_close(b);
}
