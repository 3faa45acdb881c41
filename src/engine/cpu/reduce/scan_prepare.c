/* Plans a scan: loops, inputs read in place, division of work. Bits depend on `part` alone. */
#include "engine/cpu/reduce/scan.h"
#include <string.h>
#include "ops/core/kernel/kernel_lower.h"

enum { LONG_TILE = 1 << 18 }; /* elements scanned between two looks for requests to stop */

static const struct scan_type *const *const tables[ISA_COUNT] = ISA_TABLE(scan_);

/* Return the dtype that is scanned in, for a scan of this kind. */
static ty_dtype working_dtype(const struct kernel *kernel, int kind) {
    ty_dtype dtype = kind == SCAN_SUM || kind == SCAN_PROD ? kernel->core_dtype : kernel->inputs[0].dtype;
    return dtype_table[dtype].computed;
}

/* Choose the loops and casts of a scan. Return false, with a fault, if a loop is missing. */
static bool plan_loops(struct scan_plan *p, const struct kernel *kernel, struct fault *fault) {
    const struct scan_attr *attr = kernel->attr;
    int kind = attr->kind;
    ty_dtype work = working_dtype(kernel, kind);
    p->place = kind == SCAN_ARGMAX || kind == SCAN_ARGMIN;
    p->reverse = attr->reverse;
    p->exclusive = attr->exclusive;
    p->ninputs = kind == SCAN_FILTER ? 1 : kernel->ncore;
    ty_dtype made = p->place ? TY_I64 : work, loops = kind <= SCAN_PROD && work == TY_I64 ? TY_U64 : work;
    p->size = dtype_table[work].size;
    p->out_size = dtype_table[made].size;
    p->type = tables[isa_current()][loops];
    if (p->type)
        p->fold = kind == SCAN_LINEAR   ? p->type->linear
                  : kind == SCAN_FILTER ? p->type->filter
                  : p->place            ? p->type->arg[kind - SCAN_ARGMAX]
                                        : p->type->fold[kind];
    p->finish = made == kernel->core_dtype ? NULL : cpu_loop_find(&op_cast, made, kernel->core_dtype);
    if (!p->fold.columns || (made != kernel->core_dtype && !p->finish))
        return fault_set(fault, E_UNSUPPORTED, "%s: the cpu engine does not scan %s", kernel->op->name,
                         ty_dtype_name(work));
    return cpu_reader_prepare(&p->reader, kernel->inputs[0].dtype, work, fault);
}

/* Set out to axes begin .. end-1 of x, collapsed, in the arena. Return false with a fault if out of memory. */
static bool axes_of(struct layout *out, const struct layout *x, int begin, int end, struct arena *arena,
                    struct fault *fault) {
    struct layout_room room;
    struct layout *part = layout_room_init(&room, end - begin);
    memcpy(part->shape, x->shape + begin, sizeof(int64_t) * (size_t)part->rank);
    memcpy(part->strides, x->strides + begin, sizeof(int64_t) * (size_t)part->rank);
    layout_collapse(1, &part);
    return layout_copy(out, part, arena) || fault_memory(fault, sizeof room);
}

/* Set the sizes around the scanned axis, and for each input its outer and inner axes. Return false with a
   fault if out of memory. */
static bool plan_inputs(struct scan_plan *p, const struct kernel *kernel, struct arena *arena,
                        struct fault *fault) {
    const struct scan_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout;
    p->outer = shape_size(attr->axis, x->shape);
    p->n = x->shape[attr->axis];
    p->inner = shape_size(x->rank - attr->axis - 1, x->shape + attr->axis + 1);
    p->sources = p->n - p->exclusive;
    for (int k = 0; k < p->ninputs; k++) {
        struct scan_input *around = &p->inputs[k];
        const struct layout *input = &kernel->inputs[k].layout;
        around->stride = input->strides[attr->axis];
        if (!axes_of(&around->outer, input, 0, attr->axis, arena, fault) ||
            !axes_of(&around->inner, input, attr->axis + 1, input->rank, arena, fault))
            return false;
        const struct layout *inner = &around->inner;
        bool row = p->inner == 1 && p->fold.row[0];
        bool lies =
            row ? around->stride == 1 : inner->rank == 0 || (inner->rank == 1 && inner->strides[0] == 1);
        around->direct = !p->reader.cast && lies;
    }
    return true;
}

