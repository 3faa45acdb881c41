/*
 * OpenCL as a family of devices.  A kernel is lowered to nests, which are rendered as text; a launch calls the
 * functions of the text one after the other.  A step that checks values lowers a word of the workspace.  The launch
 * waits for it: when a value is refused, the kernel ends, and the message goes into the cell of the run.  The device
 * remembers which cells are set, so that kernels that look at one need not wait.
 */
#include "engine/opencl/opencl.h"
#include <inttypes.h>
#include <string.h>
#include "base/arena.h"
#include "base/checked.h"
#include "base/threads/cancel.h"
#include "engine/nest/lower.h"
#include "engine/opencl/source.h"
#include "engine/schedule/schedule.h"
#include "engine/text/text.h"
#include "ops/core/kernel/kernel.h"
#include "ops/core/op.h"

/* The error cell of a run; all zero: not set. */
struct cell {
    int32_t number, code; /* of the kernel; of its fault */
    char text[sizeof((struct fault){0}.text)];
};

/* ALIGN: of temporaries, at least that of the widest element.  PLACES: arguments of a step; kernels may have
   arguments of 1024 bytes on any device (CL_DEVICE_MAX_PARAMETER_SIZE), 16 bytes for each place. */
enum { ALIGN = 128, PLACES = 60 };

/* A kernel as prepared. */
struct plan {
    ty_nests nests;
    struct text_program program;
    struct opencl_source *source;
    int64_t *temporaries; /* byte offsets in the workspace */
};

/* ---- preparing ---- */

/* Return words for messages. */
static const char *name_of(const struct kernel *k) { return k->op ? k->op->name : kernel_kind_name(k->kind); }

/* Place the temporaries in the workspace; set its size.  False, with the fault set, if memory runs out or sizes
   overflow. */
static bool place_temporaries(struct kernel *k, struct plan *p, struct arena *arena, struct fault *fault) {
    size_t n = (size_t)p->nests.ntemporaries;
    int64_t at = 0, bytes;
    p->temporaries = arena_array(arena, n + 1, sizeof *p->temporaries);
    if (!p->temporaries) return fault_memory(fault, (n + 1) * sizeof *p->temporaries);
    for (size_t i = 0; i < n; i++) {
        const ty_nest_temporary *t = &p->nests.temporaries[i];
        p->temporaries[i] = at;
        if (!checked_mul(t->size, (int64_t)dtype_table[t->dtype].size, &bytes) ||
            !checked_add(at, bytes, &at) || !checked_add(at, ALIGN - 1, &at))
            return fault_set(fault, E_LIMIT, "opencl: the temporaries of %s exceed 64-bit sizes", name_of(k));
        at -= at % ALIGN;
    }
    k->workspace = (size_t)at;
    return true;
}

/* Refuse steps with more memory than a kernel can have arguments. */
static bool has_few_places(const struct kernel *k, const struct plan *p, struct fault *fault) {
    for (int i = 0; i < p->program.nkernels; i++)
        if (p->program.kernels[i].nslots > PLACES)
            return fault_set(fault, E_UNSUPPORTED,
                             "opencl: a step of %s has %d operands; expected at most %d", name_of(k),
                             p->program.kernels[i].nslots, PLACES);
    return true;
}

/* Refuse operands of dtypes that the device lacks. */
static bool has_dtypes(const struct device *d, const struct kernel *k, struct fault *fault) {
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        ty_dtype dtype = i < k->ninputs ? k->inputs[i].dtype : k->outputs[i - k->ninputs].dtype;
        if (d->facts.lacks >> dtype & 1)
            return fault_set(fault, E_UNSUPPORTED, "%s: %s: the device lacks dtype %s", d->name, name_of(k),
                             ty_dtype_name(dtype));
    }
    return true;
}

