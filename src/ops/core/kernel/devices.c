/* The list of devices, and their engines. */
#include "ops/core/kernel/devices.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/context/context.h"
#include "base/threads/lock.h"
#include "base/threads/unload.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/away.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/kernel/prepared.h"

enum { MOST_FAMILIES = 8, MOST_OPERANDS = 40, MOST_NAMES = 256 };

struct device device_host = {.name = "cpu"};

/* Held while a device is opened, which may take long. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened *_Atomic all; /* the newest first */
static const struct device_family *_Atomic registered[MOST_FAMILIES];

/* ---- kernels ---- */

/* True if the device has the dtypes of all operands. */
static bool has_dtypes(const struct kernel *k) {
    uint32_t lacks = k->device->facts.lacks, used = UINT32_C(1) << k->core_dtype;
    for (int i = 0; i < k->ninputs; i++) used |= UINT32_C(1) << k->inputs[i].dtype;
    for (int i = 0; i < k->noutputs; i++) used |= UINT32_C(1) << k->outputs[i].dtype;
    return !(lacks & used);
}

/* Prepare kernel k for its device, or for `cpu` if the device lacks something. */
static bool prepare(struct kernel *k, struct arena *arena, struct fault *fault) {
    struct fault why;
    struct device *d = k->device;
    fault_clear(&why);
    k->width = 1;
    if (has_dtypes(k)) {
        bool done = d->family->prepare(d, k, arena, &why);
        if (done) atomic_fetch_add(&d->kernels, 1);
        if (done || why.code != E_UNSUPPORTED) return done || (why.set && fault_copy(fault, &why));
    }
    atomic_fetch_add(&d->lacked, 1);
    return away_prepare(k, fault);
}

static void drop(struct kernel *k) {
    struct device *d = k->device;
    if (k->away) {
        away_drop(k);
        return;
    }
    if (d->family->drop && !atomic_load(&d->orphan)) d->family->drop(d, k);
    atomic_fetch_sub(&d->kernels, 1);
}

static void describe(const struct kernel *k, struct text *t) {
    if (k->away)
        away_describe(k, t);
    else if (k->device->family->explain)
        k->device->family->explain(k, t);
}

/* Return the place of element 0 of operand o, whose address is `address`; a guard may exclude that element. */
static struct device_place place_of_operand(const struct device *d, const struct operand *o, char *address) {
    struct layout_room room;
    int64_t low = 0, high;
    if (o->guard) layout_extent(operand_inside(o, &room), &low, &high);
    low *= (int64_t)dtype_table[o->dtype].size;
    struct device_place place = device_find(d, address + low);
    place.offset -= low;
    return place;
}

/* Give the command to execute kernel k.  slots: addresses of device memory. */
static bool launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    struct device *d = k->device;
    struct device_place room[MOST_OPERANDS], *places = room;
    int n = k->ninputs + k->noutputs;
    if (!device_usable(d, fault)) return false;
    if (k->away) return away_launch(k, slots, fault);
    if (n > MOST_OPERANDS && !(places = mem_array((size_t)n, sizeof *places)))
        return fault_memory(fault, (size_t)n * sizeof *places);
    for (int i = 0; i < n; i++) places[i] = place_of_operand(d, kernel_operand(k, i), slots[i]);
    const struct device_cell none = {0}, *cell = context_thread.cell;
    bool done =
        d->family->launch(d, d->stream, k, places, device_find(d, workspace), cell ? cell : &none, fault);
    if (places != room) mem_free(places);
    return done;
}

/* ---- families ---- */

int engine_family_count(const struct device_family *family, struct fault *why) {
    return family->only ? 1 : family->count(why);
}

bool engine_family_describe(const struct device_family *family, int i, struct device_facts *facts,
                            struct fault *fault) {
    if (!family->only) return family->describe(i, facts, fault);
    *facts = family->only->facts;
    return true;
}

const struct device_family *engine_family(int i) {
    int n = 0;
    while (device_families[n]) n++;
    if (i < n) return device_families[i];
    for (int at = 0; at < MOST_FAMILIES; at++) {
        const struct device_family *f = atomic_load(&registered[at]);
        if (f && n++ == i) return f;
    }
    return NULL;
}

/* Return the family whose name has these n characters; NULL: there is none. */
static const struct device_family *family_named(const char *name, size_t n) {
    const struct device_family *f;
    for (int i = 0; (f = engine_family(i)); i++)
        if (strlen(f->name) == n && !memcmp(f->name, name, n)) return f;
    return NULL;
}

