/*
 * Peers in Python, by bench/support/peer.py, each in its own process. A process is stopped (SIGSTOP) while others are
 * timed, since idle threads spin for a while and would use the processors.
 */
#ifndef BENCH_PEER_PYTHON_H
#define BENCH_PEER_PYTHON_H
#include "bench/support/harness.h"

/* Return the path of the interpreter: TY_PYTHON, the active virtual environment's, Debian's, or the first
   of PATH. */
const char *python_path(void);

struct python;
/* Start a peer that may be timed with up to most_threads threads. Prints its version, or how to install
   it. NULL: not available. */
struct python *python_open(const char *name, int most_threads);
/* Return a description such as "numpy 2.0.0 (openblas 0.3.27 SkylakeX)". */
const char *python_version(const struct python *p);
/* Make the operands and run the expression once; false: not supported. */
bool python_prepare(struct python *p, const struct bench_case *c, const char *expression);
/* Return the seconds of one call. NaN: it failed, or used more threads (reported once on stderr). */
double python_time(struct python *p, int threads);
/* Return the value of an expression over the last case's operands; NaN if it is no number. */
double python_value(struct python *p, const char *expression);
/* End the process and free p. */
void python_close(struct python *p);
#endif
