#include "tests/support/far.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ops/core/kernel/prepared.h"
#include "tests/support/aligned.h"
#include "tests/support/harness.h"

enum { DEVICES = 2, GIB = 1 << 30, TEXT = 1024 };
struct far_settings far;
static _Atomic int64_t calls[FAR_CALLS], fails[FAR_CALLS], blocks, bytes_used;

void far_fail(enum far_call call, int64_t n) {
    atomic_store(&calls[call], 0);
    atomic_store(&fails[call], n);
}
int64_t far_calls(enum far_call call) { return atomic_load(&calls[call]); }
int64_t far_blocks(void) { return atomic_load(&blocks); }

/* True if this call of an entry point may go on.  False, with the fault set, if it was told to fail. */
static bool may(enum far_call call, struct fault *fault) {
    int64_t n = atomic_fetch_add(&calls[call], 1) + 1;
    if (n != atomic_load(&fails[call])) return true;
    fault_set(fault, call == FAR_ALLOCATE ? E_MEMORY : E_DEVICE, "far: call %d was told to fail", (int)call);
    return false;
}

/* ---- streams ---- */

struct cell {
    int64_t number; /* 0: not set */
    int64_t code;
    char text[TEXT];
};
_Static_assert(sizeof(struct cell) <= DEVICE_CELL, "a cell fits");

enum task { UPLOAD, COPY, ZERO, LAUNCH, FREE };
struct event {
    struct stream *stream;
    int64_t number; /* of commands before it */
};
struct command {
    enum task task;
    char *to;
    const char *from;
    size_t bytes;
    struct prepared *kernel;
    void **table;
    void *workspace;
    struct cell *cell;
    int number;
    bool looks;
    struct event event;
    struct command *next;
};
struct stream {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct command *first, *last;
    int64_t given, done;
    bool ends;
    struct device *device;
    struct fault fault;
};

static void await_event(const struct event *e) {
    pthread_mutex_lock(&e->stream->lock);
    while (e->stream->done < e->number) pthread_cond_wait(&e->stream->changed, &e->stream->lock);
    pthread_mutex_unlock(&e->stream->lock);
}

/* Execute a kernel.  A refusal is written to the cell. */
static bool execute_kernel(const struct command *c, struct fault *fault) {
    struct fault why;
    fault_clear(&why);
    if (far.slow) usleep((useconds_t)far.slow);
    if (c->looks && c->cell && c->cell->number) return true;
    bool done = prepared_start(c->kernel, c->table, c->workspace, &why);
    if (done && far.errs) ((char *)c->table[c->kernel->kernel.ninputs])[3] ^= 0x55;
    if (done) return true;
    if (!c->cell || why.code == E_DEVICE) return fault_copy(fault, &why);
    if (!c->cell->number || c->cell->number > c->number) {
        *c->cell = (struct cell){.number = c->number, .code = why.code};
        strcpy(c->cell->text, why.text);
    }
    return true;
}

static void execute(struct stream *s, const struct command *c) {
    if (c->task == FREE) {
        aligned_free(c->to);
        return;
    }
    if (far.lost) fault_set(&s->fault, E_DEVICE, "far: the device does not answer");
    if (s->fault.set) device_lose(s->device);
    if (s->fault.set) return;
    if (c->task == UPLOAD || c->task == COPY) memcpy(c->to, c->from, c->bytes);
    if (c->task == ZERO) memset(c->to, 0, c->bytes);
    if (c->task == LAUNCH && !execute_kernel(c, &s->fault)) device_lose(s->device);
}

