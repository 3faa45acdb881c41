/*
 * What a run measured, as one JSON document: machine, date, commit, command, peers, rows.  `--json FILE` writes it
 * there, `--json` alone to bench/results/MACHINE/NAME.json, from where bench/page.py makes docs/measured.md.  All
 * functions take NULL for a run that was not asked for it.
 */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H
#include <stdbool.h>

enum { RECORD_PEERS = 9, RECORD_NUMBERS = 12 };

/* Seconds of one call: the median of the rounds, and the least.  0: not timed. */
struct record_time {
    double median, least;
};

struct record_row {
    const char *name, *dtype;
    int threads;
    struct record_time ours;
    int npeers;
    struct {
        const char *name; /* NULL: cannot do this row */
        struct record_time time;
        double ratio; /* the peer's time over ours; 0: made of the times */
    } peers[RECORD_PEERS];
    double share;        /* of what the machine can do at most; 0: not known */
    double bytes, flops; /* of one call; 0: not told */
    struct {             /* what else this row tells; name NULL: nothing more */
        const char *name;
        double value;
    } numbers[RECORD_NUMBERS];
};

struct record;
/* Takes --json and its file out of the arguments.  *record is NULL where it is not there.  False: the file cannot be
   written, which is printed. */
bool record_open(struct record **record, int *argc, char **argv);
/* Ratios are of least times rather than of medians. */
void record_least(struct record *r);
/* A peer that takes part; with how many threads it was seen to run, in words.  Once for each name. */
void record_peer(struct record *r, const char *name, const char *version, const char *threads);
/* What the machine does at most with so many threads: bytes and floating-point operations a second. */
void record_roof(struct record *r, int threads, double read, double stream, double f32, double f64);
void record_row(struct record *r, const struct record_row *row);
/* Writes the document and says where; false, with a printed reason: it could not.  Ends r. */
bool record_close(struct record *r);
#endif
