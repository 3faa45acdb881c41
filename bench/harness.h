/*
 * Benchmarks against peers: each case is one function of ours and the same work as a line of NumPy and one of
 * PyTorch, timed in turns in one run, each in a process of its own (bench/peer.py); medians of several rounds.  What the
 * machine can do at most (reading, reading two streams while writing one, multiply-adds) is measured in the
 * same rounds, in turns like a peer.
 *
 *   ./dev bench NAME [--threads 1,2] [--filter TEXT] [--rounds N] [--quick] [--json [FILE]]
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H
#include <tyto/tyto.h>

enum { BENCH_INPUTS = 48, BENCH_THREADS = 8 };

/* An operand: uniform in [low, high), or whole numbers there for integer dtypes.  Handed to ours as x[i], to
   the peers as a, b, c, ..., z, A, B, ... */
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
    /* Computes; runs in a scope of its own, which is closed inside the measured time. */
    ty_tensor *(*run)(ty_tensor *const *x);
    /* Python expressions of a, b, ... ; `out` is the result of an earlier call, for out=out; NULL: no peer.
     */
    const char *numpy, *torch;
    double bytes; /* that must cross memory in one run; 0: not told */
    enum bench_roof roof;
    double flops; /* additions and multiplications; 0: not told.  With flops the share of the roof is that of
                     the time that arithmetic at its peak and then memory at its best would take */
    const void *detail; /* for native peers */
    const char *tblis;  /* the same for TBLIS, of pytblis */
};

/* A library that is called from C: one column of the table. */
struct bench_native {
    const char *name;
    /* Readies the case over our own operands; NULL: this library cannot do it. */
    void *(*open)(const struct bench_case *c, ty_tensor *const *x, int threads);
    void (*run)(void *context);
    void (*close)(void *context);
};

struct bench;
/* Reads the options, starts the peers, measures the roofs, prints the head.  NULL: the reason is printed. */
struct bench *bench_open(int argc, char **argv, const char *title);
/* Adds a column, whose library it says to be `version`; before the first case. */
void bench_native(struct bench *b, const struct bench_native *native, const char *version);
/* Times one case with each number of threads and prints a row for each. */
void bench_case(struct bench *b, const struct bench_case *c);
/* Whether --quick was given: leave out what takes long. */
bool bench_quick(const struct bench *b);
/* The number that NumPy makes of a Python expression of the last case's operands; NaN where it cannot. */
double bench_value(struct bench *b, const char *expression);
/* Prints the geometric means, writes the document; the exit status.  Ends b. */
int bench_close(struct bench *b);

/* Seconds of one call of f, median of the rounds, for what fits no case; a row of the document without peers. */
double bench_time(struct bench *b, const char *name, int threads, void (*f)(void *context), void *context);
/* The document of this run, for rows of another kind; NULL where none is written. */
struct record;
struct record *bench_record(struct bench *b);
#endif
