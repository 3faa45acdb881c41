/*
 * Benchmarks against peers. Each case is one function of Tyto and the same work as an expression of NumPy and of
 * PyTorch. All are timed alternately in one run, each in its own process (bench/support/peer.py); results are medians
 * of several rounds. The machine's limits are measured in the same rounds, like a peer: multiply-adds, and reading and
 * writing as many bytes as the case does, in the caches if they fit.
 *
 *   ./dev bench NAME [--threads 1,2] [--filter TEXT] [--rounds N] [--quick] [--json [FILE]]
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H
#include <tyto/tyto.h>

enum { BENCH_INPUTS = 48, BENCH_THREADS = 8 };

/* An operand: uniform in [low, high), integers for integer dtypes. Tyto gets it as x[i], the peers as a,
   b, c, ..., z, A, B, ... */
struct bench_input {
    ty_dtype dtype;
    int rank;
    int64_t shape[6];
    double low, high;
};

enum bench_roof { BENCH_STREAM, BENCH_READ, BENCH_NO_ROOF };

struct bench_case {
    const char *name;
    int ninputs;
    struct bench_input inputs[BENCH_INPUTS];
    /* Computes the result; runs in its own scope, which is closed within the measured time. */
    ty_tensor *(*run)(ty_tensor *const *x);
    /* Python expressions of a, b, ...; `out` is the result of an earlier call, for out=out; NULL: no peer. */
    const char *numpy, *torch;
    double bytes; /* least bytes of memory traffic in one run; 0: unknown */
    enum bench_roof roof;
    /* additions and multiplications; 0: unknown. If given, the roof is their time at peak plus that of the
       bytes */
    double flops;
    const void *detail; /* details for native peers */
    const char *tblis;  /* expression for TBLIS, by pytblis */
};

/* A library called from C: one column of the table. */
struct bench_native {
    const char *name;
    /* Prepares the case over our own operands; NULL: the library does not support it. */
    void *(*open)(const struct bench_case *c, ty_tensor *const *x, int threads);
    void (*run)(void *context);
    void (*close)(void *context);
};

struct bench;
/* Read the options, start the peers, measure the roofs and print the table's head. NULL on error, after
   printing the reason. */
struct bench *bench_open(int argc, char **argv, const char *title);
/* Add a column for a library of that version; call it before the first case. */
void bench_native(struct bench *b, const struct bench_native *native, const char *version);
/* Time one case with each number of threads and print a row for each. */
void bench_case(struct bench *b, const struct bench_case *c);
/* Return true if --quick was given, which leaves out long cases. */
bool bench_quick(const struct bench *b);
/* Return NumPy's value of a Python expression over the last case's operands; NaN if it fails. */
double bench_value(struct bench *b, const char *expression);
/* Print the geometric means, write the document and free b. Returns the exit status. */
int bench_close(struct bench *b);

/* Return the median seconds of one call of f, for measurements that fit no case; adds a row without peers
   to the document. */
double bench_time(struct bench *b, const char *name, int threads, void (*f)(void *context), void *context);
struct record;
/* Return the document of this run, for rows of another kind; NULL if none is written. */
struct record *bench_record(struct bench *b);
#endif
