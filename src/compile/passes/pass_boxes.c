/*
 * Concatenation without copying: a part whose kernel can write it in place becomes a box of the result. The
 * kernel that joins parts is left with the stretches between such boxes: inputs, constants, parts wanted
 * twice, overlaps, zeros. If the parts are already adjacent boxes of a larger concatenation, the result is a
 * box of that one.
 *
 * Kernels are processed from last to first, so that a joined part is a box before its own parts are. A block
 * stays as it is if strides cannot express it for all readers and writers.
 */
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/number.h"
#include "compile/passes.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/shape/concat.h"

/* State of the pass. */
struct boxes {
    struct flow *flow;
    struct arena arena;     /* freed at the end of the pass */
    struct kernel *kernels; /* kernels made so far; for each concatenation in reverse order */
    int nkernels, room;
    int known;   /* number of blocks before the pass */
    bool *fixed; /* by old block: the value of an update, which shares memory with its variable */
    int count;   /* number of boxes made */
    struct fault *fault;
};

/* One concatenation. */
struct box_joint {
    int number; /* index of the kernel */
    const struct kernel *kernel;
    const struct concat_attr *attr;
    int whole;            /* the block that contains the result, or the result */
    struct layout result; /* layout of the result in `whole` */
    int *order;           /* parts by ascending start */
    bool *boxed;          /* by part */
    int nboxed;
};

/* Return the size of part number `part` along the axis of concatenation. */
static int64_t size_of(const struct box_joint *j, int part) {
    return j->kernel->inputs[part].layout.shape[j->attr->axis];
}

/* Append a zeroed kernel to the pass's list and return it. NULL, with the fault set, on failure. */
static struct kernel *add_kernel(struct boxes *b) {
    if (!list_append(b->kernels, b->nkernels, b->room, (struct kernel){0})) {
        fault_memory(b->fault, (size_t)b->nkernels * sizeof *b->kernels);
        return NULL;
    }
    return &b->kernels[b->nkernels - 1];
}

/* ---- which parts may be boxes ---- */

/* Boxes with runs shorter than a cache line would have each line written by several kernels at different
   times. */
static int64_t shortest_run = CACHE_LINE;

void boxes_force(int64_t run) { shortest_run = run ? run : CACHE_LINE; }

/* True if the contiguous runs of the box, of elements of `size` bytes, are long enough to be written in
   place, or the box is contiguous as a whole. */
static bool has_long_runs(const struct layout *box, size_t size) {
    struct layout_room room;
    struct layout *l = layout_room_init(&room, box->rank);
    layout_broadcast(box, box->rank, box->shape, l);
    if (layout_collapse(1, &l) == 0) return true;
    int last = l->rank - 1;
    int64_t run = l->strides[last] == 1 ? l->shape[last] : 1;
    return (l->rank == 1 && run == l->shape[0]) || run * (int64_t)size >= shortest_run;
}

/* True if all those of n operands that are in `block` can be expressed when the block becomes this box; among
   the first `dense` ones these must stay dense. */
static bool all_fit(const struct flow *f, int block, const struct layout *box, int n,
                    const struct operand *operands, int dense) {
    size_t size = dtype_table[f->blocks[block].dtype].size;
    for (int i = 0; i < n; i++) {
        struct layout_room room;
        if (operands[i].slot != block) continue;
        if (dtype_table[operands[i].dtype].size != size || !operand_box(box, &operands[i], &room))
            return false;
        if (i < dense && !layout_is_contiguous(&room.layout)) return false;
    }
    return true;
}

/* True if all readers of the block, and its writer unless that is kernel number `but`, can use the block as
   this box. */
static bool everybody_fits(const struct boxes *b, int block, const struct layout *box, int but) {
    const struct flow *f = b->flow;
    if (block >= b->known) return true; /* made by this pass, for the program behind */
    for (int u = f->use_start[block]; u < f->use_start[block + 1]; u++) {
        const struct kernel *k = &f->kernels[f->use_kernel[u]];
        int dense = k->op->dense ? k->op->dense(k->attr) : 0;
        if (!all_fit(f, block, box, k->ninputs, k->inputs, dense)) return false;
    }
    int writer = f->blocks[block].writer;
    if (writer < 0 || writer == but) return writer == but;
    const struct kernel *k = &f->kernels[writer];
    return !kernel_table[k->kind].dense && all_fit(f, block, box, k->noutputs, k->outputs, 0);
}