bool engine_register(const struct device_family *family) {
    bool added = false;
    if (!family->cell_bytes || family->cell_bytes > DEVICE_CELL) return false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_FAMILIES && !family_named(family->name, strlen(family->name)); i++) {
        if (atomic_load(&registered[i])) continue;
        atomic_store(&registered[i], family);
        added = true;
    }
    pthread_mutex_unlock(&lock);
    return added;
}

static void close_device(struct opened *o) {
    struct device *d = &o->device;
    if (!atomic_load(&d->orphan)) {
        d->family->stream_close(d, d->copies);
        d->family->stream_close(d, d->stream);
        d->family->close(d);
    }
    device_lose(d);
    atomic_store(&d->orphan, true);
    if (d->family->only) return; /* it counts as open: threads that still use it must see that it is lost */
    atomic_fetch_sub(&devices_open, 1);
    mem_free(o);
}

/* Close the devices of a family; NULL: all. */
static void close_devices(const struct device_family *family) {
    struct opened *rest = NULL, *o = atomic_exchange(&all, NULL);
    while (o) {
        struct opened *next = o->next;
        if (!family || o->device.family == family) {
            close_device(o);
        } else {
            o->next = rest;
            rest = o;
        }
        o = next;
    }
    atomic_store(&all, rest);
}

void engine_remove(const struct device_family *family) {
    const struct engine *now = context_thread.engine;
    if (now && now->device && now->device->family == family) context_thread.engine = engine_table[0];
    prepared_trim();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_FAMILIES; i++)
        if (atomic_load(&registered[i]) == family) atomic_store(&registered[i], NULL);
    close_devices(family);
    pthread_mutex_unlock(&lock);
}

void devices_trim(void) {
    if (!atomic_load(&all)) return;
    fork_hold_off();
    pthread_mutex_lock(&lock);
    for (struct opened *o = atomic_load(&all); o; o = o->next)
        if (o->device.family->trim && !atomic_load(&o->device.orphan)) o->device.family->trim(&o->device);
    pthread_mutex_unlock(&lock);
    fork_allow();
}

/* The child of a fork has no queues and no drivers. */
static void lose_all(void) {
    for (struct opened *o = atomic_load(&all); o; o = o->next) {
        device_lose(&o->device);
        atomic_store(&o->device.orphan, true);
    }
}
static struct fork_child in_child = {.begin = lose_all};
__attribute__((constructor)) static void begin(void) { fork_list_child(&in_child); }
__attribute__((destructor)) static void end(void) {
    if (unloading()) close_devices(NULL);
}

/* ---- opening ---- */

/* Open device `number` of a family as *o.  False, with the fault set, on failure. */
static bool open_as(struct opened *o, const struct device_family *f, int number, struct fault *fault) {
    struct device *d = &o->device;
    d->family = f;
    d->number = number;
    d->engine = &o->engine;
    snprintf(d->name, sizeof d->name, "%s:%d", f->name, number);
    o->engine = (struct engine){.name = d->name,
                                .prepare = prepare,
                                .launch = launch,
                                .describe = describe,
                                .drop = drop,
                                .device = d};
    if (!engine_family_describe(f, number, &d->facts, fault) || !f->open(number, d, fault)) return false;
    atomic_store(&d->orphan, false);
    d->stream = f->stream_open(d, fault);
    d->copies = d->stream ? f->stream_open(d, fault) : NULL;
    if (d->copies) {
        atomic_store(&d->lost, false);
        return true;
    }
    if (d->stream) f->stream_close(d, d->stream);
    f->close(d);
    atomic_store(&d->orphan, true);
    return false;
}

/* Return the open device `number` of a family; NULL: it is not open. */
static struct opened *find(const struct device_family *f, int number) {
    struct opened *o = atomic_load(&all);
    while (o && (o->device.family != f || o->device.number != number)) o = o->next;
    return o;
}

/* Return the engine of device `number` of a family, opened if need be.  NULL, with the fault set, on failure. */
static const struct engine *open_device(const struct device_family *f, int number, struct fault *fault) {
    struct fault why;
    fault_clear(&why);
    struct opened *o = find(f, number);
    if (o) return &o->engine;
    int n = engine_family_count(f, &why);
    if (number >= n) {
        fault_set(fault, E_ARGUMENT, "there is no device %s:%d; %s has %d device%s%s%s", f->name, number,
                  f->name, n, n == 1 ? "" : "s", why.set ? ": " : "", why.set ? why.text : "");
        return NULL;
    }
    unload_expect();
    o = f->only ? &f->only->opened : mem_alloc(sizeof *o);
    if (!o) return fault_memory(fault, sizeof *o), NULL;
    if (!f->only) *o = (struct opened){0}; /* else threads may still look at it */
    if (!open_as(o, f, number, fault)) {
        fault_set(fault, E_DEVICE, "%s:%d: the device could not be opened", f->name, number);
        if (!f->only) mem_free(o);
        return NULL;
    }
    o->next = atomic_load(&all);
    atomic_store(&all, o);
    if (!o->counted) atomic_fetch_add(&devices_open, 1);
    o->counted = true;
    return &o->engine;
}

