/*
 * The current profile: one per process, guarded by a lock that is held for moments. Rows are looked up by
 * prepared kernel, else by their text. The profile holds references to prepared kernels, so that their
 * addresses stay unique.
 */
#include "base/machine/floating.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/options.h"
#include "compile/watch/profile.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/core.h>
#include "base/alloc.h"
#include "base/machine/debug.h"
#include "base/threads/lock.h"
#include "base/map.h"
#include "base/threads/parallel.h"
#include "base/threads/unload.h"
#include "compile/show/describe.h"
#include "ops/core/kernel/prepared.h"
#include "ops/core/kernel/work.h"

enum {
    MOST_EVENTS = 1 << 20 /* 24 MB */
};

LOCK(lock)
static struct ty_profile live;
static struct map by_words, by_prepared; /* hash of the text -> row; address -> row */
static struct prepared **held;
static int nheld, held_room;
static double began; /* debug_clock at the start */
static int threads_seen;

static _Thread_local int thread_number; /* from 1; 0: none yet */
static _Thread_local double inside;     /* ms of launches nested in the current one */

/* ---- rows ---- */

/* Free the rows and events of a profile and empty it. */
static void free_rows(struct ty_profile *p) {
    for (int i = 0; i < p->nrows; i++) mem_free(p->rows[i].name);
    mem_free(p->rows);
    mem_free(p->events);
    *p = (struct ty_profile){.isa = ""};
}

bool profile_add_row(struct ty_profile *p, char *name, int64_t calls, double ms, double bytes, double flops) {
    if (!name) return false;
    if (list_append(p->rows, p->nrows, p->room, (struct profile_row){name, calls, ms, bytes, flops}))
        return true;
    mem_free(name);
    return false;
}

static int later(const void *a, const void *b) {
    double x = ((const struct profile_row *)a)->ms, y = ((const struct profile_row *)b)->ms;
    return (x < y) - (x > y);
}
void profile_order(struct ty_profile *p) {
    if (p->nrows) qsort(p->rows, (size_t)p->nrows, sizeof *p->rows, later);
}

uint64_t profile_key(const char *name) { return hash_bytes(name, strlen(name)); }

/* Return the work that the row of k states. Steps of a loop are launches of their own, so a loop counts as no
   work. */
struct work profile_work(const struct kernel *k) {
    return kernel_table[k->kind].launches ? (struct work){0} : kernel_work(k);
}

/* Add a row of this work to the profile and return its index; -1 if memory runs out. `words` is its description, which
   the function takes over and frees in any case but success. */
static int make_row(char *words, const struct work *work) {
    uint64_t key = profile_key(words);
    if (!profile_add_row(&live, words, 0, 0, work->bytes, work->flops)) return -1;
    if (map_put(&by_words, key, live.nrows - 1, NULL)) return live.nrows - 1;
    mem_free(live.rows[--live.nrows].name);
    return -1;
}

/* Return the index of the row of the profile that `words` names; -1 if there is none. */
static int known_row(const char *words) {
    const int64_t *row = map_find(&by_words, profile_key(words));
    return row ? (int)*row : -1;
}

/* Return the index of the row that `words` names, added with this work if it is new; -1 if memory runs out.  Takes over
   `words`; NULL: no memory. */
static int row_named(char *words, const struct work *work) {
    if (!words) return -1;
    int row = known_row(words);
    if (row < 0) return make_row(words, work);
    mem_free(words);
    return row;
}

/* Return the index of the row of the profile for launch l by its description, added if it is new; -1 if
   memory runs out. */
static int row_of_words(const struct launch *l) {
    struct text t = {0};
    describe_launch(&t, l->kernel);
    struct work work = profile_work(l->kernel);
    return row_named(text_take(&t), &work);
}

/* Remember that launches of the prepared kernel `shared` belong to this row; if memory runs out nothing is
   remembered, and the description is used again. */