static bool prepare(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault) {
    struct plan *p = arena_alloc(arena, sizeof *p);
    struct text_device device = {.f64 = !(d->facts.lacks >> TY_F64 & 1),
                                 .wide_index = d->facts.kind == DEVICE_CPU,
                                 .lanes = opencl_device_of(d)->found->lanes};
    if (!p) return fault_memory(fault, sizeof *p);
    if (!has_dtypes(d, k, fault) || !nest_lower(k, &p->nests, arena, fault) ||
        !schedule(&p->nests, device.lanes, arena, fault) ||
        !text_render(&p->nests, &text_opencl, device, arena, &p->program, fault) ||
        !has_few_places(k, p, fault) || !place_temporaries(k, p, arena, fault))
        return false;
    const struct opencl_found *found = opencl_device_of(d)->found;
    /* a device that cannot round as asked refuses to build */
    const char *options = found->rounds ? p->program.options : "-cl-std=CL1.2";
    struct opencl_text text = {p->program.text, p->program.length, options, name_of(k)};
    k->width = 1;
    k->prepared = p;
    p->source = source_make(d, &text, fault);
    return p->source;
}

static void drop(struct device *d, struct kernel *k) {
    struct plan *p = k->prepared;
    (void)d;
    source_free(p->source);
}

static void close_device(struct device *d) {
    source_close(d);
    opencl_close(d);
}

/* ---- refusals ---- */

/* Wait on the host for all commands of the stream.  False, with the fault set, if one failed. */
static bool finish(struct device *d, struct opencl_stream *s, struct fault *fault) {
    void *event = opencl_record(d, s, fault);
    bool ok = event && opencl_wait(d, event, fault);
    if (event) opencl_event_release(d, event);
    return ok;
}

/* A launch. */
struct launch {
    struct device *d;
    struct opencl_stream *stream;
    const struct kernel *k;
    const struct device_place *places;
    struct device_place workspace;
    const struct device_cell *cell; /* NULL: none */
    struct fault *fault;
};

/* Return the memory of a slot: of an operand, or of a temporary. */
static struct device_place place_of(const struct launch *l, int slot) {
    const struct plan *p = l->k->prepared;
    int temporary = slot - p->nests.noperands;
    if (temporary < 0) return l->places[slot];
    struct device_place place = l->workspace;
    place.offset += p->temporaries[temporary];
    return place;
}

/* Return the integer at element `at` of a slot of the launch; 0, with the fault set, if it cannot be read. */
static int64_t peek(void *context, int slot, ty_dtype dtype, int64_t at) {
    struct launch *l = context;
    struct device_place from = place_of(l, slot);
    uint64_t bytes[2] = {0};
    size_t size = dtype_table[dtype].size;
    from.offset += at * (int64_t)size;
    if (!opencl_download(l->d, l->stream, bytes, from, size, l->fault) || !finish(l->d, l->stream, l->fault))
        return 0;
    return element_load(dtype, bytes).i;
}

/* Report that a check of a step failed at a position: in the cell of the run, unless it is set, else as the fault.
   False, with the fault set, if it is the fault or something else failed. */
static bool refuse(struct launch *l, int step, int64_t position) {
    const struct plan *p = l->k->prepared;
    struct opencl_device *own = opencl_device_of(l->d);
    struct fault why = {0};
    nests_refuse(l->k, &p->nests, step, position, peek, l, &why);
    if (l->fault->set) return false;
    if (!l->cell) return fault_copy(l->fault, &why);
    struct cell cell = {.number = l->cell->number, .code = (int32_t)why.code};
    memcpy(cell.text, why.text, sizeof cell.text);
    return opencl_upload(l->d, l->stream, l->cell->place, &cell, sizeof cell, l->fault) &&
           finish(l->d, l->stream, l->fault) &&
           (opencl_cell_set(own, &l->cell->place) || fault_memory(l->fault, sizeof l->cell->place));
}

static void refusal(struct device *d, const struct kernel *k, const void *cell, struct fault *fault) {
    struct cell c;
    (void)d, (void)k;
    memcpy(&c, cell, sizeof c);
    c.text[sizeof c.text - 1] = 0;
    fault_set(fault, (ty_code)c.code, "%s", c.text);
}