static void *work(void *context) {
    struct stream *s = context;
    pthread_mutex_lock(&s->lock);
    while (!s->ends || s->first) {
        struct command *c = s->first;
        if (!c) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        s->first = c->next;
        pthread_mutex_unlock(&s->lock);
        execute(s, c);
        if (c->kernel) prepared_release(c->kernel);
        free(c->table);
        free(c);
        pthread_mutex_lock(&s->lock);
        s->done++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Append a command to a stream. */
static bool give(struct stream *s, struct command c) {
    struct command *own = malloc(sizeof *own);
    *own = c;
    own->next = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->first)
        s->last->next = own;
    else
        s->first = own;
    s->last = own;
    s->given++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return true;
}

static void *stream_open(struct device *d, struct fault *fault) {
    if (!may(FAR_STREAM, fault)) return NULL;
    struct stream *s = calloc(1, sizeof *s);
    s->device = d;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_create(&s->thread, NULL, work, s);
    return s;
}

static void stream_close(struct device *d, void *stream) {
    struct stream *s = stream;
    (void)d;
    pthread_mutex_lock(&s->lock);
    s->ends = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}

static void *record(struct device *d, void *stream, struct fault *fault) {
    (void)d;
    struct event *e = malloc(sizeof *e);
    e->stream = stream;
    pthread_mutex_lock(&e->stream->lock);
    e->number = e->stream->given;
    pthread_mutex_unlock(&e->stream->lock);
    if (may(FAR_RECORD, fault)) return e;
    await_event(e);
    free(e);
    return NULL;
}

static enum device_state state(struct device *d, void *event) {
    struct event *e = event;
    (void)d;
    pthread_mutex_lock(&e->stream->lock);
    enum device_state is = e->stream->done < e->number ? DEVICE_PENDING
                           : e->stream->fault.set      ? DEVICE_FAILED
                                                       : DEVICE_DONE;
    pthread_mutex_unlock(&e->stream->lock);
    return is;
}

static bool wait_event(struct device *d, void *event, struct fault *fault) {
    struct event *e = event;
    (void)d;
    await_event(e);
    if (!may(FAR_WAIT, fault)) return false;
    return !e->stream->fault.set || fault_copy(fault, &e->stream->fault);
}

static void event_release(struct device *d, void *event) {
    (void)d;
    free(event);
}

/* ---- devices and memory ---- */

struct block {
    char *data;
    size_t bytes;
};

static int count(struct fault *why) {
    if (!may(FAR_COUNT, why)) return 0;
    if (far.none) fault_set(why, E_DEVICE, "far is told to have none");
    return far.none ? 0 : DEVICES;
}

static bool describe(int i, struct device_facts *facts, struct fault *fault) {
    (void)i;
    if (!may(FAR_DESCRIBE, fault)) return false;
    *facts = (struct device_facts){.model = "far, for tests",
                                   .kind = DEVICE_OTHER,
                                   .memory = far.memory ? far.memory : GIB,
                                   .most = far.memory ? far.memory : GIB,
                                   .align = 64,
                                   .lacks = far.dtypes,
                                   .units = 1};
    return true;
}

static bool open_device(int i, struct device *d, struct fault *fault) {
    (void)i, (void)d;
    return may(FAR_OPEN, fault);
}

static void close_device(struct device *d) { (void)d; }

static void *allocate(struct device *d, size_t bytes, struct fault *fault) {
    if (!may(FAR_ALLOCATE, fault)) return NULL;
    if (atomic_load(&bytes_used) + (int64_t)bytes > d->facts.memory) return NULL;
    struct block *b = malloc(sizeof *b);
    b->bytes = bytes;
    b->data = aligned_new(64, bytes + 64);
    memset(b->data, 0xa5, bytes);
    atomic_fetch_add(&blocks, 1);
    atomic_fetch_add(&bytes_used, (int64_t)bytes);
    return b;
}

static void release(struct device *d, void *handle) {
    struct block *b = handle;
    give(d->stream, (struct command){.task = FREE, .to = b->data});
    atomic_fetch_sub(&blocks, 1);
    atomic_fetch_sub(&bytes_used, (int64_t)b->bytes);
    free(b);
}

static char *at(struct device_place p) {
    return p.handle ? ((struct block *)p.handle)->data + p.offset : NULL;
}

static bool upload(struct device *d, void *stream, struct device_place to, const void *from, size_t bytes,
                   struct fault *fault) {
    (void)d;
    return may(FAR_UPLOAD, fault) &&
           give(stream, (struct command){.task = UPLOAD, .to = at(to), .from = from, .bytes = bytes});
}

static bool download(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                     struct fault *fault) {
    (void)d;
    return may(FAR_DOWNLOAD, fault) &&
           give(stream, (struct command){.task = COPY, .to = to, .from = at(from), .bytes = bytes});
}

static bool copy(struct device *d, void *stream, struct device_place to, struct device_place from,
                 size_t bytes, struct fault *fault) {
    (void)d;
    return may(FAR_COPY, fault) &&
           give(stream, (struct command){.task = COPY, .to = at(to), .from = at(from), .bytes = bytes});
}

static bool zero(struct device *d, void *stream, struct device_place to, size_t bytes, struct fault *fault) {
    (void)d;
    return may(FAR_ZERO, fault) && give(stream, (struct command){.task = ZERO, .to = at(to), .bytes = bytes});
}

/* ---- kernels ---- */

static bool prepare(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault) {
    (void)arena;
    if (!may(FAR_PREPARE, fault)) return false;
    if (far.shows) far.shows(k);
    if (far.kinds >> k->kind & 1)
        return fault_set(fault, E_UNSUPPORTED, "%s: no kernels of kind %s", d->name,
                         kernel_kind_name(k->kind));
    struct kernel plain = *k;
    plain.device = NULL;
    plain.constant = 0;
    struct prepared *inner = prepared_for(engine_table[0], &plain, fault);
    k->prepared = inner;
    k->workspace = inner ? inner->kernel.workspace : 0;
    return inner;
}

static void drop(struct device *d, struct kernel *k) {
    (void)d;
    prepared_release(k->prepared);
}

static bool launch(struct device *d, void *stream, const struct kernel *k, const struct device_place *places,
                   struct device_place workspace, const struct device_cell *cell, struct fault *fault) {
    (void)d;
    if (!may(FAR_LAUNCH, fault)) return false;
    int n = k->ninputs + k->noutputs;
    void **table = calloc((size_t)n + 1, sizeof *table);
    for (int i = 0; i < n; i++) table[i] = at(places[i]);
    return give(stream, (struct command){.task = LAUNCH,
                                         .kernel = prepared_retain(k->prepared),
                                         .table = table,
                                         .workspace = at(workspace),
                                         .cell = (struct cell *)(void *)at(cell->place),
                                         .number = cell->number,
                                         .looks = cell->looks});
}

static int refused(struct device *d, const void *copy) {
    int64_t number;
    (void)d;
    memcpy(&number, copy, sizeof number);
    return (int)number;
}

static void refusal(struct device *d, const struct kernel *k, const void *copy, struct fault *fault) {
    struct cell cell;
    (void)d, (void)k;
    memcpy(&cell, copy, sizeof cell);
    fault_set(fault, (ty_code)cell.code, "%s", cell.text);
}

static const struct device_family family = {.name = "far",
                                            .cell_bytes = sizeof(struct cell),
                                            .count = count,
                                            .describe = describe,
                                            .open = open_device,
                                            .close = close_device,
                                            .allocate = allocate,
                                            .release = release,
                                            .stream_open = stream_open,
                                            .stream_close = stream_close,
                                            .record = record,
                                            .state = state,
                                            .wait = wait_event,
                                            .event_release = event_release,
                                            .upload = upload,
                                            .download = download,
                                            .copy = copy,
                                            .zero = zero,
                                            .prepare = prepare,
                                            .drop = drop,
                                            .launch = launch,
                                            .refused = refused,
                                            .refusal = refusal};

static void end(void *unused) {
    (void)unused;
    ty_use_engine("cpu");
    ty_trim();
    engine_remove(&family);
}

void far_begin(void) {
    far = (struct far_settings){0};
    for (int i = 0; i < FAR_CALLS; i++) far_fail(i, 0);
    engine_register(&family);
    test_own(&far, end);
}

void far_use(void) {
    engine_register(&family);
    (ty_use_engine)("far:0");
}
