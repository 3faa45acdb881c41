/* A driver's kernel object has arguments, so one thread at a time may use it: each call takes one from the source's
   idle ones, and gives it back. */
#include "engine/opencl/source.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <tyto/core.h>
#include "base/alloc.h"
#include "base/machine/debug.h"
#include "base/files/disk_cache.h"

enum { KERNEL_NAME = 32, LOG = 1 << 16 };

/* A kernel of a source: a driver's object with arguments of its own, which one thread at a time sets. */
struct idle {
    struct idle *next;
    cl_kernel kernel;
    size_t group; /* most work items of a group */
    char name[KERNEL_NAME];
};

/* Sources of equal name and text on a device are one, so that it is built once.  KEPT: so many without users stay, for
   operators that come again; LeNet's start and step have 53 texts.  The list is of no use in the child of a fork, where
   nothing is built. */
enum { KEPT = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_source *sources;

enum source_state { SOURCE_TEXT, SOURCE_BUILT, SOURCE_FAILED };
struct opencl_source {
    struct opencl_source *next; /* the most recent one is first; guarded by lock */
    const struct device *device;
    atomic_int users;           /* made and not freed; raised only under lock */
    char *name, *key;           /* key: of the compiled program; ends with the text */
    size_t length, key_length;  /* bytes of text and key */
    const char *text, *options; /* in key */
    pthread_mutex_t mutex;      /* guards the rest; held while the program is built */
    enum source_state state;
    struct fault failure;
    cl_program program;
    struct idle *idle;
    bool stored; /* the compiled program is on disk, or cannot be */
    int calls;   /* up to STORED_AT */
};
/* Free a source that has no users and is not in the list. */
static void destroy(struct opencl_source *s) {
    bool alive = opencl_alive();
    for (struct idle *i = s->idle, *next; i; i = next) {
        next = i->next;
        if (alive) opencl.clReleaseKernel(i->kernel);
        mem_free(i);
    }
    if (s->program && alive) opencl.clReleaseProgram(s->program);
    if (alive) pthread_mutex_destroy(&s->mutex);
    mem_free(s->name);
    mem_free(s->key);
    mem_free(s);
}

/* Take a source without users from the list, which is locked: the one of the device, or, without a device, the one
   used longest ago if more than KEPT have none.  NULL: there is none. */
static struct opencl_source *take_unused(const struct device *d) {
    struct opencl_source **last = NULL;
    int unused = 0;
    for (struct opencl_source **at = &sources; *at; at = &(*at)->next) {
        if (atomic_load(&(*at)->users) || (d && (*at)->device != d)) continue;
        last = at;
        unused++;
    }
    struct opencl_source *s = last && (d || unused > KEPT) ? *last : NULL;
    if (s) *last = s->next;
    return s;
}
/* Destroy the sources without users that need not stay, of a device all. */
static void clean(const struct device *d) {
    struct opencl_source *s;
    do {
        pthread_mutex_lock(&lock);
        s = take_unused(d);
        pthread_mutex_unlock(&lock);
        if (s) destroy(s);
    } while (s);
}
void source_free(struct opencl_source *s) {
    if (!s) return;
    bool last = atomic_fetch_sub(&s->users, 1) == 1;
    if (opencl_alive())
        clean(NULL);
    else if (last)
        destroy(s);
}
void source_close(const struct device *d) {
    if (opencl_alive()) clean(d);
}

/* Add s to the list, or return the equal source that is there, and destroy s. */
static struct opencl_source *share(struct opencl_source *s) {
    if (!opencl_alive()) return s;
    pthread_mutex_lock(&lock);
    struct opencl_source **at = &sources, *o;
    while ((o = *at) && (o->device != s->device || o->key_length != s->key_length ||
                         strcmp(o->name, s->name) || memcmp(o->key, s->key, s->key_length)))
        at = &o->next;
    if (o) {
        *at = o->next;
        atomic_fetch_add(&o->users, 1);
    }
    struct opencl_source *shared = o ? o : s;
    shared->next = sources;
    sources = shared;
    pthread_mutex_unlock(&lock);
    if (o) destroy(s);
    return shared;
}

struct opencl_source *source_make(struct device *d, const struct opencl_text *text, struct fault *fault) {
    struct opencl_source *s = mem_alloc(sizeof *s);
    struct text key = {0};
    if (!s) {
        fault_memory(fault, sizeof *s);
        return NULL;
    }
    pthread_mutex_init(&s->mutex, NULL);
    s->device = d;
    atomic_store(&s->users, 1);
    text_add(&key, "opencl, tyto %s\n%s%s", ty_version(), opencl_device_of(d)->found->key, text->options);
    size_t options = key.length - strlen(text->options);
    text_add_bytes(&key, "", 1);
    size_t begin = key.length;
    text_add_bytes(&key, text->text, text->length);
    s->length = text->length, s->key_length = key.length;
    s->key = text_take(&key);
    s->name = mem_copy_text(text->name);
    if (s->key && s->name) {
        s->options = s->key + options, s->text = s->key + begin;
        return share(s);
    }
    fault_memory(fault, begin + text->length);
    destroy(s);
    return NULL;
}

/* ---- building ---- */

/* Build s->program for the device.  Return the driver's code. */
static cl_int compile(struct device *d, struct opencl_source *s) {
    return opencl.clBuildProgram(s->program, 1, &opencl_device_of(d)->found->id, s->options, NULL, NULL);
}

static void drop_program(struct opencl_source *s) {
    if (s->program) opencl.clReleaseProgram(s->program);
    s->program = NULL;
}

/* Build the program that an earlier process has stored.  False: there is none, or the driver refuses it. */
static bool load(struct device *d, struct opencl_source *s) {
    struct opencl_device *own = opencl_device_of(d);
    size_t bytes = 0;
    unsigned char *binary = disk_cache_get(&(struct disk_key){s->key, s->key_length}, &bytes);
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    if (!binary) return false;
    const unsigned char *binaries[] = {binary};
    s->program =
        opencl.clCreateProgramWithBinary(own->context, 1, &own->found->id, &bytes, binaries, &status, &code);
    mem_free(binary);
    if (s->program && !code && !status && !compile(d, s)) return s->stored = true;
    drop_program(s);
    return false;
}

/* Set the fault that the driver's compiler refused the text, with the beginning of its log; TY_DEBUG shows the
   whole. */
static void report(struct device *d, struct opencl_source *s, struct fault *fault) {
    char *log = mem_alloc(LOG);
    if (!log || opencl.clGetProgramBuildInfo(s->program, opencl_device_of(d)->found->id, CL_PROGRAM_BUILD_LOG,
                                             LOG - 1, log, NULL))
        fault_set(fault, E_DEVICE,
                  "%s: the kernel of %s could not be built; the compiler's log is not available", d->name,
                  s->name);
    if (log && debug_level())
        fprintf(stderr, "%s: the kernel of %s could not be built:\n%s\n", d->name, s->name, log);
    fault_set(fault, E_DEVICE, "%s: the kernel of %s could not be built: %.*s", d->name, s->name, 512,
              log ? log : "");
    mem_free(log);
}

/* Build the program from its text.  False, with the fault set, on failure. */
static bool build(struct device *d, struct opencl_source *s, struct fault *fault) {
    cl_int code = CL_SUCCESS;
    const char *texts[] = {s->text};
    s->program =
        opencl.clCreateProgramWithSource(opencl_device_of(d)->context, 1, texts, &(size_t){s->length}, &code);
    if (!s->program || code)
        return opencl_ok(d, code ? code : CL_OUT_OF_RESOURCES, "clCreateProgramWithSource", fault);
    code = compile(d, s);
    if (code == CL_BUILD_PROGRAM_FAILURE) report(d, s, fault);
    if (opencl_ok(d, code, "clBuildProgram", fault)) return true;
    drop_program(s);
    return false;
}

/* Build the program unless that has been tried; its mutex is held.  False, with the fault set, if it failed for
   good. */
static bool be_built(struct device *d, struct opencl_source *s, struct fault *fault) {
    if (s->state == SOURCE_TEXT) {
        fault_clear(&s->failure);
        bool ok = load(d, s) || build(d, s, &s->failure);
        bool again = !ok && s->failure.code == E_MEMORY;
        if (again) return fault_copy(fault, &s->failure);
        s->state = ok ? SOURCE_BUILT : SOURCE_FAILED;
    }
    return s->state == SOURCE_BUILT || fault_copy(fault, &s->failure);
}

/* ---- storing ---- */

/* A program whose kernels are called again and again is stored; to get it from PoCL 3.1 takes some 80 ms a kernel. */
enum { STORED_AT = 8 };

/* Store the compiled program on disk; the mutex is held.  Nothing happens if that fails. */
static void store(struct opencl_source *s) {
    size_t bytes = 0;
    s->stored = true;
    if (opencl.clGetProgramInfo(s->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes)
        return;
    unsigned char *binary = mem_alloc(bytes), *binaries[] = {binary};
    if (binary && !opencl.clGetProgramInfo(s->program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL))
        disk_cache_put(&(struct disk_key){s->key, s->key_length}, binary, bytes);
    mem_free(binary);
}

/* ---- calling ---- */

/* Take a kernel by name from the idle ones, or make one; the mutex is held.  NULL, with the fault set, on failure. */
static struct idle *take(struct device *d, struct opencl_source *s, const char *name, struct fault *fault) {
    for (struct idle **at = &s->idle; *at; at = &(*at)->next) {
        struct idle *i = *at;
        if (strcmp(i->name, name)) continue;
        *at = i->next;
        return i;
    }
    cl_int code = CL_SUCCESS;
    struct idle *i = mem_alloc(sizeof *i);
    if (!i) {
        fault_memory(fault, sizeof *i);
        return NULL;
    }
    text_print(i->name, sizeof i->name, "%s", name);
    i->kernel = opencl.clCreateKernel(s->program, name, &code);
    if (i->kernel && code == CL_SUCCESS) {
        if (opencl.clGetKernelWorkGroupInfo(i->kernel, opencl_device_of(d)->found->id,
                                            CL_KERNEL_WORK_GROUP_SIZE, sizeof i->group, &i->group, NULL) ||
            !i->group)
            i->group = 1;
        return i;
    }
    opencl_ok(d, code ? code : CL_OUT_OF_RESOURCES, "clCreateKernel", fault);
    mem_free(i);
    return NULL;
}

/* Set all arguments of a kernel.  False, with the fault set, on failure. */
static bool set_arguments(struct device *d, cl_kernel kernel, const struct opencl_call *call,
                          struct fault *fault) {
    cl_uint n = 0;
    for (int i = 0; i < call->nplaces; i++) {
        cl_mem memory = call->places[i].handle;
        uint64_t offset = (uint64_t)call->places[i].offset;
        if (!OPENCL_CALL(d, fault, clSetKernelArg, kernel, n, sizeof memory, &memory) ||
            !OPENCL_CALL(d, fault, clSetKernelArg, kernel, n + 1, sizeof offset, &offset))
            return false;
        n += 2;
    }
    for (int i = 0; i < call->nvalues; i++)
        if (!OPENCL_CALL(d, fault, clSetKernelArg, kernel, n++, sizeof call->values[i], &call->values[i]))
            return false;
    for (int i = 0; i < call->nwords; i++)
        if (!OPENCL_CALL(d, fault, clSetKernelArg, kernel, n++, sizeof call->words[i], &call->words[i]))
            return false;
    return !call->cell || OPENCL_CALL(d, fault, clSetKernelArg, kernel, n, sizeof call->cell, &call->cell);
}

/* Work items of a group.  Processors fill vectors with them, and start each group anew: 2^18 elements of x * 1.5 +
   2 took PoCL 3.1 218, 74, 33, 27 and 26 us in groups of 16, 64, 256, 1024 and 4096 (f32, AVX-512, 2 threads).
   Other devices hide the time of memory with them.  DEPTH: limit of drivers for the third axis; GROUPS: for each
   unit, so that units end together. */
enum { DEPTH = 64, GROUPS = 4 };
static const struct {
    size_t least, most;
} group_sizes[DEVICE_KINDS] = {
    [DEVICE_CPU] = {16, 1024}, [DEVICE_GPU] = {64, 256}, [DEVICE_OTHER] = {64, 256}};

/* Choose the sizes of groups, powers of 2 of at most `most` work items in all, and round `global` up to them. */
static void choose_groups(const struct device *d, const struct opencl_call *call, size_t most, size_t *global,
                          size_t *local) {
    size_t room = group_sizes[d->facts.kind].most, least = group_sizes[d->facts.kind].least;
    double items = 1;
    for (int i = 0; i < call->ndims; i++) items *= (double)call->global[i];
    while (room > least && items / (double)room < GROUPS * d->facts.units) room /= 2;
    while (room > most) room /= 2;
    for (int i = 0; i < call->ndims; i++) {
        size_t n = (size_t)call->global[i], limit = i == OPENCL_DIMS - 1 && room > DEPTH ? DEPTH : room;
        for (local[i] = 1; local[i] < n && local[i] < limit;) local[i] *= 2;
        room /= local[i];
        global[i] = (n + local[i] - 1) / local[i] * local[i];
    }
}

/* Give the command to start a kernel whose arguments are set. */
static bool start(struct device *d, struct opencl_stream *s, const struct idle *kernel,
                  const struct opencl_call *call, struct fault *fault) {
    size_t global[OPENCL_DIMS], local[OPENCL_DIMS];
    choose_groups(d, call, kernel->group, global, local);
    return opencl_start(d, s, kernel->kernel, call->ndims, global, local, fault);
}

bool source_call(struct device *d, struct opencl_stream *stream, struct opencl_source *s,
                 const struct opencl_call *call, struct fault *fault) {
    if (!opencl_usable(d, fault)) return false;
    pthread_mutex_lock(&s->mutex);
    struct idle *i = be_built(d, s, fault) ? take(d, s, call->kernel, fault) : NULL;
    if (i && !s->stored && ++s->calls == STORED_AT) store(s);
    pthread_mutex_unlock(&s->mutex);
    if (!i) return false;
    bool ok = set_arguments(d, i->kernel, call, fault) && start(d, stream, i, call, fault);
    pthread_mutex_lock(&s->mutex);
    i->next = s->idle;
    s->idle = i;
    pthread_mutex_unlock(&s->mutex);
    return ok;
}