static int refused(struct device *d, const void *cell) {
    int32_t number;
    (void)d;
    memcpy(&number, cell, sizeof number);
    return number;
}

/* ---- launching ---- */

/* Give the command to execute a step; `checks`: memory for the result of its checks, if it has any. */
static bool give(struct launch *l, const struct text_kernel *step, cl_mem checks) {
    const struct plan *p = l->k->prepared;
    struct device_place places[PLACES];
    struct opencl_call call = {.kernel = step->name,
                               .nplaces = step->nslots,
                               .places = places,
                               .nvalues = step->nvalues,
                               .values = step->values,
                               .ndims = step->ndims,
                               .cell = checks};
    memcpy(call.global, step->global, sizeof call.global);
    for (int i = 0; i < step->nslots; i++) places[i] = place_of(l, step->slots[i]);
    return source_call(l->d, l->stream, p->source, &call, l->fault);
}

/* Execute a step with checks and wait for them; set *lowest to the least of text.h, TEXT_NO_FAULT if all hold. */
static bool check(struct launch *l, const struct text_kernel *step, uint32_t *lowest) {
    static const uint32_t none[2] = {TEXT_NO_FAULT, TEXT_NO_FAULT};
    struct opencl_stream *s = l->stream;
    uint32_t words[2] = {TEXT_NO_FAULT, TEXT_NO_FAULT};
    pthread_mutex_lock(&s->checking);
    if (!s->checks) s->checks = opencl_allocate(l->d, sizeof words, l->fault);
    struct device_place place = {s->checks, 0};
    bool ok = s->checks && opencl_upload(l->d, s, place, none, sizeof none, l->fault) &&
              give(l, step, s->checks) && opencl_download(l->d, s, words, place, sizeof words, l->fault);
    ok = finish(l->d, s, l->fault) && ok; /* words are written until then */
    pthread_mutex_unlock(&s->checking);
    *lowest = words[0];
    return ok;
}

static bool give_all(struct launch *l) {
    const struct plan *p = l->k->prepared;
    for (int i = 0; i < p->program.nkernels; i++) {
        const struct text_kernel *step = &p->program.kernels[i];
        uint32_t lowest = TEXT_NO_FAULT;
        if (!step->items) continue;
        if (!(step->checks ? check(l, step, &lowest) : give(l, step, NULL))) return false;
        if (lowest != TEXT_NO_FAULT) return refuse(l, i, lowest / (uint32_t)step->nchecks);
    }
    return true;
}

/* Builds and waits are points of cancellation, and hold locks. */
static bool launch(struct device *d, void *stream, const struct kernel *k, const struct device_place *places,
                   struct device_place workspace, const struct device_cell *cell, struct fault *fault) {
    struct launch l = {d, stream, k, places, workspace, cell && cell->place.handle ? cell : NULL, fault};
    if (l.cell && opencl_cell_is_set(opencl_device_of(d), &l.cell->place)) return true;
    int cancel = cancel_hold_off();
    bool done = give_all(&l);
    cancel_restore(cancel);
    return done;
}

const struct device_family opencl_family = {.name = "opencl",
                                            .cell_bytes = sizeof(struct cell),
                                            .count = opencl_count,
                                            .describe = opencl_describe,
                                            .open = opencl_open,
                                            .close = close_device,
                                            .allocate = opencl_allocate,
                                            .release = opencl_release,
                                            .stream_open = opencl_stream_open,
                                            .stream_close = opencl_stream_close,
                                            .record = opencl_record,
                                            .await = opencl_await,
                                            .state = opencl_state,
                                            .wait = opencl_wait,
                                            .event_release = opencl_event_release,
                                            .upload = opencl_upload,
                                            .download = opencl_download,
                                            .copy = opencl_copy,
                                            .zero = opencl_zero,
                                            .prepare = prepare,
                                            .drop = drop,
                                            .launch = launch,
                                            .refusal = refusal,
                                            .refused = refused};