/* True if the block is the value of an update. */
static bool is_fixed(const struct boxes *b, int block) { return block < b->known && b->fixed[block]; }

/* True if the block may become a box of a larger block: a temporary that is neither kept nor one already. */
static bool is_free(const struct boxes *b, int block) {
    const struct block *x = &b->flow->blocks[block];
    return x->kind == BLOCK_TEMPORARY && !x->kept && x->whole < 0 && !is_fixed(b, block);
}

/* Return the layout of part i in the block that contains the result of the concatenation, in *room. */
static struct layout *part_box(const struct box_joint *j, int i, struct layout_room *room) {
    struct layout *box = layout_room_init(room, j->result.rank);
    layout_broadcast(&j->result, j->result.rank, j->result.shape, box);
    box->shape[j->attr->axis] = size_of(j, i);
    box->offset += j->attr->start[i] * j->result.strides[j->attr->axis];
    return box;
}

/* Set block `whole` and the layout *box in it as the place of `block`. False, with the fault set, if memory
   runs out. */
static bool put_inside(struct boxes *b, int block, int whole, const struct layout *box) {
    struct block *x = &b->flow->blocks[block];
    if (!layout_copy(&x->box, box, &b->flow->arena)) return fault_memory(b->fault, sizeof *box);
    x->whole = whole;
    b->count++;
    return true;
}

/* True if no other part overlaps part order[k] of the concatenation; `reach` is the end of the parts before
   it. */
static bool stands_alone(const struct box_joint *j, int k, int64_t reach) {
    int part = j->order[k];
    int64_t start = j->attr->start[part], end = start + size_of(j, part);
    for (k++; k < j->kernel->ncore && size_of(j, j->order[k]) == 0;) k++;
    return start >= reach && (k == j->kernel->ncore || j->attr->start[j->order[k]] >= end);
}

/* Make the blocks of all parts that allow it boxes of the result's block. False, with the fault set, on
   failure. */
static bool choose_parts(struct boxes *b, struct box_joint *j) {
    int64_t reach = 0;
    for (int k = 0; k < j->kernel->ncore && !b->fault->set; k++) {
        int part = j->order[k];
        const struct operand *x = &j->kernel->inputs[part];
        int64_t end = j->attr->start[part] + size_of(j, part);
        struct layout_room room;
        if (shape_size(x->layout.rank, x->layout.shape) == 0) continue;
        if (stands_alone(j, k, reach) && is_free(b, x->slot) && operand_is_whole(b->flow, x)) {
            const struct layout *box = part_box(j, part, &room);
            j->boxed[part] = has_long_runs(box, dtype_table[x->dtype].size) &&
                             everybody_fits(b, x->slot, box, -1) && put_inside(b, x->slot, j->whole, box);
            j->nboxed += j->boxed[part];
        }
        if (end > reach) reach = end;
    }
    return !b->fault->set;
}

/* Layout of the result as inferred from its parts; the axis's stride follows from two positions. */
struct seen {
    struct layout *result;
    int whole;
    int64_t reach;
    bool steps; /* the stride of the axis is known */
};

/* Add a part to *seen, the layout of the parts before it. True if the part is a box of the same block that
   begins at their end and has their strides. If false, *seen is of no use any more. */
