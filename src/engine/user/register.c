/* The engines of the user's own that are registered. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tyto/memory.h>
#include "array/tensor.h"
#include "base/context/context.h"
#include "base/options.h"
#include "base/threads/lock.h"
#include "engine/user/user.h"

/* Held while an engine is registered or unregistered, which calls its functions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct user_engine engines[USER_ENGINES];

/* The child of a fork has lost the devices, and threads that held locks. */
static void begin_child(void) {
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh;
    for (int i = 0; i < USER_ENGINES; i++)
        if (engines[i].name[0]) pthread_rwlock_init(&engines[i].gate, NULL);
}
static struct fork_child child = {.begin = begin_child};
__attribute__((constructor)) static void list_child(void) { fork_list_child(&child); }

/* Begin and end a change of the registered engines.  A fork waits, so that the child finds the list of devices whole and
   its lock free. */
static void begin_change(void) {
    fork_hold_off();
    pthread_mutex_lock(&lock);
}
static void end_change(void) {
    pthread_mutex_unlock(&lock);
    fork_allow();
}

bool ty_engine_fail(ty_engine_error *error, ty_code code, const char *format, ...) {
    if (!error) return false;
    va_list arguments;
    va_start(arguments, format);
    error->code = code > TY_ERROR_NONE && code < TY_CODES ? code : TY_ERROR_INTERNAL;
    if (format)
        text_format(error->text, sizeof error->text, format, arguments);
    else
        error->text[0] = 0;
    va_end(arguments);
    return false;
}

/* ---- checking ---- */

static bool is_plain(const char *name) {
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n < USER_NAME && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}

static bool is_taken(const char *name) {
    const struct device_family *f;
    for (const struct engine *const *e = engine_table; *e; e++)
        if (!strcmp((*e)->name, name)) return true;
    for (int i = 0; (f = engine_family(i)); i++)
        if (!strcmp(f->name, name)) return true;
    return false;
}

/* A group of functions: how many there are, and the name of one that is missing. */
struct group {
    const char *missing;
    int there, all;
};
static void count(struct group *g, bool there, const char *name) {
    g->there += there;
    g->all++;
    if (!there) g->missing = name;
}
#define COUNT(group, engine, function) count(group, (engine)->function != NULL, #function)

/* False, with the fault set, unless all functions of a group are there or none is. */
static bool is_whole(const struct group *g, const char *words, struct fault *fault) {
    return !g->there || g->there == g->all ||
           fault_set(fault, E_ARGUMENT, "engine_register: %s is NULL; functions of %s come together",
                     g->missing, words);
}

static bool check_functions(const ty_engine *e, struct fault *fault) {
    struct group memory = {0}, streams = {0};
    COUNT(&memory, e, allocate), COUNT(&memory, e, release), COUNT(&memory, e, upload);
    COUNT(&memory, e, download), COUNT(&memory, e, copy), COUNT(&memory, e, zero);
    COUNT(&streams, e, stream_open), COUNT(&streams, e, stream_close), COUNT(&streams, e, record);
    COUNT(&streams, e, state), COUNT(&streams, e, wait);
    COUNT(&streams, e, event_release);
    if (!e->prepare || !e->launch)
        return fault_set(fault, E_ARGUMENT, "engine_register: %s is NULL", e->prepare ? "launch" : "prepare");
    if (!is_whole(&memory, "memory", fault) || !is_whole(&streams, "streams", fault)) return false;
    return !streams.there || memory.there ||
           fault_set(fault, E_ARGUMENT, "engine_register: streams without functions of memory");
}

static bool check(const ty_engine *e, struct fault *fault) {
    if (!e->name) return fault_set(fault, E_ARGUMENT, "engine_register: the name is NULL");
    if (!is_plain(e->name))
        return fault_set(
            fault, E_ARGUMENT,
            "engine_register: the name is \"%.40s\"; expected 1 to %d of a-z, 0-9 and _, a letter first",
            e->name, USER_NAME - 1);
    if (e->language != TY_NEST_LANGUAGE)
        return fault_set(fault, E_ARGUMENT,
                         "engine_register: \"%s\" knows the language %d of nests; expected %d", e->name,
                         e->language, TY_NEST_LANGUAGE);
    if (e->lacks >> TY_DTYPES)
        return fault_set(fault, E_ARGUMENT, "engine_register: lacks is %#x; expected bits of %d dtypes",
                         e->lacks, TY_DTYPES);
    if (e->memory < 0 || e->most < 0)
        return fault_set(fault, E_ARGUMENT,
                         "engine_register: memory is %lld and most %lld; expected 0 or more",
                         (long long)e->memory, (long long)e->most);
    return check_functions(e, fault);
}