/* Return the engine of a device by the name of its family and, after a colon, its number.  NULL, with the fault set, if
   there is none.  Call it with the lock held, so that the family is not removed meanwhile. */
static const struct engine *open_named(const char *name, struct fault *fault) {
    size_t n = strcspn(name, ":");
    const struct device_family *f = family_named(name, n);
    char *rest = NULL;
    long number = name[n] ? strtol(name + n + 1, &rest, 10) : 0;
    bool well = f && (!name[n] || (name[n + 1] >= '0' && name[n + 1] <= '9' && !*rest)) && number < INT32_MAX;
    if (well) return open_device(f, (int)number, fault);
    fault_set(
        fault, E_ARGUMENT,
        "unknown engine \"%.64s\"; expected \"cpu\", \"ref\", \"null\" or a device such as \"opencl:0\"",
        name);
    return NULL;
}

const struct engine *engine_open(const char *name, struct fault *fault) {
    for (const struct engine *const *engine = engine_table; *engine; engine++)
        if (!strcmp((*engine)->name, name)) return *engine;
    fork_hold_off();
    pthread_mutex_lock(&lock);
    const struct engine *engine = open_named(name, fault);
    pthread_mutex_unlock(&lock);
    fork_allow();
    return engine;
}

const struct engine *engine_find(const char *name) {
    struct fault fault;
    fault_clear(&fault);
    return engine_open(name, &fault);
}

static bool is_engine(const char *value) { return engine_find(value); }
const struct environment_row environment_engine = {
    "TY_ENGINE", "cpu, ref, null or a device of an engine that is there", is_engine,
    "Engine that computes, unless --engine names another."};

/* ---- numbers of devices ---- */

/* Names by number, from 1 on; promises and files of graphs have the numbers. */
LOCK(naming)
static char names[MOST_NAMES][DEVICE_NAME];
static atomic_int nnames = 1;

/* Return the number of a name, which gets one if need be; -1: there are too many. */
static int number_of(const char *name) {
    int n = atomic_load(&nnames), i = 1;
    while (i < n && strcmp(names[i], name) != 0) i++;
    if (i < n) return i;
    lock_take(&naming);
    for (n = atomic_load(&nnames); i < n && strcmp(names[i], name) != 0;) i++;
    if (i == n && n < MOST_NAMES) {
        snprintf(names[i], sizeof names[i], "%s", name);
        atomic_store(&nnames, n + 1);
    }
    lock_give(&naming);
    return i < MOST_NAMES ? i : -1;
}

/* Give numbers to all devices that are there; set *why, why the last family without devices has none. */
static void number_all(struct fault *why) {
    const struct device_family *f;
    char name[DEVICE_NAME];
    for (int k = 0; (f = engine_family(k)); k++) {
        struct fault none;
        fault_clear(&none);
        int n = engine_family_count(f, &none);
        for (int i = 0; i < n; i++) number_of((snprintf(name, sizeof name, "%s:%d", f->name, i), name));
        if (!n) fault_clear(why), fault_copy(why, &none);
    }
}

/* As engine_device_name; NULL with the fault set. */
static const char *name_of_device(int i, struct fault *fault) {
    struct fault why;
    fault_clear(&why);
    if (i == 0) return device_host.name;
    if (i >= atomic_load(&nnames)) number_all(&why);
    if (i > 0 && i < atomic_load(&nnames)) return names[i];
    fault_set(fault, E_ARGUMENT, "there is no device number %d%s%s", i, why.set ? ": " : "",
              why.set ? why.text : "");
    return NULL;
}

const char *engine_device_name(int i) {
    struct fault unused;
    fault_clear(&unused);
    return name_of_device(i, &unused);
}

int engine_device_number(const struct engine *engine) {
    return engine->device ? number_of(engine->device->name) : 0;
}

const struct engine *engine_of_device(int i, struct fault *fault) {
    const char *name = name_of_device(i, fault);
    return name ? engine_open(name, fault) : NULL;
}

const struct engine *engine_of(int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++) {
        const ty_tensor *y = tensor_of(x[i]);
        if (y->place) return engine_on(y->place);
    }
    return engine_current();
}

const struct engine *engine_on(const struct device *d) {
    return d && d != &device_host ? d->engine : engine_at_host(engine_current());
}
