/* SORT, SEARCH and NONZERO, whose cores are algorithms (engine/algorithm): nests make their operands dense, and put the
   results in place. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"

/* Elements that a work item sorts by insertion, or merges, in a step of a sort; it first bisects for up to 2 log2 n
   comparisons, so that these are the smaller part of its work.  No measurement has chosen it. */
enum { SORT_RUN = 32 };
/* Elements that a work item of NONZERO counts: one item joins the counts of all. */
enum { NONZERO_BLOCK = 256 };

/* How elements of a dtype are compared (sort.kernel.c): as the unsigned dtype of their size, by keys.  Complex numbers
   are two words, which are their keys. */
struct order {
    ty_dtype dtype;
    uint64_t infinity, flip, parts;
};
static struct order order_of(ty_dtype dtype, bool descending) {
    static const ty_dtype words[] = {[1] = TY_U8, [2] = TY_U16, [4] = TY_U32, [8] = TY_U64};
    bool pairs = dtype_is(dtype, CLASS_COMPLEX);
    size_t size = pairs ? sizeof(uint64_t) : dtype_table[dtype].size;
    uint64_t top = (uint64_t)1 << (8 * size - 1), all = top | (top - 1);
    bool floating = dtype_is(dtype, CLASS_FLOAT);
    uint64_t hidden = floating ? (uint64_t)1 << (dtype_table[dtype].digits - 1) : 0;
    bool turned = !floating && !pairs && dtype_is(dtype, CLASS_SIGNED);
    return (struct order){.dtype = words[size],
                          .infinity = floating ? top - hidden : 0,
                          .flip = (turned ? top : 0) ^ (descending ? all : 0),
                          .parts = pairs ? 2 : 1};
}
/* Return the slot to compare for the n elements of slot x: x itself, or keys of complex numbers. */
static int keys_of(struct lowering *l, int x, ty_dtype dtype, int64_t n) {
    if (!dtype_is(dtype, CLASS_COMPLEX)) return x;
    int keys = lower_temporary(l, TY_U64, 2 * n);
    lower_call(l,
               (struct lower_call){
                   .function = ALGORITHM_order_keys, .dtype = dtype, .items = n, .slots = (int[]){x, keys}});
    return keys;
}

/* ---- SORT ---- */

/* Add the steps that sort `lines` lines of n elements of a slot; return the slot of their places. */
static int sort_lines(struct lowering *l, int x, struct order order, int64_t lines, int64_t n) {
    uint64_t runs = (uint64_t)(n + SORT_RUN - 1) / SORT_RUN;
    uint64_t values[] = {(uint64_t)n, runs, SORT_RUN, order.infinity, order.flip, order.parts, SORT_RUN};
    int places = lower_temporary(l, TY_I64, lines * n), other = places;
    struct lower_call call = {.dtype = order.dtype, .items = lines * (int64_t)runs, .values = values};
    call.function = ALGORITHM_sort_run, call.nvalues = 6, call.slots = (int[]){x, places};
    lower_call(l, call);
    call.function = ALGORITHM_sort_merge, call.nvalues = 7;
    if (n > SORT_RUN) other = lower_temporary(l, TY_I64, lines * n);
    for (uint64_t width = SORT_RUN; width < (uint64_t)n && !l->failed; width *= 2) {
        int from = places;
        values[6] = width;
        call.slots = (int[]){x, from, other};
        lower_call(l, call);
        places = other;
        other = from;
    }
    return places;
}

/* Deliver the elements of input 0, or their places, in the order of sorted places. */
static void deliver_sorted(struct lowering *l, int places) {
    const struct kernel *k = l->k;
    const struct sort_attr *attr = k->attr;
    const struct operand *x = &k->inputs[0];
    int rank = x->layout.rank;
    int64_t strides[TY_MAX_RANK];
    struct draft *d = nest_over_outputs(l, "put in order", 0);
    if (!d) return;
    lower_line_strides(rank, x->layout.shape, attr->axis, strides);
    int place = nest_read(d, places, TY_I64, attr->first), value = place;
    for (int a = 0; a < rank; a++) nest_step(nest_read_of(d, place), a, strides[a]);
    if (attr->kind == SORT_VALUES) {
        value = nest_read(d, lower_input(l, 0), x->dtype, x->layout.offset);
        for (int a = 0; a < rank; a++)
            if (a != attr->axis) nest_step(nest_read_of(d, value), a, x->layout.strides[a]);
        nest_term(d, nest_read_of(d, value),
                  (ty_nest_term){.read = place,
                                 .bound = x->layout.shape[attr->axis],
                                 .stride = x->layout.strides[attr->axis]});
    }
    nest_deliver(d, nest_cast(d, false, value, attr->kind == SORT_VALUES ? x->dtype : TY_I64, k->core_dtype));
    nest_end(d);
}

void lower_sort(struct lowering *l) {
    const struct sort_attr *attr = l->k->attr;
    const struct operand *x = &l->k->inputs[0];
    int64_t n = x->layout.shape[attr->axis], all = shape_size(x->layout.rank, x->layout.shape);
    int lines = keys_of(l, lower_lines(l, 0, attr->axis, false, x->dtype), x->dtype, all);
    int places = sort_lines(l, lines, order_of(x->dtype, attr->descending), n ? all / n : 0, n);
    deliver_sorted(l, places);
}

