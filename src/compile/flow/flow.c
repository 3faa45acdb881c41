/* Arrays of a flow, and the readers and writers of blocks in compressed rows: counted first, then filled. */
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "compile/flow/flow.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"

void flow_drop(struct flow *f) {
    for (int i = 0; i < f->nblocks; i++) {
        ty_tensor *leaf = f->blocks[i].leaf;
        if (leaf && f->blocks[i].kind == BLOCK_CONSTANT) tensor_count_reader(leaf, -1);
        if (leaf) ty_release(leaf);
    }
    for (int i = 0; i < f->nheld; i++) ty_release(f->held[i]);
    mem_free(f->held);
    mem_free(f->blocks);
    mem_free(f->kernels);
    mem_free(f->use_start);
    mem_free(f->use_kernel);
    classes_drop(&f->classes);
    mem_free(f->write_start);
    mem_free(f->write_kernel);
    arena_drop(&f->arena);
    *f = (struct flow){0};
}

/* Set the fault of a list of n items of `size` bytes that does not grow. Always return false. */
static bool full(int n, size_t size, struct fault *fault) {
    return n == INT32_MAX ? fault_set(fault, E_LIMIT, "compile: a program of more than 2^31 kernels")
                          : fault_memory(fault, (size_t)n * size);
}

bool flow_expect(struct flow *f, int64_t nodes, struct fault *fault) {
    const int64_t most = 1 << 20; /* beyond that, arrays grow on demand */
    if (nodes > most) nodes = most;
    return (list_reserve(f->blocks, nodes, f->block_room) &&
            list_reserve(f->kernels, nodes, f->kernel_room)) ||
           fault_memory(fault, (size_t)nodes * sizeof *f->kernels);
}

int flow_add_block(struct flow *f, enum block_kind kind, ty_dtype dtype, int64_t size, ty_tensor *leaf,
                   struct fault *fault) {
    const char *name = "";
    if (leaf && leaf->name && !(name = arena_copy(&f->arena, leaf->name, strlen(leaf->name) + 1))) {
        fault_memory(fault, sizeof *f->blocks);
        return -1;
    }
    if (!list_reserve(f->blocks, (size_t)f->nblocks + 1, f->block_room)) {
        full(f->nblocks, sizeof *f->blocks, fault);
        return -1;
    }
    f->blocks[f->nblocks] = (struct block){.kind = kind,
                                           .dtype = dtype,
                                           .argument = -1,
                                           .variable = -1,
                                           .update = -1,
                                           .writer = -1,
                                           .whole = -1,
                                           .size = size,
                                           .high = size,
                                           .bytes = size * (int64_t)dtype_table[dtype].size,
                                           .leaf = leaf ? ty_retain(leaf) : NULL,
                                           .name = name};
    if (leaf && kind == BLOCK_CONSTANT) tensor_count_reader(leaf, 1);
    return f->nblocks++;
}

bool flow_hold(struct flow *f, const ty_tensor *node, struct fault *fault) {
    ty_tensor *x = (ty_tensor *)(uintptr_t)node;
    if (!list_append(f->held, f->nheld, f->held_room, x)) return full(f->nheld, sizeof *f->held, fault);
    ty_retain(x);
    return true;
}

struct kernel *flow_add_kernel(struct flow *f, struct fault *fault) {
    if (!list_reserve(f->kernels, (size_t)f->nkernels + 1, f->kernel_room)) {
        full(f->nkernels, sizeof *f->kernels, fault);
        return NULL;
    }
    struct kernel *k = &f->kernels[f->nkernels++];
    memset(k, 0, sizeof *k);
    return k;
}

bool flow_add_copy(struct flow *f, const struct operand *from, int to, struct fault *fault) {
    struct layout_room room;
    layout_room_init(&room, from->layout.rank);
    if (from->layout.rank)
        memcpy(room.shape, from->layout.shape, sizeof(int64_t) * (size_t)from->layout.rank);
    struct operand output = operand_whole(f, to, from->layout.rank, room.shape, room.strides);
    if (f->blocks[to].size == 0) return true;
    struct kernel *k = flow_add_kernel(f, fault);
    return k && kernel_lower(k, &op_copy, NULL, 0, 1, from, &output, &f->arena, fault);
}