static void remember(struct prepared *shared, int row) {
    if (!list_reserve(held, (size_t)nheld + 1, held_room)) return;
    if (map_put(&by_prepared, map_key(shared), row, NULL)) held[nheld++] = prepared_retain(shared);
}

/* Return the index of the row of the profile for launch l, by its prepared kernel if that is known, else by
   its description; -1 if memory runs out. */
static int row_of(const struct launch *l) {
    const int64_t *known = l->shared ? map_find(&by_prepared, map_key(l->shared)) : NULL;
    if (known) return (int)*known;
    int row = row_of_words(l);
    if (row >= 0 && l->shared) remember(l->shared, row);
    return row;
}

/* ---- events ---- */

/* True if another event can be stored; grows the list up to MOST_EVENTS. */
static bool has_room(void) {
    return live.nevents < MOST_EVENTS && list_reserve(live.events, live.nevents + 1, live.events_room);
}

/* Add a call to a row of the profile, -1: none; `ms` milliseconds in total, of which `own` outside nested launches, and
   an event at the time `start`, in milliseconds. The lock is held. */
static void add_call(int row, double start, double ms, double own) {
    if (row >= 0) {
        live.rows[row].calls++;
        live.rows[row].ms += own;
        if (!thread_number) thread_number = ++threads_seen;
    }
    if (row >= 0 && has_room())
        live.events[live.nevents++] = (struct profile_event){row, thread_number, start - began, ms};
    else
        live.lost++;
}

/* Count a kernel of a device that the host computed on copies, by its kind; its time is in the row of the kernel.  The
   lock is held. */
static void count_away(const struct launch *l) {
    struct text t = {0};
    text_add(&t, PROFILE_AWAY "%s: %s", l->shared->engine->name, kernel_table[l->kernel->kind].name);
    int row = row_named(text_take(&t), &(struct work){0});
    if (row >= 0) live.rows[row].calls++;
}

/* Add a launch to the profile, as add_call. Takes the lock. */
static void add_launch(const struct launch *l, double start, double ms, double own) {
    int width = parallel_width(); /* may call the user's thread pool */
    bool timed = launch_watches() & WATCH_TIME;
    lock_take(&lock);
    add_call(timed ? row_of(l) : -1, start, ms, own);
    if (timed && l->shared && l->shared->kernel.away) count_away(l);
    if (width > live.threads) live.threads = width;
    lock_give(&lock);
}

void profile_copy(const struct device *d, enum copy_way way, size_t bytes, double ms) {
    static const char *const words[COPY_WAYS] = {"to", "from"};
    struct text t = {0};
    text_add(&t, "copy %s %s, %zu bytes", words[way], d->name, bytes);
    char *name = text_take(&t);
    double start = debug_clock() - ms;
    if (!name) return;
    lock_take(&lock);
    add_call(row_named(name, &(struct work){.bytes = (double)bytes}), start, ms, ms);
    lock_give(&lock);
    inside += ms;
}

/* Wait for a kernel on a device, so that its time is measured. False, with the fault set, if it failed. */
static bool finish(const struct launch *l, struct fault *fault) {
    struct device *d = l->shared ? l->shared->engine->device : NULL;
    return !d || device_wait(d, fault);
}

bool profile_launch(const struct launch *l, struct fault *fault,
                    bool (*run)(const struct launch *, struct fault *)) {
    double outer = inside, start = debug_clock();
    inside = 0;
    bool done = run(l, fault) && finish(l, fault);
    double ms = debug_clock() - start, own = ms - inside;
    add_launch(l, start, ms, own > 0 ? own : 0);
    inside = outer + ms;
    return done;
}

/* ---- start and stop ---- */

