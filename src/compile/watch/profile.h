/* What a profile is: rows, and launches in order.  profile.c fills one while kernels run, io/profile.c writes and reads
   them. */
#ifndef COMPILE_WATCH_PROFILE_H
#define COMPILE_WATCH_PROFILE_H
#include <tyto/profile.h>
#include "ops/core/watch.h"
#include "ops/core/work.h"

/* One launch; times are in ms since the start. */
struct profile_event {
    int row, thread;
    double start, ms;
};

struct profile_row {
    char *name; /* owned */
    int64_t calls;
    double ms, bytes, flops;
};

struct ty_profile {
    int nrows, room;
    struct profile_row *rows; /* a finished one: most time first */
    int64_t nevents, events_room;
    struct profile_event *events;
    int64_t lost; /* launches that no memory, or not that many, could be kept of */
    int threads;  /* that kernels ran with at most */
    const char *isa;
};

/* Runs the launch and times it. */
bool profile_launch(const struct launch *l, struct fault *fault,
                    bool (*run)(const struct launch *, struct fault *));
/* Adds a row; false: no memory, and `name` is freed. */
bool profile_add_row(struct ty_profile *p, char *name, int64_t calls, double ms, double bytes, double flops);
/* Puts the row with the most time first. */
void profile_order(struct ty_profile *p);
/* A hash of a row's name, which describe_launch makes. */
uint64_t profile_key(const char *name);
/* What its row says that a kernel does. */
struct work profile_work(const struct kernel *k);
/* Writes them; src/io supplies it, for TY_PROFILE. */
struct profile_files {
    bool (*save)(const struct ty_profile *p, const char *path, struct fault *fault);
};
extern const struct profile_files profile_files;
/* A copy of what has been timed until now; NULL: no memory. */
struct ty_profile *profile_taken(void);
#endif