struct operand operand_whole(const struct flow *f, int block, int rank, int64_t *shape, int64_t *strides) {
    shape_row_major(rank, shape, strides);
    return (struct operand){
        .slot = block, .dtype = f->blocks[block].dtype, .layout = {rank, 0, shape, strides}};
}

bool operand_is_whole(const struct flow *f, const struct operand *o) {
    return !o->guard && o->layout.offset == 0 &&
           shape_size(o->layout.rank, o->layout.shape) == f->blocks[o->slot].size &&
           layout_is_contiguous(&o->layout);
}

bool operand_same(const struct operand *x, const struct operand *y) {
    const struct layout *a = &x->layout, *b = &y->layout;
    size_t bytes = sizeof *a->strides * (size_t)a->rank;
    return x->slot == y->slot && a->offset == b->offset &&
           shape_equal(a->rank, a->shape, b->rank, b->shape) && !memcmp(a->strides, b->strides, bytes) &&
           guard_equal(a->rank, x->guard, y->guard);
}

/* The lists of kernels by block, for reads or writes. */
struct index {
    int *start, *kernel;
    int *last; /* by block: the kernel added last */
};

/* Call visit(index, block, k) once for every kernel k and every block that it reads, or if `writes` writes. */
static void visit_blocks(const struct flow *f, bool writes, struct index *index,
                         void (*visit)(struct index *, int, int)) {
    for (int b = 0; b < f->nblocks; b++) index->last[b] = -1;
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        for (int i = 0; i < (writes ? kernel->noutputs : kernel->ninputs); i++) {
            int block = (writes ? kernel->outputs : kernel->inputs)[i].slot;
            if (index->last[block] != k) visit(index, block, k);
            index->last[block] = k;
        }
    }
}
static void count_kernel(struct index *index, int block, int k) {
    (void)k;
    index->start[block + 2]++;
}
/* Append kernel k to the list of a block. start[block + 1], the list's next free index, is the block's start
   before the first call and its end after the last. */
static void put_kernel(struct index *index, int block, int k) {
    index->kernel[index->start[block + 1]++] = k;
}

/* Replace the lists of the readers, or if `writes` of the writers, of each block: those of block b are
   (*kernel)[(*start)[b] .. (*start)[b + 1] - 1], ascending. Both arrays are freed before. False, with the
   fault set, if memory runs out. */
static bool make_index(const struct flow *f, bool writes, int **start, int **kernel, struct fault *fault) {
    size_t blocks = (size_t)f->nblocks + 2, entries = 0;
    mem_free(*start);
    mem_free(*kernel);
    *kernel = NULL;
    struct index index = {.start = *start = mem_array(blocks, sizeof(int)),
                          .last = mem_array(blocks, sizeof(int))};
    if (index.start && index.last) {
        visit_blocks(f, writes, &index, count_kernel);
        for (size_t b = 2; b < blocks; b++) index.start[b] += index.start[b - 1];
        entries = (size_t)index.start[blocks - 1];
        index.kernel = *kernel = mem_array(entries + 1, sizeof(int));
        if (index.kernel) visit_blocks(f, writes, &index, put_kernel);
    }
    mem_free(index.last);
    return index.kernel || fault_memory(fault, (blocks + entries) * sizeof(int));
}

bool flow_index(struct flow *f, struct fault *fault) {
    bool done = make_index(f, false, &f->use_start, &f->use_kernel, fault) &&
                make_index(f, true, &f->write_start, &f->write_kernel, fault);
    for (int b = 0; b < f->nblocks; b++) f->blocks[b].writer = -1;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].noutputs; i++) f->blocks[f->kernels[k].outputs[i].slot].writer = k;
    return done;
}

/* Return the index in f->write_kernel of the first writer of a block after kernel `after`, exclusive, by
   binary search; the end of the block's list if there is none. */