/* Clear the profile. Prepared kernels are released after the lock. */
static void clear(void) {
    lock_take(&lock);
    struct prepared **gone = held;
    int n = nheld;
    held = NULL;
    nheld = held_room = 0;
    free_rows(&live);
    map_drop(&by_words);
    map_drop(&by_prepared);
    began = debug_clock();
    lock_give(&lock);
    for (int i = 0; i < n; i++) prepared_release(gone[i]);
    mem_free(gone);
}

void ty_profile_start(void) {
    FLOATING_DEFAULT;
    atomic_fetch_and(&launch_watched, ~WATCH_TIME);
    clear();
    atomic_fetch_or(&launch_watched, WATCH_TIME);
}

/* Copy the rows, events and counts of profile `from` to *to, which is empty. False if memory runs out; *to is then
   partly filled, and the caller frees it. */
static bool copy_rows(struct ty_profile *to, const struct ty_profile *from) {
    for (int i = 0; i < from->nrows; i++) {
        const struct profile_row *r = &from->rows[i];
        struct text name = {0};
        text_add(&name, "%s", r->name);
        if (!profile_add_row(to, text_take(&name), r->calls, r->ms, r->bytes, r->flops)) return false;
    }
    to->events = from->nevents ? mem_array((size_t)from->nevents, sizeof *to->events) : NULL;
    if (from->nevents && !to->events) return false;
    if (from->nevents) memcpy(to->events, from->events, (size_t)from->nevents * sizeof *to->events);
    to->nevents = to->events_room = from->nevents;
    to->lost = from->lost;
    to->threads = from->threads;
    return true;
}

/* Sort the rows of p by time, longest first, and renumber the rows of the events. False if memory runs out: p
   can then only be freed. */
static bool put_in_order(struct ty_profile *p) {
    int *place = mem_array((size_t)p->nrows + 1, sizeof *place);
    char **names = mem_array((size_t)p->nrows + 1, sizeof *names);
    struct map index = {0};
    bool fits = place && names;
    for (int i = 0; i < p->nrows && fits; i++) names[i] = p->rows[i].name;
    if (fits) profile_order(p);
    for (int i = 0; i < p->nrows && fits; i++) fits = map_put(&index, map_key(p->rows[i].name), i, NULL);
    for (int i = 0; i < p->nrows && fits; i++) place[i] = (int)*map_find(&index, map_key(names[i]));
    for (int64_t e = 0; e < p->nevents && fits; e++) p->events[e].row = place[p->events[e].row];
    map_drop(&index);
    mem_free(place);
    mem_free(names);
    return fits;
}

/* Return a copy of the profile so far; the caller frees it by ty_profile_free. NULL: no memory. */
static struct ty_profile *profile_taken(void) {
    struct ty_profile *p = mem_alloc(sizeof *p);
    if (!p) return NULL;
    lock_take(&lock);
    bool fits = copy_rows(p, &live);
    lock_give(&lock);
    p->isa = ty_isa();
    if (fits && put_in_order(p)) return p;
    ty_profile_free(p);
    return NULL;
}

ty_profile *ty_profile_stop(void) {
    FLOATING_DEFAULT;
    atomic_fetch_and(&launch_watched, ~WATCH_TIME);
    ty_profile *p = profile_taken();
    clear();
    return p;
}

void ty_profile_free(ty_profile *p) {
    if (!p) return;
    free_rows(p);
    mem_free(p);
}

__attribute__((destructor)) static void end(void) {
    if (unloading()) clear();
}

/* ---- reading ---- */

int ty_profile_count(const ty_profile *p) { return p ? p->nrows : 0; }

void ty_profile_at_sized(const ty_profile *p, int i, ty_profile_row *told, size_t size) {
    ty_profile_row row = {.name = ""};
    const struct profile_row *r = p && i >= 0 && i < p->nrows ? &p->rows[i] : NULL;
    if (r) row = (ty_profile_row){r->name, r->calls, r->ms, r->bytes, r->flops};
    options_write(told, size, &row, sizeof row);
}