static bool continues(const struct boxes *b, const struct box_joint *j, int part, struct seen *seen) {
    const struct operand *x = &j->kernel->inputs[part];
    const struct block *p = &b->flow->blocks[x->slot];
    int axis = j->attr->axis;
    int64_t start = j->attr->start[part], *step = &seen->result->strides[axis];
    struct layout_room room;
    if (p->whole < 0 || start != seen->reach || !operand_is_whole(b->flow, x) ||
        !box_layout(&p->box, &x->layout, &room))
        return false;
    const struct layout *l = &room.layout;
    if (start == 0) {
        layout_broadcast(l, l->rank, l->shape, seen->result);
        seen->result->shape[axis] = j->attr->length;
        seen->whole = p->whole;
    } else if (!seen->steps) {
        *step = (l->offset - seen->result->offset) / start;
    }
    seen->steps = start > 0 || l->shape[axis] > 1;
    seen->reach += l->shape[axis];
    for (int i = 0; i < l->rank; i++)
        if (l->shape[i] > 1 && l->strides[i] != seen->result->strides[i]) return false;
    return p->whole == seen->whole && l->offset == seen->result->offset + start * *step;
}

/* Make `block`, the result, a box if all its parts are adjacent boxes of one block. False if they are not, or
   with the fault set. */
static bool already_inside(struct boxes *b, struct box_joint *j, int block) {
    struct layout_room room;
    struct seen seen = {.result = layout_room_init(&room, j->result.rank), .whole = -1};
    if (!is_free(b, block)) return false;
    for (int k = 0; k < j->kernel->ncore; k++)
        if (size_of(j, j->order[k]) && !continues(b, j, j->order[k], &seen)) return false;
    if (seen.whole < 0 || seen.reach != j->attr->length || !everybody_fits(b, block, seen.result, j->number))
        return false;
    for (int i = 0; i < j->kernel->ncore; i++) j->boxed[i] = size_of(j, i) > 0;
    return put_inside(b, block, seen.whole, seen.result);
}

/* ---- the rest of the kernel ---- */

static int ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* List the non-empty parts among order[first] .. order[last-1] in parts[], in the order of summation, that is
   ascending, and return their number. */
static int parts_between(const struct box_joint *j, int first, int last, int *parts) {
    int n = 0;
    for (int k = first; k < last; k++)
        if (size_of(j, j->order[k])) parts[n++] = j->order[k];
    qsort(parts, (size_t)n, sizeof *parts, ascending);
    return n;
}

/* Add a block, a box of the result, for its positions begin .. end-1 along the axis; *made is set to its
   operand. False, with the fault set, on failure. */
static bool add_stretch_block(struct boxes *b, const struct box_joint *j, int64_t begin, int64_t end,
                              struct operand *made) {
    struct layout_room of_box, of_dense;
    struct layout *box = layout_room_init(&of_box, j->result.rank),
                  *dense = layout_room_init(&of_dense, j->result.rank);
    layout_broadcast(&j->result, box->rank, j->result.shape, box);
    box->shape[j->attr->axis] = end - begin;
    box->offset += begin * box->strides[j->attr->axis];
    layout_broadcast(box, box->rank, box->shape, dense);
    shape_row_major(dense->rank, dense->shape, dense->strides);
    dense->offset = 0;
    ty_dtype dtype = j->kernel->core_dtype;
    *made = (struct operand){.dtype = dtype};
    made->slot = flow_add_block(b->flow, BLOCK_TEMPORARY, dtype, shape_size(dense->rank, dense->shape), NULL,
                                b->fault);
    if (made->slot < 0 || !put_inside(b, made->slot, j->whole, box)) return false;
    b->count--;
    return layout_copy(&made->layout, dense, &b->flow->arena) || fault_memory(b->fault, sizeof *made);
}

/* Add a kernel that makes positions begin .. end-1 of the result from parts order[first] .. order[last-1];
   *made is set to its output. False, with the fault set, on failure. */
