/* Plan of the parts of an incremental run: changed boxes forwards, boxes to compute backwards. */
#include "compile/runs/parts.h"
#include "base/alloc.h"
#include "base/number.h"
#include "base/context/stop.h"
#include "compile/runs/cut.h"
#include "compile/routine.h"
#include "compile/runs/run_device.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/link.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/kernel/prepared.h"
#include "ops/core/watch.h"

/* Tables of a program, filled anew in each run that computes parts. */
struct parts {
    int nkernels;
    struct arena arena;    /* of the run */
    struct box *shapes;    /* by block: all indices of its elements, in the shape that its writer gives it */
    struct boxes *changed; /* by block: its elements that changed since the last run */
    struct boxes *wanted;  /* by block: its elements that this run reads, unless they stay */
    struct boxes *boxes;   /* by kernel: parts of its results to compute */
    struct device *device; /* of the flow */
    void *workspace;       /* of cut kernels, which may need more than whole ones */
    size_t workspace_bytes;
    struct cut **cuts; /* by kernel: one for each of its boxes; NULL: it is not cut */
};

/* State of a plan. */
struct planning {
    struct incremental *x;
    const struct flow *flow;
    struct parts *parts;
    size_t needs; /* bytes of workspace */
};

/* ---- blocks ---- */

/* Set *b to all elements of a block, as a vector. */
static void flat(struct box *b, const struct block *block) { box_whole(b, 1, &block->size); }

/* Set the shapes of all blocks: those of their variables and of the results that fill them; vectors for others. */
static void find_shapes(struct parts *p, const struct flow *f) {
    for (int b = 0; b < f->nblocks; b++) {
        const struct block *block = &f->blocks[b];
        const struct layout *l = block->kind == BLOCK_VARIABLE ? &block->leaf->layout : NULL;
        if (l && dtype_stored(block->leaf->dtype)) l = NULL; /* its block has bytes */
        if (!l || !layout_is_contiguous(l) || !box_whole(&p->shapes[b], l->rank, l->shape))
            flat(&p->shapes[b], block);
    }
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].noutputs; i++) {
            const struct operand *o = &f->kernels[k].outputs[i];
            if (operand_is_whole(f, o) && o->dtype == f->blocks[o->slot].dtype &&
                !box_whole(&p->shapes[o->slot], o->layout.rank, o->layout.shape))
                flat(&p->shapes[o->slot], &f->blocks[o->slot]);
        }
}

/* Add the elements of a block that operand o has at the indices in `part`. */
static void add_covered(const struct planning *c, const struct operand *o, const struct box *part,
                        struct boxes *to) {
    const struct box *shape = &c->parts->shapes[o->slot];
    struct layout_room room;
    struct box inside = *part, covered;
    const struct layout *l = operand_inside(o, &room);
    if (o->dtype != c->flow->blocks[o->slot].dtype) {
        boxes_add(to, shape);
        return;
    }
    for (int i = 0; o->guard && i < part->rank; i++) {
        inside.low[i] = greater(part->low[i] - o->guard->low[i], 0);
        inside.high[i] = lesser(part->high[i] - o->guard->low[i], l->shape[i]);
        if (inside.low[i] >= inside.high[i]) return;
    }
    box_covered(l, &inside, shape->rank, shape->high, &covered);
    if (box_count(&covered)) boxes_add(to, &covered);
}

/* Set *seen to the indices of operand o that may have elements in box b of its block. False if none has. */
static bool find_seen(const struct planning *c, const struct operand *o, const struct box *b,
                      struct box *seen) {
    const struct box *shape = &c->parts->shapes[o->slot];
    struct layout_room room;
    const struct layout *l = operand_inside(o, &room);
    if (o->dtype != c->flow->blocks[o->slot].dtype) return box_whole(seen, l->rank, o->layout.shape);
    if (!box_seen(l, shape->rank, shape->high, b, seen)) return false;
    for (int i = 0; o->guard && i < l->rank; i++) {
        seen->low[i] += o->guard->low[i];
        seen->high[i] += o->guard->low[i];
    }
    return true;
}

