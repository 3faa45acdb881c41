/*
 * Peers in Python, by bench/peer.py: a process for each, which stands still (SIGSTOP) while others are timed, so that
 * its idle threads, which spin for a while, take no processor from them.
 */
#ifndef BENCH_PEER_PYTHON_H
#define BENCH_PEER_PYTHON_H
#include "bench/harness.h"

/* The interpreter: TY_PYTHON, that of an activated virtual environment, Debian's, or what PATH has. */
const char *python_path(void);

struct python;
/* Starts one that may be timed with up to so many threads; prints what was found, or what is missing and how to get
   it.  NULL: it is not there. */
struct python *python_open(const char *name, int most_threads);
/* What it is, for people: "numpy 2.0.0 (openblas 0.3.27 SkylakeX)". */
const char *python_version(const struct python *p);
/* Makes the operands and runs the expression once; false: it cannot. */
bool python_prepare(struct python *p, const struct bench_case *c, const char *expression);
/* Seconds of one call; NaN: it failed, or does not keep to so many threads (told once on stderr). */
double python_time(struct python *p, int threads);
/* The number that an expression of the last case's operands is; NaN where it is none. */
double python_value(struct python *p, const char *expression);
void python_close(struct python *p);
#endif
