#include "tests/support/own.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/harness.h"
#include "tests/support/nest_run.h"

const char *const own_names[OWN_CALLS] = {"prepare", "launch", "allocate",    "upload", "download",
                                          "copy",    "zero",   "stream_open", "record", "wait"};
struct own_settings own;
static _Atomic int64_t calls[OWN_CALLS], fails[OWN_CALLS], left;
static atomic_bool closes, holds;
static atomic_int held;

void own_fail(enum own_call call, int64_t n) {
    atomic_store(&calls[call], 0);
    atomic_store(&fails[call], n);
}
int64_t own_calls(enum own_call call) { return atomic_load(&calls[call]); }
int64_t own_left(void) { return atomic_load(&left); }
void own_hold(bool on) { atomic_store(&holds, on); }
int own_held(void) { return atomic_load(&held); }
bool own_closes(void) { return atomic_load(&closes); }

/* True if this call may go on.  False, with *error set, if it was told to fail. */
static bool may(enum own_call call, ty_engine_error *error) {
    if (atomic_fetch_add(&calls[call], 1) + 1 != atomic_load(&fails[call])) return true;
    if (own.code != TY_ERROR_NONE) ty_engine_fail(error, own.code, "%s was told to fail", own_names[call]);
    return false;
}

/* Make, and free, a thing that is counted. */
static void *made(size_t bytes) {
    atomic_fetch_add(&left, 1);
    return calloc(1, bytes);
}
static void freed(void *thing) {
    atomic_fetch_sub(&left, 1);
    free(thing);
}

/* ---- kernels ---- */

struct kernel_of {
    const ty_nests *nests;
};

static bool prepare(void *context, const ty_nests *nests, void **kernel, ty_engine_error *error) {
    (void)context;
    if (!may(OWN_PREPARE, error)) return false;
    if (own.lacks) return ty_engine_fail(error, TY_ERROR_UNSUPPORTED, "it lacks everything");
    struct kernel_of *k = made(sizeof *k);
    k->nests = nests;
    *kernel = k;
    return true;
}

static void drop(void *context, void *kernel) {
    (void)context;
    freed(kernel);
}

/* Run a list on the memory at addresses[], when launches need not wait. */
static bool run(const ty_nests *nests, void *const *addresses, ty_engine_refusal *refusal,
                ty_engine_error *error) {
    struct nest_refusal why;
    atomic_fetch_add(&held, 1);
    for (int i = 0; i < 20000 && atomic_load(&holds); i++) usleep(100);
    atomic_fetch_sub(&held, 1);
    if (own.wrong) *refusal = (ty_engine_refusal){.step = nests->nsteps};
    if (nests_run(nests, addresses, &why)) return true;
    if (why.check < 0) return ty_engine_fail(error, TY_ERROR_MEMORY, "out of memory");
    *refusal = (ty_engine_refusal){.position = why.position, .step = why.step, .check = why.check};
    return true;
}

/* ---- memory: a block is a header that has the address of its bytes ---- */

struct block {
    char *data;
};
static char *at(ty_engine_place p) { return ((struct block *)p.memory)->data + p.offset; }

static void *allocate(void *context, size_t bytes, ty_engine_error *error) {
    (void)context;
    if (!may(OWN_ALLOCATE, error)) return NULL;
    struct block *b = made(sizeof *b);
    b->data = malloc(bytes);
    memset(b->data, 0xA5, bytes);
    return b;
}

static void release(void *context, void *memory) {
    struct block *b = memory;
    (void)context;
    free(b->data);
    freed(b);
}

static bool upload(void *context, void *stream, ty_engine_place to, const void *from, size_t bytes,
                   ty_engine_error *error) {
    (void)context, (void)stream;
    if (!may(OWN_UPLOAD, error)) return false;
    memcpy(at(to), from, bytes);
    return true;
}

static bool download(void *context, void *stream, void *to, ty_engine_place from, size_t bytes,
                     ty_engine_error *error) {
    (void)context, (void)stream;
    if (!may(OWN_DOWNLOAD, error)) return false;
    memcpy(to, at(from), bytes);
    return true;
}