/* ---- kernels ---- */

/* True if kernel k runs in every run. */
static bool runs_always(const struct planning *c, const struct kernel *k) {
    return c->flow->classes.sets[class_of(c->flow, k)].words[LABEL_ALWAYS / 64] >> LABEL_ALWAYS % 64 & 1;
}

/* True if kernel k may run in parts: boxes of all its operands are known. */
static bool is_partable(const struct planning *c, const struct kernel *k) {
    if (runs_always(c, k)) return false;
    if (!kernel_table[k->kind].rows && !kernel_table[k->kind].link) return false;
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct operand *o = kernel_operand(k, i);
        if (o->layout.rank > BOX_RANK) return false;
        if (i >= k->ninputs && !kernel_agrees(k, i - k->ninputs)) return false;
    }
    return true;
}

/* Add all elements that an operand may have, or all of its block. */
static void add_all(const struct planning *c, const struct operand *o, struct boxes *to) {
    if (c->flow->blocks[o->slot].size) boxes_add(to, &c->parts->shapes[o->slot]);
}

/* Find the changed boxes of kernel k's results from those of its operands. */
static void spread_changes(struct planning *c, const struct kernel *k) {
    struct boxes out = {0};
    bool any = runs_always(c, k), partable = is_partable(c, k);
    for (int i = 0; i < k->ninputs; i++) {
        const struct boxes *changed = &c->parts->changed[k->inputs[i].slot];
        any = any || changed->n;
        for (int b = 0; b < changed->n && partable; b++) {
            struct box seen, reached;
            if (find_seen(c, &k->inputs[i], &changed->list[b], &seen) &&
                kernel_reached(k, i, &seen, &reached))
                boxes_add(&out, &reached);
        }
    }
    for (int i = 0; i < k->noutputs; i++) {
        struct boxes *to = &c->parts->changed[k->outputs[i].slot];
        struct box of;
        if (any && !partable) add_all(c, &k->outputs[i], to);
        for (int b = 0; b < out.n; b++) {
            kernel_output_box(k, 0, &out.list[b], i, &of);
            add_covered(c, &k->outputs[i], &of, to);
        }
    }
}

/* Return the boxes of kernel k's output i that this run has to compute. */
static const struct boxes *wanted_of(const struct planning *c, const struct operand *o, struct boxes *room) {
    const struct block *block = &c->flow->blocks[o->slot];
    if (c->x->lost[o->slot]) {
        *room = (struct boxes){0};
        add_all(c, o, room);
        return room;
    }
    bool stays = block->stays || block->kind != BLOCK_TEMPORARY;
    return stays ? &c->parts->changed[o->slot] : &c->parts->wanted[o->slot];
}

/* Find the boxes of kernel k's results that this run computes, in the indices of its first output. */
static void find_boxes(const struct planning *c, const struct kernel *k, bool partable, struct boxes *boxes) {
    struct boxes room;
    for (int i = 0; i < k->noutputs; i++) {
        const struct boxes *wanted = wanted_of(c, &k->outputs[i], &room);
        for (int b = 0; b < wanted->n; b++) {
            struct box seen, first;
            if (!partable) {
                boxes->n = 1;
            } else if (find_seen(c, &k->outputs[i], &wanted->list[b], &seen)) {
                kernel_output_box(k, i, &seen, 0, &first);
                boxes_add(boxes, &first);
            }
        }
    }
}

/* Ask for the elements that kernel k reads to compute its boxes, or all of its results. */
static void ask(const struct planning *c, const struct kernel *k, bool whole, const struct boxes *boxes) {
    for (int i = 0; i < k->ninputs; i++) {
        const struct operand *o = &k->inputs[i];
        const struct block *block = &c->flow->blocks[o->slot];
        struct box needed;
        if (block->kind != BLOCK_TEMPORARY || block->stays) continue;
        if (whole) add_all(c, o, &c->parts->wanted[o->slot]);
        for (int b = 0; b < boxes->n && !whole; b++)
            if (kernel_needed(k, i, &boxes->list[b], &needed))
                add_covered(c, o, &needed, &c->parts->wanted[o->slot]);
    }
}