/* Append the percentage of the roofline that row r attains, given the machine's peak flops and bytes per second; 0 if no
   peaks are given or no time was measured. A row that is faster than memory, beyond noise, is limited by caches, whose
   peaks are not given. */
static void add_roof(struct text *t, const struct profile_row *r, double flops, double bytes) {
    enum { NOISE = 105 };
    double calls = (double)r->calls, percent = r->ms > 0 ? 1e5 / r->ms : 0;
    double arithmetic = flops > 0 ? percent * r->flops * calls / flops : 0,
           memory = bytes > 0 ? percent * r->bytes * calls / bytes : 0;
    if (memory > NOISE && memory > arithmetic)
        text_add(t, "  cache");
    else
        text_add(t, " %5.1f%%", memory > arithmetic ? memory : arithmetic);
}

/* True for a row without times of its own, which counts kernels by kind. */
static bool is_count(const struct profile_row *r) {
    return !strncmp(r->name, PROFILE_AWAY, sizeof PROFILE_AWAY - 1);
}

/* Return the width of a column of numbers with so many digits, 0: the usual ones; they may have an exponent. */
static int column_width(int width, int digits) {
    const int others = 7; /* sign, point and an exponent of three digits */
    return digits && digits + others > width ? digits + others : width;
}

/* Append x in a column of the table, with `digits` digits, or with `decimals` behind the point if that is 0. */
static void add_number(struct text *t, int width, int decimals, int digits, double x) {
    if (digits)
        text_add(t, " %*.*g", column_width(width, digits), digits, x);
    else
        text_add(t, " %*.*f", width, decimals, x);
}

char *ty_profile_table(const ty_profile *p, int most, double flops, double bytes) {
    FLOATING_DEFAULT;
    return profile_table(p, most, flops, bytes, 0);
}

char *profile_table(const ty_profile *p, int most, double flops, double bytes, int digits) {
    enum { MS = 10, SHARE = 5, RATE = 8, FLOPS = 9 }; /* widths of columns */
    struct text t = {0};
    double all = 0;
    bool roof = flops > 0 || bytes > 0;
    int n = ty_profile_count(p), shown = most > 0 && most < n ? most : n, hidden = n - shown;
    int kinds = 0;
    for (int i = 0; i < n; i++) all += p->rows[i].ms, kinds += !is_count(&p->rows[i]);
    text_add(&t, "%10s %*s %*s %*s %*s%s  kernel\n", "calls", column_width(MS, digits), "ms",
             column_width(SHARE, digits) + 1, "share", column_width(RATE, digits), "GB/s",
             column_width(FLOPS, digits), "GFLOP/s", roof ? "   roof" : "");
    for (int i = 0; i < n; i++) {
        const struct profile_row *r = &p->rows[i];
        if (i >= shown && !is_count(r)) continue;
        hidden -= i >= shown;
        double a_second = r->ms > 0 ? 1e-6 * (double)r->calls / r->ms : 0;
        text_add(&t, "%10lld", (long long)r->calls);
        add_number(&t, MS, 3, digits, r->ms);
        add_number(&t, SHARE, 1, digits, all > 0 ? 100 * r->ms / all : 0);
        text_add(&t, "%%");
        add_number(&t, RATE, 2, digits, r->bytes * a_second);
        add_number(&t, FLOPS, 2, digits, r->flops * a_second);
        if (roof) add_roof(&t, r, flops, bytes);
        text_add(&t, "  %s\n", r->name);
    }
    if (hidden) text_add(&t, "%10s %d more\n", "", hidden);
    text_add(&t, "%10s", "");
    add_number(&t, MS, 3, digits, all);
    text_add(&t, " ms in %d kind%s of kernels", kinds, kinds == 1 ? "" : "s");
    if (p && p->lost) text_add(&t, "; %lld launches have no individual times", (long long)p->lost);
    text_add(&t, "\n");
    return text_take(&t);
}
