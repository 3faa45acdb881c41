/*
 * OpenCL as a family of devices.  A kernel is lowered to nests, which are rendered as text; a launch calls the
 * functions of the text one after the other.  A step that checks values notes in the cell of the run which one it
 * refuses (engine/text/text.h), and nobody waits: kernels that write over variables look at the cell on the device, and
 * the message is made when somebody reads the cell.
 */
#include "engine/opencl/opencl.h"
#include <inttypes.h>
#include <string.h>
#include "base/arena.h"
#include "base/threads/cancel.h"
#include "engine/nest/lower.h"
#include "engine/opencl/source.h"
#include "engine/schedule/schedule.h"
#include "ops/core/kernel/kernel.h"
#include "ops/core/kernel/work.h"

/* The error cell of a run; all zero: not set. */
struct cell {
    struct text_cell refused; /* by steps; its `step` is number_of_step */
    int32_t code;             /* of a message that was made on the host; 0: there is none */
    char text[sizeof((struct fault){0}.text)];
};
/* Steps of a kernel that may check. */
enum { STEPS = 1 << 8 };
/* Return the number of a step of kernel `number` of a run. */
static uint32_t number_of_step(int number, int step) { return (uint32_t)number * STEPS + (uint32_t)step; }

/* Arguments of a step: kernels may have arguments of 1024 bytes on any device (CL_DEVICE_MAX_PARAMETER_SIZE), 16 bytes
   for each place. */
enum { PLACES = 60 };

/* A kernel as prepared. */
struct plan {
    ty_nests nests;
    struct text_program program;
    struct opencl_source *source;
    int64_t *temporaries; /* byte offsets in the workspace */
};

/* ---- preparing ---- */

/* Refuse steps with more memory than a kernel can have arguments, and kernels with too many steps. */
static bool has_few_places(const struct kernel *k, const struct plan *p, struct fault *fault) {
    if (p->program.nkernels > STEPS)
        return fault_set(fault, E_UNSUPPORTED, "opencl: %s has %d steps; expected at most %d", kernel_name(k),
                         p->program.nkernels, STEPS);
    for (int i = 0; i < p->program.nkernels; i++)
        if (p->program.kernels[i].nslots > PLACES)
            return fault_set(fault, E_UNSUPPORTED,
                             "opencl: a step of %s has %d operands; expected at most %d", kernel_name(k),
                             p->program.kernels[i].nslots, PLACES);
    return true;
}

static atomic_bool tiles_forced;
void opencl_force_tiles(bool on) { atomic_store(&tiles_forced, on); }

/* Return the lanes of tiles for a kernel.  With few operations it has none: PoCL compiles a tile for 100 to 220 ms,
   plain loops for 40 to 120 (LeNet), and a launch takes as long as SMALL operations.  A text of one loop has tiles, as
   it serves all sizes. */
static int lanes_for(const struct device *d, const struct kernel *k, const ty_nests *nests) {
    enum { SMALL = 1 << 13 };
    bool tiled = work_operations(k) >= SMALL || atomic_load(&tiles_forced);
    for (int i = 0; i < nests->nsteps && !tiled; i++) {
        const ty_nest *n = nests->steps[i].nest;
        tiled = n && n->ndims == 1 && !n->nfolds;
    }
    return tiled ? opencl_device_of(d)->found->lanes : 0;
}

static bool prepare(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault) {
    struct plan *p = arena_alloc(arena, sizeof *p);
    struct text_device device = {
        .f64 = !(d->facts.lacks >> TY_F64 & 1), .wide_index = d->facts.kind == DEVICE_CPU, .stops = k->looks};
    if (!p) return fault_memory(fault, sizeof *p);
    if (!nest_lower(k, &p->nests, arena, fault)) return false;
    device.lanes = lanes_for(d, k, &p->nests);
    if (!schedule(&p->nests, device.lanes, true, arena, fault) ||
        !text_render(&p->nests, &text_opencl, device, arena, &p->program, fault) ||
        !has_few_places(k, p, fault))
        return false;
    p->temporaries = nests_place(&p->nests, &k->workspace, arena, fault);
    if (!p->temporaries) return false;
    k->width = 1;
    k->prepared = p;
    p->source = source_make(d, &p->program, kernel_name(k), fault);
    return p->source;
}