/* Choose how kernel number k runs, from its boxes: RUNS_.... */
static int choose(struct planning *c, int k, struct boxes *boxes) {
    const struct kernel *kernel = &c->flow->kernels[k];
    const struct layout *out = &kernel->outputs->layout;
    int64_t all = shape_size(out->rank, out->shape);
    bool cuts = kernel_can_be_cut(kernel);
    if (cuts) kernel_round(kernel, boxes);
    if (boxes_count(boxes) >= all) return RUNS_WHOLE;
    if (cuts) {
        struct cut *list = c->parts->cuts[k] = cut_kernel(c->flow, kernel, boxes, &c->parts->arena);
        for (const struct cut *cut = list; cut; cut = cut->next)
            c->needs = cut->kernel.workspace > c->needs ? cut->kernel.workspace : c->needs;
        return list ? RUNS_PARTS : RUNS_WHOLE;
    }
    return routine_round(kernel, boxes) && boxes_count(boxes) < all ? RUNS_PARTS : RUNS_WHOLE;
}

/* Plan kernel number k, after all of its readers. */
static void plan_kernel(struct planning *c, int k) {
    const struct kernel *kernel = &c->flow->kernels[k];
    struct boxes *boxes = &c->parts->boxes[k];
    bool partable = is_partable(c, kernel);
    c->x->runs[k] = RUNS_NOT;
    if (!c->x->stale[class_of(c->flow, kernel)]) return;
    find_boxes(c, kernel, partable, boxes);
    int runs = runs_always(c, kernel) ? RUNS_WHOLE
               : !boxes->n            ? RUNS_NOT
               : partable             ? choose(c, k, boxes)
                                      : RUNS_WHOLE;
    c->x->runs[k] = (uint8_t)runs;
    if (runs != RUNS_NOT) ask(c, kernel, runs == RUNS_WHOLE, boxes);
}

/* ---- the plan ---- */

/* Find the changed boxes of the variables. False if none was changed in part. */
static bool find_changes(struct planning *c, int nuses, const struct variable_use *uses) {
    bool any = false;
    for (int i = 0; i < nuses; i++) {
        struct boxes *to = &c->parts->changed[uses[i].block];
        const struct block *block = &c->flow->blocks[uses[i].block];
        int64_t seen = c->x->versions[i];
        if (uses[i].updates || block->kind != BLOCK_VARIABLE || !block->size) continue;
        bool may = buffer_may_change(uses[i].buffer);
        if (seen == uses[i].version && !may) continue;
        bool part = !may && c->flow->classes.label[uses[i].block] > 0 &&
                    variable_changes(uses[i].leaf, seen, to) && to->n &&
                    to->list[0].rank == c->parts->shapes[uses[i].block].rank;
        any = any || part;
        if (!part) *to = (struct boxes){1, {c->parts->shapes[uses[i].block]}};
    }
    return any;
}

/* Make the tables that x lacks. False if memory runs out. */
static bool make_tables(struct incremental *x, const struct flow *f) {
    size_t blocks = (size_t)f->nblocks + 1, kernels = (size_t)f->nkernels + 1;
    if (x->parts) return true;
    struct parts *p = x->parts = mem_array(1, sizeof *p);
    if (!p) return false;
    p->nkernels = f->nkernels;
    p->device = flow_device(f);
    p->shapes = mem_array(blocks, sizeof *p->shapes);
    p->changed = mem_array(blocks, sizeof *p->changed);
    p->wanted = mem_array(blocks, sizeof *p->wanted);
    p->boxes = mem_array(kernels, sizeof *p->boxes);
    p->cuts = mem_array(kernels, sizeof *p->cuts);
    if (p->shapes && p->changed && p->wanted && p->boxes && p->cuts) return find_shapes(p, f), true;
    parts_drop(p);
    x->parts = NULL;
    return false;
}