/* Set order and state of a filter; other scans have order 0 and one state value. The order is that of the longer
   side. Leading axes of the coefficients give each outer index its own set. */
static void plan_state(struct scan_plan *p, const struct kernel *kernel) {
    const struct scan_attr *attr = kernel->attr;
    p->states = 1;
    p->state = p->size;
    if (attr->kind != SCAN_FILTER) return;
    const struct layout *b = &kernel->inputs[1].layout, *a = &kernel->inputs[2].layout;
    int lead = b->rank - 1;
    int64_t order = b->shape[lead] - 1, sets = shape_size(lead, b->shape);
    p->order = a->shape[lead] > order ? a->shape[lead] : order;
    p->states = p->order + 2;
    p->state = p->fold.state;
    p->share = sets > 0 ? p->outer / sets : 1;
}

/* Return the number of columns of a unit: at most a tile, and so many that their state stays in L1. */
static int64_t unit_width(const struct scan_plan *p) {
    int64_t most = cpu_tile;
    if (p->order) most = FILTER_STATE / p->states / FILTER_LANES * FILTER_LANES;
    if (most < FILTER_LANES) most = FILTER_LANES;
    if (most > cpu_tile) most = cpu_tile;
    return p->inner < most ? p->inner : most;
}

/* Divide the columns into units of work, small outer indices into groups and long axes into parts. */
static void plan_work(struct scan_plan *p) {
    int64_t plane = p->n * p->inner;
    bool stored = !p->store.epilogue && !p->finish,
         lies = p->inputs[0].direct && (p->ninputs == 1 || p->inputs[1].direct);
    p->width = unit_width(p);
    p->blocks = p->width ? (p->inner + p->width - 1) / p->width : 0;
    p->units = p->outer * p->blocks;
    p->group = p->blocks == 1 && plane > 0 && plane <= cpu_tile ? cpu_tile / plane : 0;
    p->pitch = stored || p->group ? p->inner : p->width;
    p->tile = stored && lies ? p->sources : p->width ? cpu_tile / p->width : 1;
    if (stored && lies && p->width && p->tile > LONG_TILE / p->width) p->tile = LONG_TILE / p->width;
    if (!stored && p->blocks > 1) p->tile = 1;
    if (p->group || p->tile < 1) p->tile = p->sources > 0 ? p->sources : 1;
    p->part = p->sources;
    p->parts = 1;
    int64_t part = scan_steps_of_part(p->units, p->width, p->sources, cpu_parted(SCAN_PART));
    if (!p->fold.join || !part) return;
    p->part = part;
    p->parts = (p->sources + part - 1) / part;
}

static size_t take(size_t *total, size_t bytes) {
    size_t at = *total;
    *total += cpu_per_thread(bytes);
    return at;
}

bool scan_plan(struct scan_plan *p, const struct kernel *kernel, struct arena *arena, struct fault *fault) {
    if (!plan_loops(p, kernel, fault) || !plan_inputs(p, kernel, arena, fault)) return false;
    plan_state(p, kernel);
    plan_work(p);
    size_t width = (size_t)p->width, total = p->store.scratch;
    for (int k = 0; k < p->ninputs; k++) p->at_read[k] = take(&total, p->reader.scratch);
    p->at_out = take(&total, p->finish ? CPU_TILE * p->out_size : 0);
    p->at_local = take(&total, width * (size_t)p->states * p->state);
    p->at_before = take(&total, width * p->size);
    p->at_places = take(&total, p->place ? width * sizeof(int64_t) : 0);
    p->at_taps = take(&total, p->order ? 2 * (size_t)(p->order + 1) * p->state : 0);
    p->scratch = total;
    p->totals = p->parts > 1 ? cpu_per_thread((size_t)(p->units * (p->parts + 1)) * width * p->size) : 0;
    return true;
}