static bool add_stretch(struct boxes *b, const struct box_joint *j, int64_t begin, int64_t end, int first,
                        int last, struct operand *made) {
    size_t most = (size_t)(last - first) + 1;
    struct concat_attr *attr = arena_alloc(&b->arena, sizeof *attr + most * sizeof *attr->start);
    struct operand *inputs = arena_array(&b->arena, most, sizeof *inputs);
    int *parts = arena_array(&b->arena, most, sizeof *parts);
    if (!attr || !inputs || !parts) return fault_memory(b->fault, most * sizeof *inputs);
    int n = parts_between(j, first, last, parts);
    *attr = (struct concat_attr){.axis = j->attr->axis, .length = end - begin};
    for (int i = 0; i < n; i++) {
        attr->start[i] = j->attr->start[parts[i]] - begin;
        inputs[i] = j->kernel->inputs[parts[i]];
    }
    struct kernel *k = add_stretch_block(b, j, begin, end, made) ? add_kernel(b) : NULL;
    return k && kernel_lower(k, &op_concat, attr, sizeof *attr + (size_t)n * sizeof *attr->start, n, inputs,
                             made, &b->flow->arena, b->fault);
}

/* Add a kernel of kind NONE that marks that all n parts of the result exist. False, with the fault set, on
   failure. */
static bool add_join(struct boxes *b, const struct box_joint *j, const struct operand *result, int n,
                     const struct operand *parts) {
    struct kernel *k = add_kernel(b);
    if (!k) return false;
    *k = (struct kernel){.kind = KERNEL_NONE, .op = &op_concat, .core_dtype = result->dtype};
    k->ninputs = k->ncore = n;
    k->noutputs = 1;
    k->inputs = arena_copy(&b->flow->arena, parts, (size_t)n * sizeof *parts);
    k->outputs = arena_copy(&b->flow->arena, result, sizeof *result);
    return (k->inputs && k->outputs) || fault_memory(b->fault, (size_t)j->kernel->ncore * sizeof *parts);
}

/* Add kernels for stretches of the result that no box covers, and the one that joins all parts. That runs
   last, so it comes first in the reversed list. False, with the fault set, on failure. */
static bool add_parts(struct boxes *b, const struct box_joint *j, const struct operand *result) {
    struct operand *parts = arena_array(&b->arena, 2 * (size_t)j->kernel->ncore + 1, sizeof *parts);
    int n = 0, first = 0, join = b->nkernels;
    int64_t at = 0;
    if (!parts) return fault_memory(b->fault, sizeof *parts);
    if (!add_join(b, j, result, 0, parts)) return false;
    for (int k = 0; k <= j->kernel->ncore; k++) {
        bool end = k == j->kernel->ncore;
        if (!end && !j->boxed[j->order[k]]) continue;
        int64_t start = end ? j->attr->length : j->attr->start[j->order[k]];
        if (start > at && !add_stretch(b, j, at, start, first, k, &parts[n++])) return false;
        if (end) break;
        parts[n++] = j->kernel->inputs[j->order[k]];
        at = start + size_of(j, j->order[k]);
        first = k + 1;
    }
    struct kernel *k = &b->kernels[join];
    k->inputs = arena_copy(&b->flow->arena, parts, (size_t)n * sizeof *parts);
    k->ninputs = k->ncore = n;
    return k->inputs || fault_memory(b->fault, (size_t)n * sizeof *parts);
}

/* Return the index of the output of k that is the concatenation itself; -1 if there is none, because only k's
   program reads it. */
static int raw_output(const struct kernel *k) {
    for (int i = 0; i < k->noutputs; i++)
        if (!k->program || k->program->outputs[i] == 0) return i;
    return -1;
}

/* Add the program of kernel `from` as an elementwise kernel that reads the result of the concatenation; it
   has all outputs but number `raw`, the concatenation itself. False, with the fault set, on failure. */