static int first_writer(const struct flow *f, int block, int after) {
    int low = f->write_start[block], high = f->write_start[block + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->write_kernel[middle] <= after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int flow_next_writer(const struct flow *f, const struct operand *x, int after, int before) {
    int64_t low, high;
    struct layout_room room;
    layout_extent(operand_inside(x, &room), &low, &high);
    for (int w = first_writer(f, x->slot, after); w < f->write_start[x->slot + 1]; w++) {
        int k = f->write_kernel[w];
        if (k >= before) break;
        for (int i = 0; i < f->kernels[k].noutputs; i++) {
            const struct operand *y = &f->kernels[k].outputs[i];
            int64_t first, end;
            layout_extent(&y->layout, &first, &end);
            if (y->slot == x->slot && first < high && low < end) return k;
        }
    }
    return -1;
}

/* ---- failures and updates ---- */

/* True if the indices that k reads come from pooling, which makes valid ones only. */
static bool reads_places_of_pooling(const struct flow *f, const struct kernel *k) {
    int writer = f->blocks[k->inputs[1].slot].writer;
    return writer >= 0 && f->kernels[writer].kind == KERNEL_POOL;
}

bool kernel_may_refuse(const struct flow *f, const struct kernel *k) {
    bool pooled = k->kind == KERNEL_UNPOOL || k->kind == KERNEL_POOL_TAKE;
    bool refuses = kernel_table[k->kind].refuses && op_may_refuse(k->op, k->attr);
    return refuses && !k->checked && !(pooled && reads_places_of_pooling(f, k));
}

bool kernel_updates(const struct flow *f, const struct kernel *k) {
    for (int i = 0; i < k->noutputs; i++)
        if (f->blocks[k->outputs[i].slot].kind == BLOCK_UPDATE) return true;
    return false;
}

bool kernel_writes_over(const struct flow *f, const struct kernel *k) {
    for (int i = 0; i < k->noutputs; i++)
        if (f->blocks[k->outputs[i].slot].variable >= 0) return true;
    return kernel_updates(f, k);
}

bool flow_check_updates(const struct flow *f, struct fault *fault) {
    int update = -1;
    for (int k = 0; k < f->nkernels; k++) {
        if (update >= 0 && kernel_may_refuse(f, &f->kernels[k]))
            return fault_set(fault, E_INTERNAL,
                             "order: kernel %d may refuse after kernel %d has written over a variable", k,
                             update);
        if (kernel_updates(f, &f->kernels[k]))
            update = k;
        else if (update >= 0 && f->stoppable)
            return fault_set(fault, E_INTERNAL,
                             "order: kernel %d comes after kernel %d, which has written over a variable", k,
                             update);
    }
    return true;
}

/* ---- edges ---- */

/* Call visit(e, from, k) for every edge into kernel k: from the writers of its inputs, and from the readers
   of a variable that it writes over. */
static void edges_into(const struct flow *f, int k, struct edges *e,
                       void (*visit)(struct edges *, int, int)) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        int writer = f->blocks[kernel->inputs[i].slot].writer;
        if (writer >= 0) visit(e, writer, k);
    }
    for (int i = 0; i < kernel->noutputs; i++) {
        int variable = f->blocks[kernel->outputs[i].slot].variable;
        for (int u = variable < 0 ? 0 : f->use_start[variable];
             variable >= 0 && u < f->use_start[variable + 1]; u++)
            if (f->use_kernel[u] != k) visit(e, f->use_kernel[u], k);
    }
}

static void count_edge(struct edges *e, int from, int to) {
    e->start[from + 2]++;
    e->before[to]++;
}
static void put_edge(struct edges *e, int from, int to) { e->to[e->start[from + 1]++] = to; }

bool edges_build(struct edges *e, const struct flow *f, struct fault *fault) {
    size_t n = (size_t)f->nkernels;
    *e = (struct edges){mem_array(n + 2, sizeof(int)), NULL, mem_array(n + 1, sizeof(int))};
    if (!e->start || !e->before) return fault_memory(fault, n * sizeof(int));
    for (int k = 0; k < f->nkernels; k++) edges_into(f, k, e, count_edge);
    for (size_t k = 2; k < n + 2; k++) e->start[k] += e->start[k - 1];
    e->to = mem_array((size_t)e->start[n + 1] + 1, sizeof(int));
    if (!e->to) return fault_memory(fault, (size_t)e->start[n + 1] * sizeof(int));
    for (int k = 0; k < f->nkernels; k++) edges_into(f, k, e, put_edge);
    return true;
}

void edges_drop(struct edges *e) {
    mem_free(e->start);
    mem_free(e->to);
    mem_free(e->before);
    *e = (struct edges){0};
}
