/*
 * Results of a run as one JSON document: machine, date, commit, command, peers, rows. `--json FILE` writes it to FILE,
 * `--json` alone to bench/results/MACHINE/NAME.json, the source of docs/measured.md (bench/support/page.py). All
 * functions accept NULL for a run without --json.
 */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H
#include <stdbool.h>

enum { RECORD_PEERS = 9, RECORD_NUMBERS = 12 };

/* Seconds of one call: the median of the rounds, and the least. 0: not timed. */
struct record_time {
    double median, least;
};

struct record_row {
    const char *name, *dtype;
    int threads;
    struct record_time ours;
    int npeers;
    struct {
        const char *name; /* NULL: does not support this row */
        struct record_time time;
        double ratio; /* the peer's time over ours; 0: computed from the times */
    } peers[RECORD_PEERS];
    double share;        /* fraction of the machine's limit; 0: unknown */
    double bytes, flops; /* traffic and work of one call; 0: unknown */
    struct {             /* further values of this row; name NULL: end of the list */
        const char *name;
        double value;
    } numbers[RECORD_NUMBERS];
};

struct record;
/* Remove --json and its file from the arguments. *record is NULL without the option. False: the file
   cannot be written; the reason is printed. */
bool record_open(struct record **record, int *argc, char **argv);
/* Compute ratios from least times instead of medians. */
void record_least(struct record *r);
/* Record a peer and the numbers of threads that it was seen to use, as text. Call it once for each name. */
void record_peer(struct record *r, const char *name, const char *version, const char *threads);
/* Record the machine's limits with `threads` threads: bytes and floating-point operations per second. */
void record_roof(struct record *r, int threads, double read, double stream, double f32, double f64);
/* Append a row to the document. */
void record_row(struct record *r, const struct record_row *row);
/* Write the document, print its path and free r. False: it could not be written; the reason is printed. */
bool record_close(struct record *r);
#endif
