/*
 * Kernel kind SUPPRESS (non-maximum suppression). Each class of each batch is a unit of work. It visits boxes by
 * descending score and keeps coordinates of accepted boxes axis by axis, so that a box is compared with vectors of
 * them. Comparison stops at the first block that overlaps too much. All values are doubles.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include "base/context/stop.h"
#include "base/number.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/image/suppress.h"
#include "ops/core/attributes.h"

enum { EDGES = 5, BLOCK = SUPPRESS_BLOCK }; /* EDGES: low and high on two axes, the area */

struct suppress_plan {
    struct cpu_whole whole;
    int64_t batches, classes, boxes, most;
    int64_t room; /* for kept boxes: `most`, and the rest of the last block */
    size_t scratch;
};

struct suppress_run {
    const struct kernel *kernel;
    const struct suppress_plan *p;
    void *const *slots;
    int64_t *out;
    char *scratch;
    atomic_bool outside;
};

/* Prepare suppression: sizes, scratch and the output. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct suppress_attr *attr = kernel->attr;
    const int64_t *shape = kernel->inputs[1].layout.shape;
    struct suppress_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->batches = shape[0];
    p->classes = shape[1];
    p->boxes = shape[2];
    p->most = attr->most;
    p->room = round_up(p->most, BLOCK);
    p->scratch = cpu_per_thread((size_t)p->room * EDGES * sizeof(double));
    if (!cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault)) return false;
    kernel->workspace += (size_t)kernel->width * p->scratch;
    return true;
}

static const char *element(const struct suppress_run *run, int input, int64_t i, int64_t j, int64_t k) {
    const struct operand *o = &run->kernel->inputs[input];
    const int64_t *strides = o->layout.strides;
    return operand_base(o, run->slots) + (i * strides[0] + j * strides[1] + k * strides[2]) * 8;
}

/* Set edges[] to the low corner, high corner (two numbers each) and area of box `box` of image `batch`, both
   0-based. It is given by any two opposite corners. */
static void load_box(const struct suppress_run *run, int64_t batch, int64_t box, double *edges) {
    for (int k = 0; k < 2; k++) {
        double a = *(const double *)element(run, 0, batch, box, k);
        double b = *(const double *)element(run, 0, batch, box, k + 2);
        edges[k] = a > b ? b : a;
        edges[k + 2] = a > b ? a : b;
    }
    edges[4] = (edges[2] - edges[0]) * (edges[3] - edges[1]);
}

/* Return true if the box's share with one of `count` kept boxes (area of intersection by union) exceeds `overlap`.
   Edge k of kept box i is kept[k*room + i]; empty boxes follow the kept ones up to a multiple of BLOCK. */
static bool is_hidden(const double *box, const double *kept, int64_t room, int64_t count, double overlap) {
    static suppress_hides *const tables[ISA_COUNT] = ISA_TABLE(suppress_);
    suppress_hides *may_hide = tables[isa_current()];
    /* below `overlap` by more than products and quotients are rounded */
    const double share = overlap * (1 - 8 * DBL_EPSILON);
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        if (!may_hide(box, kept + begin, room, share)) continue;
        for (const double *at = kept + begin; at < kept + count && at < kept + begin + BLOCK; at++) {
            double width = fmin(at[2 * room], box[2]) - fmax(at[0], box[0]);
            double height = fmin(at[3 * room], box[3]) - fmax(at[room], box[1]), both = width * height;
            if (width > 0 && height > 0 && both / (at[4 * room] + box[4] - both) > overlap) return true;
        }
    }
    return false;
}

/* Set a block of kept boxes to empty ones, which hide none: comparisons read whole blocks. */
static void empty_block(double *kept, int64_t room) {
    for (int k = 0; k < EDGES; k++)
        for (int i = 0; i < BLOCK; i++) kept[k * room + i] = 0;
}

/* Choose the boxes of one unit, an image and class: in the given order, unless hidden by a kept one.
   Unused entries get -1. kept[] is scratch. */
static void suppress_unit(struct suppress_run *run, int64_t unit, double *kept) {
    const struct suppress_plan *p = run->p;
    const struct suppress_attr *attr = run->kernel->attr;
    int64_t batch = unit / p->classes, class = unit % p->classes, count = 0, *out = run->out + unit * p->most;
    double edges[EDGES];
    for (int64_t i = 0; i < p->boxes && count < p->most && !(i % 64 == 0 && stop_cut()); i++) {
        int64_t box = *(const int64_t *)element(run, 2, batch, class, i);
        if (box < 0 || box >= p->boxes) {
            atomic_store(&run->outside, true);
            return;
        }
        if (!(*(const double *)element(run, 1, batch, class, box) >= attr->score)) continue;
        load_box(run, batch, box, edges);
        if (is_hidden(edges, kept, p->room, count, attr->overlap)) continue;
        if (count % BLOCK == 0) empty_block(kept + count, p->room);
        for (int k = 0; k < EDGES; k++) kept[k * p->room + count] = edges[k];
        out[count++] = box;
    }
    while (count < p->most) out[count++] = -1;
}

static void suppress_units(void *context, int64_t begin, int64_t end) {
    struct suppress_run *run = context;
    double *kept = (double *)(run->scratch + (size_t)parallel_index() * run->p->scratch);
    for (int64_t unit = begin; unit < end; unit++) suppress_unit(run, unit, kept);
}

/* Compute suppression on the addresses slots[]. Return false, with a fault, if an index of a box is out of
   range. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct suppress_plan *p = kernel->prepared;
    char *rest = (char *)workspace + (size_t)kernel->width * p->scratch;
    struct suppress_run run = {.kernel = kernel, .p = p, .slots = slots, .scratch = workspace};
    if (p->whole.count == 0) return true;
    run.out = cpu_whole_begin(&p->whole, slots, rest);
    parallel_for(kernel->width, p->batches * p->classes, 1, suppress_units, &run);
    if (atomic_load(&run.outside))
        return fault_set(fault, E_INDEX, "suppress: the order names a box out of bounds for %lld boxes",
                         (long long)p->boxes);
    cpu_whole_end(&p->whole, kernel, slots, rest);
    return true;
}

const struct cpu_kind cpu_suppress = {.prepare = prepare, .launch = launch};
