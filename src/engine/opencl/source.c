/* A driver's kernel object has arguments, so one thread at a time may use it: each call takes one from the source's
   idle ones, and gives it back. */
#include "engine/opencl/source.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "engine/opencl/build.h"

/* A kernel of a source: a driver's object with arguments of its own, which one thread at a time sets. */
struct idle {
    struct idle *next;
    cl_kernel kernel;
    size_t group; /* most work items of a group */
    char name[sizeof((struct text_kernel){0}.name)];
};

/* Equal programs of a device are one source.  KEPT: so many without users stay, for operators that come again; LeNet's
   start and step have some 50.  The list is of no use in the child of a fork, where nothing is built. */
enum { KEPT = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_source *sources;

enum source_state { SOURCE_TEXT, SOURCE_BUILT, SOURCE_FAILED };
struct opencl_source {
    struct opencl_source *next; /* the most recent one is first; guarded by lock */
    const struct device *device;
    atomic_int users; /* made and not freed; raised only under lock */
    char *name;
    struct text_program text; /* steps and uses are the source's own */
    atomic_int state;         /* set while the device's `building` is held */
    struct fault failure;     /* guarded by `building`: of the last attempt */
    cl_program program;       /* constant once the state is SOURCE_BUILT */
    struct idle *idle;        /* guarded by lock */
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
    mem_free(s->name);
    mem_free((char *)s->text.steps);
    mem_free((struct text_uses *)s->text.uses);
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

/* Order programs by their texts, so that one set of programs is one text. */
static int compare(const struct text_program *a, const struct text_program *b) {
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->steps, b->steps, a->length);
}

/* Add s to the list, or return the equal source that is there, and destroy s. */
static struct opencl_source *share(struct opencl_source *s) {
    if (!opencl_alive()) return s;
    pthread_mutex_lock(&lock);
    struct opencl_source **at = &sources, *o;
    while ((o = *at) && (o->device != s->device || compare(&o->text, &s->text))) at = &o->next;
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

struct opencl_source *source_make(struct device *d, const struct text_program *program, const char *name,
                                  struct fault *fault) {
    struct opencl_source *s = mem_alloc(sizeof *s);
    if (!s) return fault_memory(fault, sizeof *s), NULL;
    char *steps = mem_alloc(program->length + 1);
    if (steps) memcpy(steps, program->steps, program->length);
    s->device = d;
    atomic_store(&s->users, 1);
    s->name = mem_copy_text(name);
    s->text = (struct text_program){.steps = steps, .length = program->length};
    s->text.uses = text_uses_copy(program->uses);
    if (s->name && steps && s->text.uses) return share(s);
    fault_memory(fault, program->length);
    destroy(s);
    return NULL;
}

/* ---- building ---- */

static int by_text(const void *a, const void *b) {
    return compare(&(*(struct opencl_source *const *)a)->text, &(*(struct opencl_source *const *)b)->text);
}

/* Return the n sources of the device that are not built, with a user more, in the order of their texts.  Without memory
   some are missing. */
static struct opencl_source **take_waiting(const struct device *d, int *n) {
    struct opencl_source **found = NULL;
    int capacity = 0;
    bool fits = true;
    *n = 0;
    pthread_mutex_lock(&lock);
    for (struct opencl_source *s = sources; s && fits; s = s->next) {
        if (s->device != d || atomic_load(&s->state) != SOURCE_TEXT || !atomic_load(&s->users)) continue;
        fits = list_append(found, *n, capacity, s);
        if (fits) atomic_fetch_add(&s->users, 1);
    }
    pthread_mutex_unlock(&lock);
    if (found) qsort(found, (size_t)*n, sizeof *found, by_text);
    return found;
}

/* Return the program of n sources.  NULL, with the fault set, on failure. */
static cl_program join(struct device *d, struct opencl_source *const *s, int n, struct fault *fault) {
    const struct text_program **programs = mem_array((size_t)n, sizeof *programs);
    struct text text = {0};
    for (int i = 0; programs && i < n; i++) programs[i] = &s[i]->text;
    if (programs) text_join(&text, n, programs, &text_opencl, !(d->facts.lacks >> TY_F64 & 1));
    struct opencl_text whole = {text.data, text.length, n == 1 ? s[0]->name : NULL};
    cl_program program =
        programs && !text.failed ? opencl_build(d, &whole, fault) : (fault_memory(fault, text.length), NULL);
    mem_free(programs);
    text_drop(&text);
    return program;
}

/* Build n sources together, or one by one if they cannot be built together.  A source without memory stays as it is. */
static void build(struct device *d, struct opencl_source *const *s, int n) {
    struct fault why = {0};
    cl_program program = join(d, s, n, &why);
    if (!program && n > 1 && why.code != E_MEMORY) {
        for (int i = 0; i < n; i++) build(d, s + i, 1);
        return;
    }
    for (int i = 0; i < n; i++) {
        fault_clear(&s[i]->failure);
        bool mine = program && (!i || OPENCL_CALL(d, &s[i]->failure, clRetainProgram, program));
        if (mine) s[i]->program = program;
        if (!program) fault_copy(&s[i]->failure, &why);
        if (mine || s[i]->failure.code != E_MEMORY)
            atomic_store(&s[i]->state, mine ? SOURCE_BUILT : SOURCE_FAILED);
    }
}

/* Let s be built, with all that wait.  False, with the fault set, if it cannot be. */
static bool be_built(struct device *d, struct opencl_source *s, struct fault *fault) {
    if (atomic_load(&s->state) == SOURCE_BUILT) return true;
    pthread_mutex_t *building = &opencl_device_of(d)->building;
    pthread_mutex_lock(building);
    if (atomic_load(&s->state) == SOURCE_TEXT) {
        int n;
        struct opencl_source **waiting = take_waiting(d, &n);
        if (waiting) build(d, waiting, n);
        if (atomic_load(&s->state) == SOURCE_TEXT && !s->failure.set) /* the list has no room for it */
            fault_memory(&s->failure, ((size_t)n + 1) * sizeof *waiting);
        for (int i = 0; i < n; i++) source_free(waiting[i]);
        mem_free(waiting);
    }
    bool built = atomic_load(&s->state) == SOURCE_BUILT || fault_copy(fault, &s->failure);
    pthread_mutex_unlock(building);
    return built;
}

/* ---- calling ---- */

/* Take a kernel by name from the idle ones, or make one.  NULL, with the fault set, on failure. */
static struct idle *take(struct device *d, struct opencl_source *s, const char *name, struct fault *fault) {
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    struct idle **at = &s->idle, *i;
    while ((i = *at) && strcmp(i->name, name)) at = &i->next;
    if (i) *at = i->next;
    pthread_mutex_unlock(&lock);
    if (i) return i;
    i = mem_alloc(sizeof *i);
    if (!i) return fault_memory(fault, sizeof *i), NULL;
    text_print(i->name, sizeof i->name, "%s", name);
    i->kernel = OPENCL_MAKE(d, fault, code, clCreateKernel, s->program, name);
    if (!i->kernel) {
        mem_free(i);
        return NULL;
    }
    if (opencl.clGetKernelWorkGroupInfo(i->kernel, opencl_device_of(d)->found->id, CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof i->group, &i->group, NULL) ||
        !i->group)
        i->group = 1;
    return i;
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
    return !call->last || OPENCL_CALL(d, fault, clSetKernelArg, kernel, n, sizeof *call->last, call->last);
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

/* Choose the sizes of groups, powers of 2 of at most `most` work items in all, and round `global` up to them.  Kernels
   with one dimension have one of two sizes, as PoCL compiles a kernel for each size that is used. */
static void choose_groups(const struct device *d, const struct opencl_call *call, size_t most, size_t *global,
                          size_t *local) {
    size_t room = group_sizes[d->facts.kind].most, least = group_sizes[d->facts.kind].least;
    double items = 1;
    for (int i = 0; i < call->ndims; i++) items *= (double)call->global[i];
    if (items / (double)room < GROUPS * d->facts.units) room = least;
    while (room > most) room /= 2;
    for (int i = 0; i < call->ndims; i++) {
        size_t n = call->ndims == 1 ? room : (size_t)call->global[i],
               limit = i == OPENCL_DIMS - 1 && room > DEPTH ? DEPTH : room;
        for (local[i] = 1; local[i] < n && local[i] < limit;) local[i] *= 2;
        room /= local[i];
        global[i] = ((size_t)call->global[i] + local[i] - 1) / local[i] * local[i];
    }
}

bool source_call(struct device *d, struct opencl_stream *stream, struct opencl_source *s,
                 const struct opencl_call *call, struct fault *fault) {
    size_t global[OPENCL_DIMS], local[OPENCL_DIMS];
    struct idle *i =
        opencl_usable(d, fault) && be_built(d, s, fault) ? take(d, s, call->kernel, fault) : NULL;
    if (!i) return false;
    choose_groups(d, call, i->group, global, local);
    bool ok = set_arguments(d, i->kernel, call, fault) &&
              opencl_start(d, stream, i->kernel, call->ndims, global, local, fault);
    pthread_mutex_lock(&lock);
    i->next = s->idle;
    s->idle = i;
    pthread_mutex_unlock(&lock);
    return ok;
}
