/* Profiles: rows of equal kernels, and launches in order. profile.c fills them while kernels run;
   io/graphs/profile.c reads and writes them. */
#ifndef COMPILE_WATCH_PROFILE_H
#define COMPILE_WATCH_PROFILE_H
#include "base/for_command.h"
#include <tyto/profile.h>
#include "array/device_memory.h"
#include "ops/core/watch.h"
#include "ops/core/kernel/work.h"

/* Begin of the names of rows that count the kernels of a device that `cpu` computed on copies, by device and kind. */
#define PROFILE_AWAY "on cpu for "

/* A launch; start and ms in milliseconds, start since the start of the profile. */
struct profile_event {
    int row, thread;
    double start, ms;
};

/* All launches of equal kernels: their number, total time, bytes and operations. */
struct profile_row {
    char *name; /* owned */
    int64_t calls;
    double ms, bytes, flops;
};

/* A profile; owns its arrays. */
struct ty_profile {
    int nrows, room;
    struct profile_row *rows; /* when finished: by descending time */
    int64_t nevents, events_room;
    struct profile_event *events;
    int64_t lost; /* launches not recorded, for lack of memory or above the limit */
    int threads;  /* most threads used by a kernel */
    const char *isa;
};

/* Run launch l by `run` and record its time. False after a fault of the launch. */
bool profile_launch(const struct launch *l, struct fault *fault,
                    bool (*run)(const struct launch *, struct fault *));
/* Record a copy between the host and device d. */
void profile_copy(const struct device *d, enum copy_way way, size_t bytes, double ms);
/* Append a row to p and take ownership of name. False: no memory, and name is freed. */
bool profile_add_row(struct ty_profile *p, char *name, int64_t calls, double ms, double bytes, double flops);
/* Sort the rows of p by descending time; events are not renumbered. */
void profile_order(struct ty_profile *p);
/* Return the table of ty_profile_table with `digits` digits of numbers; 0: the usual ones. */
char *profile_table(const ty_profile *p, int most, double flops, double bytes, int digits)
    FOR_COMMAND(profile_table);
/* Return a hash of a row's name (describe_launch). */
uint64_t profile_key(const char *name);
/* Return the work that the row of k states. */
struct work profile_work(const struct kernel *k);
/* Writes a profile to a file, for TY_PROFILE; defined in src/io. False after a fault. */
struct profile_files {
    bool (*save)(const struct ty_profile *p, const char *path, struct fault *fault);
};
extern const struct profile_files profile_files;
#endif