static void explain(const struct kernel *k, struct text *t) {
    const struct plan *p = k->prepared;
    nests_describe(&p->nests, t);
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

/* ---- launching ---- */

/* A launch. */
struct launch {
    struct device *d;
    struct opencl_stream *stream;
    const struct kernel *k;
    const struct device_place *places;
    struct device_place workspace;
    const struct device_cell *cell; /* handle NULL: none */
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

/* Give the command to execute step i; `again`: once more, so that it stores the value that it has refused. */
static bool give(struct launch *l, int i, bool again) {
    const struct plan *p = l->k->prepared;
    const struct text_kernel *step = &p->program.kernels[i];
    struct device_place places[PLACES + 1], no_cell = {opencl_device_of(l->d)->no_cell, 0};
    struct opencl_call call = {.kernel = step->name,
                               .nplaces = step->nslots,
                               .places = places,
                               .nvalues = step->nvalues,
                               .values = step->values,
                               .ndims = step->ndims};
    uint64_t number = number_of_step(l->cell->number, i) | (again ? TEXT_AGAIN : 0);
    memcpy(call.global, step->global, sizeof call.global);
    for (int s = 0; s < step->nslots; s++) places[s] = place_of(l, step->slots[s]);
    if (step->checks || step->stops)
        places[call.nplaces++] = l->cell->place.handle ? l->cell->place : no_cell;
    if (step->checks) call.last = &number;
    return source_call(l->d, l->stream, p->source, &call, l->fault);
}

/* Copy `bytes` of device memory to the host, after all commands of the stream. */
static bool fetch(struct launch *l, void *to, struct device_place from, size_t bytes) {
    bool ok = opencl_download(l->d, l->stream, to, from, bytes, l->fault);
    return opencl_finish(l->d, l->stream, l->fault) && ok; /* the memory is written until then */
}

/* Return the integer at element `at` of a slot of the launch; 0, with the fault set, if it cannot be read. */
static int64_t peek(void *context, int slot, ty_dtype dtype, int64_t at) {
    struct launch *l = context;
    struct device_place from = place_of(l, slot);
    uint64_t bytes[2] = {0};
    size_t size = dtype_table[dtype].size;
    from.offset += at * (int64_t)size;
    return fetch(l, bytes, from, size) ? element_load(dtype, bytes).i : 0;
}

/* Wait for step i, whose message needs more than the value that it refuses; if it has refused one, write the message
   to the cell. */
static bool await_message(struct launch *l, int i) {
    const struct plan *p = l->k->prepared;
    struct cell cell = {0};
    struct fault why = {0};
    if (!fetch(l, &cell.refused, l->cell->place, sizeof cell.refused)) return false;
    if (cell.refused.step != number_of_step(l->cell->number, i)) return true;
    nests_refuse(l->k, &p->nests, i, text_cell_position(&cell.refused, &p->program.kernels[i]), peek, l,
                 &why);
    cell.code = (int32_t)why.code;
    memcpy(cell.text, why.text, sizeof cell.text);
    return !l->fault->set && opencl_upload(l->d, l->stream, l->cell->place, &cell, sizeof cell, l->fault) &&
           opencl_finish(l->d, l->stream, l->fault);
}

/* Set *set to whether the cell of the run is set.  False, with the fault set, on failure. */
static bool look(struct launch *l, bool *set) {
    struct text_cell cell = {0};
    bool ok = fetch(l, &cell, l->cell->place, sizeof cell);
    *set = cell.step;
    return ok;
}

static bool give_all(struct launch *l) {
    const struct plan *p = l->k->prepared;
    bool set = false;
    if (l->cell->looks && l->cell->place.handle && !l->k->looks && !look(l, &set)) return false;
    for (int i = 0; i < p->program.nkernels && !set; i++) {
        const struct text_kernel *step = &p->program.kernels[i];
        if (!step->items) continue;
        if (step->checks && !l->cell->place.handle)
            return fault_set(l->fault, E_INTERNAL, "%s: %s checks values without a cell", l->d->name,
                             kernel_name(l->k));
        if (!give(l, i, false) || (step->checks && !give(l, i, true))) return false;
        if (step->checks && !nests_refuse_value(l->k) && !await_message(l, i)) return false;
    }
    return true;
}

/* Builds and waits are points of cancellation, and hold locks. */
static bool launch(struct device *d, void *stream, const struct kernel *k, const struct device_place *places,
                   struct device_place workspace, const struct device_cell *cell, struct fault *fault) {
    struct launch l = {d, stream, k, places, workspace, cell, fault};
    int cancel = cancel_hold_off();
    bool done = give_all(&l);
    cancel_restore(cancel);
    return done;
}

/* ---- refusals ---- */

/* nest_peek of a cell: the value that was refused. */
static int64_t refused_value(void *cell, int slot, ty_dtype dtype, int64_t at) {
    (void)slot, (void)dtype, (void)at;
    return ((const struct cell *)cell)->refused.value;
}

static void refusal(struct device *d, const struct kernel *k, const void *copy, struct fault *fault) {
    const struct plan *p = k->prepared;
    struct cell c;
    memcpy(&c, copy, sizeof c);
    c.text[sizeof c.text - 1] = 0;
    int step = (int)(c.refused.step % STEPS);
    if (c.code)
        fault_set(fault, (ty_code)c.code, "%s", c.text);
    else if (step >= p->program.nkernels || !p->program.kernels[step].checks)
        fault_set(fault, E_DEVICE, "%s: the error cell names step %d of %s, which checks nothing", d->name,
                  step, kernel_name(k));
    else
        nests_refuse(k, &p->nests, step, text_cell_position(&c.refused, &p->program.kernels[step]),
                     refused_value, &c, fault);
}

static int refused(struct device *d, const void *copy) {
    struct text_cell cell;
    (void)d;
    memcpy(&cell, copy, sizeof cell);
    return (int)(cell.step / STEPS);
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
                                            .state = opencl_state,
                                            .wait = opencl_wait,
                                            .event_release = opencl_event_release,
                                            .upload = opencl_upload,
                                            .download = opencl_download,
                                            .copy = opencl_copy,
                                            .zero = opencl_zero,
                                            .prepare = prepare,
                                            .drop = drop,
                                            .explain = explain,
                                            .launch = launch,
                                            .refusal = refusal,
                                            .refused = refused,
                                            .trim = source_close};