static void free_workspace(struct parts *p) {
    if (p->device)
        device_free(p->device, p->workspace);
    else
        mem_data_free(p->workspace, p->workspace_bytes);
}

/* Provide workspace of `bytes` bytes for cut kernels. False if memory runs out. */
static bool make_workspace(struct parts *p, size_t bytes) {
    struct fault unused;
    if (bytes <= p->workspace_bytes) return true;
    fault_clear(&unused);
    free_workspace(p);
    p->workspace = p->device ? device_allocate(p->device, bytes, &unused) : mem_data_alloc(bytes);
    p->workspace_bytes = p->workspace ? bytes : 0;
    return p->workspace;
}

/* Empty the tables of the last run. */
static void clear(struct parts *p, const struct flow *f) {
    for (int b = 0; b < f->nblocks; b++) p->changed[b].n = p->wanted[b].n = 0;
    for (int k = 0; k < f->nkernels; k++) {
        p->boxes[k].n = 0;
        cut_drop(p->cuts[k]);
        p->cuts[k] = NULL;
    }
    arena_drop(&p->arena);
}

bool parts_plan(struct incremental *x, const struct flow *f, int nuses, const struct variable_use *uses) {
    struct boxes boxes = {0};
    bool any = false;
    for (int i = 0; i < nuses && !any; i++, boxes.n = 0)
        any = !uses[i].updates && x->versions[i] != uses[i].version &&
              variable_changes(uses[i].leaf, x->versions[i], &boxes);
    if (!any || launch_watches() || !make_tables(x, f)) return false;
    struct planning c = {x, f, x->parts, 0};
    clear(x->parts, f);
    if (!find_changes(&c, nuses, uses)) return false;
    for (int k = 0; k < f->nkernels; k++)
        if (x->stale[class_of(f, &f->kernels[k])]) spread_changes(&c, &f->kernels[k]);
    for (int k = f->nkernels - 1; k >= 0; k--) plan_kernel(&c, k);
    return make_workspace(x->parts, c.needs);
}

void parts_drop(struct parts *p) {
    if (!p) return;
    for (int k = 0; p->cuts && k < p->nkernels; k++) cut_drop(p->cuts[k]);
    arena_drop(&p->arena);
    free_workspace(p);
    mem_free(p->shapes);
    mem_free(p->changed);
    mem_free(p->wanted);
    mem_free(p->boxes);
    mem_free(p->cuts);
    mem_free(p);
}

/* ---- running ---- */

bool parts_launch(const struct incremental *x, const struct flow *f, int k, void *const *slots,
                  void *workspace, struct fault *fault) {
    const struct kernel *kernel = &f->kernels[k];
    const struct parts *p = x->parts;
    struct context_thread *t = thread_now();
    if (!p->cuts[k]) {
        if (!launch_allowed(t, kernel, fault)) return false;
        bool done = routine_launch_part(kernel, &p->boxes[k], slots, workspace, fault);
        return stop_end_of(t, fault) && done;
    }
    for (const struct cut *cut = p->cuts[k]; cut; cut = cut->next) {
        if (!launch_allowed(t, &cut->kernel, fault)) return false;
        bool done = prepared_launch(&cut->kernel, slots, p->workspace, fault);
        if (!stop_end_of(t, fault) || !done) return false;
    }
    return true;
}

int64_t parts_computed(const struct incremental *x, const struct flow *f, int k) {
    const struct kernel *kernel = &f->kernels[k];
    int64_t size = 0;
    for (int i = 0; i < kernel->noutputs; i++) {
        const struct layout *l = &kernel->outputs[i].layout;
        if (incremental_runs(x, k) == RUNS_WHOLE) size += shape_size(l->rank, l->shape);
        for (int b = 0; incremental_runs(x, k) == RUNS_PARTS && b < x->parts->boxes[k].n; b++) {
            struct box of;
            kernel_output_box(kernel, 0, &x->parts->boxes[k].list[b], i, &of);
            size += box_count(&of);
        }
    }
    return size;
}