static bool add_program(struct boxes *b, const struct kernel *from, const struct operand *result, int raw) {
    struct arena *arena = &b->flow->arena;
    int nextras = from->ninputs - from->ncore, n = 0;
    struct program *program = arena_copy(arena, from->program, sizeof *program);
    uint16_t *registers = arena_array(arena, (size_t)from->noutputs, sizeof *registers);
    struct operand *inputs = arena_array(arena, 1 + (size_t)nextras, sizeof *inputs);
    struct operand *outputs = arena_array(arena, (size_t)from->noutputs, sizeof *outputs);
    if (!program || !registers || !inputs || !outputs) return fault_memory(b->fault, sizeof *program);
    for (int i = 0; i < from->noutputs; i++) {
        if (i == raw) continue;
        registers[n] = from->program->outputs[i];
        outputs[n++] = from->outputs[i];
    }
    if (!n) return true;
    inputs[0] = *result;
    for (int i = 0; i < nextras; i++) inputs[1 + i] = from->inputs[from->ncore + i];
    program->outputs = registers;
    program->noutputs = n;
    struct kernel *k = add_kernel(b);
    if (!k) return false;
    *k = (struct kernel){.kind = KERNEL_MAP, .op = program->instrs[0].op, .core_dtype = outputs[0].dtype};
    k->ninputs = k->ncore = 1 + nextras;
    k->noutputs = n;
    k->inputs = inputs;
    k->outputs = outputs;
    k->program = program;
    return layout_copy(&inputs[0].layout, &result->layout, arena) || fault_memory(b->fault, sizeof *k);
}

/* ---- the pass ---- */

/* Start of a part, for sorting. */
struct start {
    int64_t place;
    int part;
};

static int by_place(const void *a, const void *b) {
    const struct start *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* List the parts in j->order by start. False, with the fault set, on failure. */
static bool sort_parts(struct boxes *b, struct box_joint *j) {
    size_t n = (size_t)j->kernel->ncore;
    struct start *starts = arena_array(&b->arena, n + 1, sizeof *starts);
    j->order = arena_array(&b->arena, n + 1, sizeof *j->order);
    j->boxed = arena_array(&b->arena, n + 1, sizeof *j->boxed);
    if (!starts || !j->order || !j->boxed) return fault_memory(b->fault, n * sizeof *starts);
    for (size_t i = 0; i < n; i++) starts[i] = (struct start){j->attr->start[i], (int)i};
    qsort(starts, n, sizeof *starts, by_place);
    for (size_t i = 0; i < n; i++) j->order[i] = starts[i].part;
    return true;
}

/* True if the parts, in order, cover the axis without gaps. */
static bool side_by_side(const struct box_joint *j) {
    int64_t end = 0;
    for (int i = 0; i < j->kernel->ncore; i++)
        if (!concat_goes_on(j->attr, i, size_of(j, i), &end)) return false;
    return end == j->attr->length;
}

/* Choose the parts of block `result` that become boxes. If only the epilogue reads it (raw < 0), that can
   read the parts instead: then all or none become boxes. False, with the fault set, on failure. */
static bool choose(struct boxes *b, struct box_joint *j, int result, int raw) {
    struct flow *f = b->flow;
    int before = b->count;
    if (already_inside(b, j, result)) {
        j->nboxed = j->kernel->ncore;
        return true;
    }
    j->whole = result;
    if (f->blocks[result].whole >= 0) {
        struct layout_room room;
        j->whole = f->blocks[result].whole;
        if (!box_layout(&f->blocks[result].box, &j->result, &room)) return true;
        if (!layout_copy(&j->result, &room.layout, &b->arena)) return fault_memory(b->fault, sizeof room);
    }
    if (b->fault->set || !choose_parts(b, j)) return false;
    int64_t covered = 0;
    for (int i = 0; i < j->kernel->ncore; i++) covered += j->boxed[i] ? size_of(j, i) : 0;
    if (raw >= 0 || covered == j->attr->length || !side_by_side(j)) return true;
    for (int i = 0; i < j->kernel->ncore; i++)
        if (j->boxed[i]) f->blocks[j->kernel->inputs[i].slot].whole = -1;
    b->count = before;
    j->nboxed = 0;
    return true;
}

/* Copy kernel `number` to the pass's list, or replace it by boxes there. False, with the fault set, on
   failure. */
static bool pass_kernel(struct boxes *b, int number) {
    struct flow *f = b->flow;
    const struct kernel *k = &f->kernels[number];
    int raw = k->kind == KERNEL_CONCAT ? raw_output(k) : -1;
    bool apart = k->program && k->program->ninstrs > 0;
    struct box_joint j = {.number = number, .kernel = k, .attr = k->attr, .result = k->outputs[0].layout};
    struct operand result = {.dtype = k->core_dtype, .layout = k->outputs[0].layout};
    if (k->kind == KERNEL_CONCAT && (raw >= 0 || apart) && (!k->program || apart)) {
        result.slot = raw >= 0 ? k->outputs[raw].slot
                               : flow_add_block(f, BLOCK_TEMPORARY, k->core_dtype,
                                                shape_size(j.result.rank, j.result.shape), NULL, b->fault);
        if (result.slot < 0 || !sort_parts(b, &j)) return false;
        if (!is_fixed(b, result.slot) && !choose(b, &j, result.slot, raw)) return false;
    }
    if (!j.nboxed) {
        struct kernel *same = add_kernel(b);
        if (same) *same = *k;
        return same;
    }
    return (!k->program || add_program(b, k, &result, raw)) && add_parts(b, &j, &result);
}

/* Return the numbers of all kernels in topological order, from the arena; fusion may have left another order.
   NULL, with the fault set, on failure. */
static int *sorted_kernels(struct boxes *b) {
    const struct flow *f = b->flow;
    int *order = arena_array(&b->arena, (size_t)f->nkernels + 1, sizeof *order), n = 0;
    struct edges e = {0};
    bool done = order ? edges_build(&e, f, b->fault) : fault_memory(b->fault, (size_t)f->nkernels);
    for (int k = 0; k < f->nkernels && done; k++)
        if (!e.before[k]) order[n++] = k;
    for (int i = 0; i < n; i++)
        for (int to = e.start[order[i]]; to < e.start[order[i] + 1]; to++)
            if (--e.before[e.to[to]] == 0) order[n++] = e.to[to];
    edges_drop(&e);
    return done ? order : NULL;
}

/* Replace the flow's kernels by those of the pass's list. Entries first[2 * k] .. first[2 * k + 1] - 1 of the
   list are made from old kernel k, in reverse order. False, with the fault set, on failure. */
static bool take_kernels(struct boxes *b, const int *first) {
    struct flow *f = b->flow;
    struct kernel *kernels = mem_array((size_t)b->nkernels + 1, sizeof *kernels);
    if (!kernels) return fault_memory(b->fault, (size_t)b->nkernels * sizeof *kernels);
    int n = 0;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = first[2 * k + 1] - 1; i >= first[2 * k]; i--) kernels[n++] = b->kernels[i];
    mem_free(f->kernels);
    f->kernels = kernels;
    f->nkernels = n;
    f->kernel_room = b->nkernels + 1;
    return flow_index(f, b->fault);
}