static bool copy(void *context, void *stream, ty_engine_place to, ty_engine_place from, size_t bytes,
                 ty_engine_error *error) {
    (void)context, (void)stream;
    if (!may(OWN_COPY, error)) return false;
    memcpy(at(to), at(from), bytes);
    return true;
}

static bool zero(void *context, void *stream, ty_engine_place to, size_t bytes, ty_engine_error *error) {
    (void)context, (void)stream;
    if (!may(OWN_ZERO, error)) return false;
    memset(at(to), 0, bytes);
    return true;
}

/* Interpret a kernel on the memory of its slots; `apart`: memory of the engine's own. */
static bool interpret(void *kernel, const ty_engine_place *slots, bool apart, ty_engine_refusal *refusal,
                      ty_engine_error *error) {
    const ty_nests *nests = ((struct kernel_of *)kernel)->nests;
    int n = nests->noperands + nests->ntemporaries;
    if (!may(OWN_LAUNCH, error)) return false;
    void **addresses = calloc((size_t)n + 1, sizeof *addresses);
    for (int i = 0; i < n; i++)
        if (slots[i].memory) addresses[i] = apart ? at(slots[i]) : (char *)slots[i].memory + slots[i].offset;
    bool done = run(nests, addresses, refusal, error);
    free(addresses);
    return done;
}

static bool launch(void *context, void *stream, void *kernel, const ty_engine_place *slots,
                   ty_engine_refusal *refusal, ty_engine_error *error) {
    (void)context, (void)stream;
    return interpret(kernel, slots, true, refusal, error);
}

/* ---- streams ---- */

static void *stream_open(void *context, ty_engine_error *error) {
    (void)context;
    return may(OWN_STREAM, error) ? made(1) : NULL;
}
static void stream_close(void *context, void *stream) {
    (void)context;
    atomic_store(&closes, true);
    if (own.slow) usleep(50000);
    freed(stream);
}
static void *record(void *context, void *stream, ty_engine_error *error) {
    (void)context, (void)stream;
    return may(OWN_RECORD, error) ? made(1) : NULL;
}
static ty_engine_state state(void *context, void *event) {
    (void)context, (void)event;
    return TY_ENGINE_DONE;
}
static bool wait_event(void *context, void *event, ty_engine_error *error) {
    (void)context, (void)event;
    return may(OWN_WAIT, error);
}
static void event_release(void *context, void *event) {
    (void)context;
    freed(event);
}

/* ---- registering ---- */

static bool launch_plain(void *context, void *stream, void *kernel, const ty_engine_place *slots,
                         ty_engine_refusal *refusal, ty_engine_error *error) {
    (void)context, (void)stream;
    return interpret(kernel, slots, false, refusal, error);
}

ty_engine own_plain(const char *name) {
    return (ty_engine){
        .name = name, .language = TY_NEST_LANGUAGE, .prepare = prepare, .launch = launch_plain, .drop = drop};
}

static void end(void *unused) {
    (void)unused;
    ty_use_engine("cpu");
    ty_engine_unregister("own", NULL);
}

bool own_begin_again(ty_tensor **error) {
    ty_engine e = {.name = "own",
                   .model = "for tests",
                   .language = TY_NEST_LANGUAGE,
                   .memory = INT64_C(1) << 30,
                   .prepare = prepare,
                   .launch = launch,
                   .drop = drop,
                   .allocate = allocate,
                   .release = release,
                   .upload = upload,
                   .download = download,
                   .copy = copy,
                   .zero = zero,
                   .stream_open = stream_open,
                   .stream_close = stream_close,
                   .record = record,
                   .state = state,
                   .wait = wait_event,
                   .event_release = event_release};
    return ty_engine_register(&e, error);
}

void own_begin(void) {
    ty_tensor *error = NULL;
    own = (struct own_settings){.code = TY_ERROR_USER};
    atomic_store(&closes, false);
    for (int i = 0; i < OWN_CALLS; i++) own_fail(i, 0);
    if (own_begin_again(&error)) test_own(&own, end);
    CHECK(!error, "%s", ty_error(error));
}
