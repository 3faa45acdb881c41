/*
 * Kernel kind SEARCH: a row of the output looks up a range of x in one sorted line. Both sides are compared as keys
 * (array/order.h), so one loop serves all dtypes of a size.
 */
#include "engine/cpu/sort/search.h"
#include <string.h>
#include "array/order.h"
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/sort/sort.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel_lower.h"

struct search_plan {
    struct cpu_rows rows;
    struct layout x;     /* collapsed */
    struct layout lines; /* layout of the lines: sorted without its last axis */
    struct search_line line;
    search_loop loop;
    size_t size;
    int64_t start; /* elements of x per line */
};

/* Search n complex values x in the line, one at a time, as their keys are pairs. Set out[i] to the number of
   elements less than x[i], or with line->right not greater. */
static void search_complex(const struct search_line *line, int64_t n, int64_t *out, const void *x) {
    ty_dtype dtype = line->dtype;
    int64_t size = (int64_t)dtype_table[dtype].size;
    for (int64_t i = 0; i < n; i++) {
        struct order_key want = order_key(dtype, element_load(dtype, (const char *)x + i * size));
        int64_t low = 0, high = line->n;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            struct order_key key = order_key(
                dtype, element_load(dtype, (const char *)line->sorted + middle * line->stride * size));
            bool before = line->right ? !order_before(want, key) : order_before(key, want);
            low = before ? middle + 1 : low;
            high = before ? high : middle;
        }
        out[i] = low;
    }
}

static search_loop loop_of(ty_dtype dtype) {
    static const search_table *const tables[ISA_COUNT] = ISA_TABLE(&search_);
    if (dtype_is(dtype, CLASS_COMPLEX)) return search_complex;
    return (*tables[isa_current()])[dtype_table[dtype].size];
}

/* Set *out to the first `rank` axes of x, collapsed, in the arena. Return false if out of memory. */
static bool collapsed(struct layout *out, const struct layout *x, int rank, struct arena *arena) {
    struct layout_room room;
    struct layout *copy = layout_room_init(&room, rank);
    memcpy(copy->shape, x->shape, sizeof *copy->shape * (size_t)rank);
    memcpy(copy->strides, x->strides, sizeof *copy->strides * (size_t)rank);
    if (rank > 0) layout_collapse(1, &copy);
    return layout_copy(out, copy, arena);
}

/* Prepare a search of values in sorted lines. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct search_attr *attr = kernel->attr;
    const struct operand *sorted = &kernel->inputs[0], *x = &kernel->inputs[1];
    int lead = sorted->layout.rank - 1;
    struct search_plan *p = arena_alloc(arena, sizeof *p);
    if (!p || !collapsed(&p->x, &x->layout, x->layout.rank, arena) ||
        !collapsed(&p->lines, &sorted->layout, lead, arena))
        return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->size = dtype_table[x->dtype].size;
    p->start = shape_size(x->layout.rank - lead, x->layout.shape + lead);
    p->line = (struct search_line){.n = sorted->layout.shape[lead],
                                   .stride = sorted->layout.strides[lead],
                                   .right = attr->right,
                                   .dtype = x->dtype,
                                   .order = sort_order_of(x->dtype, false, true)};
    p->loop = loop_of(x->dtype);
    int64_t shape[2] = {shape_size(lead, x->layout.shape), p->start};
    return cpu_rows_prepare(&p->rows, kernel, 2, shape, CPU_TILE * p->size, arena, fault);
}

/* Search elements first .. first+n-1 of x's row at index[] in their line, and write the indices found to
   out. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    const struct search_plan *p = call->kernel->prepared;
    const char *x = operand_base(&call->kernel->inputs[1], call->slots);
    struct search_line line = p->line;
    int64_t at[TY_MAX_RANK], from = 0;
    cpu_unrank(p->lines.rank, p->lines.shape, index[0], at);
    for (int i = 0; i < p->lines.rank; i++) from += at[i] * p->lines.strides[i];
    line.sorted = operand_base(&call->kernel->inputs[0], call->slots) + from * (int64_t)p->size;
    if (p->x.rank > 0) cpu_collect(&p->x, p->size, x, call->scratch, index[0] * p->start + first, n);
    p->loop(&line, n, out, p->x.rank > 0 ? call->scratch : x);
}

/* Compute a search on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct search_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_search = {.prepare = prepare, .launch = launch};