/* ---- SEARCH ---- */

void lower_search(struct lowering *l) {
    const struct search_attr *attr = l->k->attr;
    const struct operand *sorted = &l->k->inputs[0], *x = &l->k->inputs[1];
    int lead = sorted->layout.rank - 1;
    int64_t items = shape_size(x->layout.rank, x->layout.shape);
    struct order order = order_of(x->dtype, false);
    int64_t lines = shape_size(sorted->layout.rank, sorted->layout.shape);
    int from = keys_of(l, lower_whole_input(l, 0), x->dtype, lines),
        wanted = keys_of(l, lower_whole_input(l, 1), x->dtype, items);
    int found = lower_temporary(l, TY_I64, items);
    uint64_t values[] = {(uint64_t)sorted->layout.shape[lead],
                         (uint64_t)shape_size(x->layout.rank - lead, x->layout.shape + lead),
                         attr->right != 0,
                         order.infinity,
                         order.flip,
                         order.parts};
    lower_call(l, (struct lower_call){.function = ALGORITHM_search,
                                      .dtype = order.dtype,
                                      .items = items,
                                      .slots = (int[]){from, wanted, found},
                                      .nvalues = 6,
                                      .values = values});
    lower_deliver(l, found, TY_I64);
}

/* ---- NONZERO ---- */

/* Return a slot with the truth of each element of input 0. */
static int truths(struct lowering *l, int64_t n) {
    const struct operand *x = &l->k->inputs[0];
    int64_t strides[TY_MAX_RANK];
    int slot = lower_temporary(l, TY_BOOL, n);
    struct draft *d = nest_begin(l, "find truths", x->layout.rank, x->layout.shape, 0);
    if (!d) return slot;
    lower_line_strides(x->layout.rank, x->layout.shape, -1, strides);
    int truth = nest_cast(d, false, nest_read_input(d, 0, NULL), x->dtype, TY_BOOL);
    ty_nest_write *write = nest_write(d, slot, TY_BOOL, 0, truth);
    for (int a = 0; write && a < x->layout.rank; a++) nest_step(&write->to, a, strides[a]);
    nest_end(d);
    return slot;
}

/* Check that element `blocks` of the counts, their sum, is the size of the result. */
static void check_count(struct lowering *l, int counts, int64_t blocks, int64_t want) {
    struct draft *d = nest_begin(l, "check the number", 0, NULL, 0);
    if (!d) return;
    nest_check(d, nest_read(d, counts, TY_I64, blocks), nest_index(d, 0, -1, 0), want, want + 1);
    nest_end(d);
}

/* Deliver the indices of places on each axis. */
static void deliver_indices(struct lowering *l, int places) {
    const struct layout *x = &l->k->inputs[0].layout;
    int64_t strides[TY_MAX_RANK];
    lower_line_strides(x->rank, x->shape, -1, strides);
    for (int a = 0; a < x->rank && !l->failed; a++) {
        struct draft *d = nest_over_outputs(l, "split places", 0);
        if (!d) return;
        d->dims[0].size = 1;
        d->origin[0] = a;
        int place = nest_read(d, places, TY_I64, 0), index = nest_index(d, 0, -1, 0);
        nest_step(nest_read_of(d, place), 1, 1);
        nest_term(d, nest_read_of(d, index),
                  (ty_nest_term){.read = place,
                                 .bound = shape_size(x->rank, x->shape),
                                 .divide = strides[a],
                                 .modulo = x->shape[a],
                                 .stride = 1});
        nest_deliver(d, nest_cast(d, false, index, TY_I64, l->k->core_dtype));
        nest_end(d);
    }
}

void lower_nonzero(struct lowering *l) {
    const struct layout *x = &l->k->inputs[0].layout;
    int64_t n = shape_size(x->rank, x->shape), blocks = n / NONZERO_BLOCK + (n % NONZERO_BLOCK != 0);
    int64_t want = l->k->outputs[0].layout.shape[1];
    uint64_t values[] = {(uint64_t)n, NONZERO_BLOCK, (uint64_t)want}, all[] = {(uint64_t)blocks};
    int x_slot = truths(l, n), counts = lower_temporary(l, TY_I64, blocks + 1);
    int places = lower_temporary(l, TY_I64, want);
    struct lower_call call = {.dtype = TY_BOOL, .items = blocks, .nvalues = 2, .values = values};
    call.function = ALGORITHM_nonzero_count, call.slots = (int[]){x_slot, counts};
    lower_call(l, call);
    lower_call(l, (struct lower_call){.function = ALGORITHM_nonzero_sum,
                                      .dtype = TY_BOOL,
                                      .items = 1,
                                      .slots = &counts,
                                      .nvalues = 1,
                                      .values = all});
    check_count(l, counts, blocks, want);
    call.function = ALGORITHM_nonzero_place, call.slots = (int[]){x_slot, counts, places}, call.nvalues = 3;
    lower_call(l, call);
    deliver_indices(l, places);
}