/* Process all kernels in topological order. False, with the fault set, on failure. */
static bool pass_kernels(struct boxes *b) {
    struct flow *f = b->flow;
    size_t n = (size_t)f->nkernels;
    int *first = arena_array(&b->arena, 2 * n + 1, sizeof *first), *order = sorted_kernels(b);
    b->known = f->nblocks;
    b->fixed = arena_array(&b->arena, (size_t)f->nblocks + 1, sizeof *b->fixed);
    if (!first || !order || !b->fixed) return fault_memory(b->fault, n * sizeof *first);
    for (int i = 0; i < f->nupdates; i++) b->fixed[f->updates[i].value.slot] = true;
    for (size_t i = n; i-- > 0;) {
        first[2 * order[i]] = b->nkernels;
        if (!pass_kernel(b, order[i])) return false;
        first[2 * order[i] + 1] = b->nkernels;
    }
    return take_kernels(b, first);
}

static bool any_concat(const struct flow *f) {
    for (int k = 0; k < f->nkernels; k++)
        if (f->kernels[k].kind == KERNEL_CONCAT) return true;
    return false;
}

bool pass_boxes(struct flow *f, ty_report *report, struct fault *fault) {
    struct boxes b = {.flow = f, .fault = fault};
    if (!any_concat(f)) return true;
    bool done = flow_index(f, fault) && pass_kernels(&b);
    mem_free(b.kernels);
    arena_drop(&b.arena);
    report->boxes += b.count;
    return done;
}