/* ---- registering ---- */

/* Return the memory for engines of a name, which may be used for the first time.  NULL, with the fault set: there is
   none. */
static struct user_engine *room_for(const char *name, struct fault *fault) {
    for (int i = 0; i < USER_ENGINES; i++) {
        struct user_engine *u = &engines[i];
        if (!strcmp(u->name, name)) return u;
        if (u->name[0]) continue;
        pthread_rwlock_init(&u->gate, NULL);
        strcpy(u->name, name);
        return u;
    }
    fault_set(fault, E_LIMIT, "engine_register: engines had %d names; no more are possible", USER_ENGINES);
    return NULL;
}

/* Return the engine that is registered under a name; NULL: there is none. */
static struct user_engine *find(const char *name) {
    for (int i = 0; name && i < USER_ENGINES; i++)
        if (engines[i].there && !strcmp(engines[i].name, name)) return &engines[i];
    return NULL;
}

static bool add(const ty_engine *e, struct fault *fault) {
    if (!check(e, fault)) return false;
    if (is_taken(e->name))
        return fault_set(fault, E_ARGUMENT, "engine_register: there is an engine \"%s\"", e->name);
    struct user_engine *u = room_for(e->name, fault);
    if (!u) return false;
    pthread_rwlock_wrlock(&u->gate); /* threads that used the engine before may still call */
    u->own = *e;
    user_fill(u);
    pthread_rwlock_unlock(&u->gate);
    atomic_store(&u->prepared, 0);
    atomic_store(&u->launches, 0);
    atomic_store(&u->live, 0);
    atomic_store(&u->only.opened.device.lacked, 0);
    u->there = engine_register(&u->family);
    return u->there || fault_set(fault, E_LIMIT, "engine_register: there are too many engines");
}

/* Return the outcome of a call. */
static bool told(const struct fault *fault, ty_tensor **error) {
    if (error) *error = fault->set ? tensor_fault(fault) : NULL;
    return !fault->set;
}

bool ty_engine_register_sized(const ty_engine *engine, size_t size, ty_tensor **error) {
    struct fault fault;
    ty_engine known;
    fault_clear(&fault);
    if (OPTIONS_READ(known, engine, size, &fault)) {
        begin_change();
        add(&known, &fault);
        end_change();
    }
    return told(&fault, error);
}

/* ---- unregistering ---- */

/* True if nothing refers to the engine.  False, with the fault set, if it is in use. */
static bool is_free(struct user_engine *u, struct fault *fault) {
    struct device *d = &u->only.opened.device;
    int64_t held = atomic_load(&d->held), kernels = atomic_load(&d->kernels);
    bool lives =
        atomic_load(&u->live) && !atomic_load(&d->orphan); /* nothing is freed in the child of a fork */
    return (!held && !kernels && !lives) ||
           fault_set(
               fault, E_STATE,
               "engine_unregister: \"%s\" is in use: tensors and programs have %lld bytes and %lld kernels",
               u->name, (long long)held, (long long)kernels);
}

/* Remove an engine; the fault is set if it is in use.  The first look spares a wait for its functions, which
   other threads may call again and again. */
static void take_out(struct user_engine *u, struct fault *fault) {
    if (!is_free(u, fault)) return;
    pthread_rwlock_wrlock(&u->gate);
    if (is_free(u, fault)) {
        engine_remove(&u->family);
        u->there = false;
    }
    pthread_rwlock_unlock(&u->gate);
}

bool ty_engine_unregister(const char *name, ty_tensor **error) {
    struct fault fault;
    fault_clear(&fault);
    ty_trim();
    begin_change();
    struct user_engine *u = find(name);
    if (u)
        take_out(u, &fault);
    else
        fault_set(&fault, E_ARGUMENT, "engine_unregister: no engine \"%.40s\" was registered",
                  name ? name : "NULL");
    end_change();
    return told(&fault, error);
}

bool ty_engine_counted_sized(const char *name, ty_engine_counts *counts, size_t size) {
    ty_engine_counts known = {0};
    pthread_mutex_lock(&lock);
    struct user_engine *u = find(name);
    if (u) {
        struct device *d = &u->only.opened.device;
        known = (ty_engine_counts){.prepared = atomic_load(&u->prepared),
                                   .refused = atomic_load(&d->lacked),
                                   .launches = atomic_load(&u->launches),
                                   .kernels = atomic_load(&d->kernels),
                                   .held = atomic_load(&d->held)};
    }
    pthread_mutex_unlock(&lock);
    if (counts) options_write(counts, size, &known, sizeof known);
    return u != NULL;
}
