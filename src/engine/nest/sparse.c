/* SPARSE: products with a matrix in compressed rows; loops over a row's entries are ragged.  Triangular solutions
   read their own results, so their cores are an algorithm. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"
#include "ops/core/op.h"

enum { FIRST, X, INDICES, STARTS };

/* Loops of rows, their entries and columns of a dense matrix, in a draft. */
struct entries {
    int row, entry, column; /* dims */
    int index, when;        /* registers: column of the matrix; the entry counts, or NEST_NONE */
};

static const struct layout *layout_of(const struct lowering *l, int i) { return &l->k->inputs[i].layout; }

/* Check that starts begin with 0, ascend and end with the number of entries; then that indices are below `columns`.
   */
static void check_pattern(struct lowering *l, int64_t columns) {
    const struct layout *starts = layout_of(l, STARTS);
    int64_t rows = starts->shape[0] - 1, entries = layout_of(l, INDICES)->shape[0], two = 2;
    struct draft *d = nest_begin(l, "check the ends of the rows", 1, &two, 0);
    int end = nest_read(d, lower_input(l, STARTS), TY_I64, starts->offset);
    nest_step(nest_read_of(d, end), 0, rows * starts->strides[0]);
    /* 0 at index 0, `entries` at index 1 */
    int excess = nest_op(d, false, "sub", TY_I64, TY_I64, end, nest_index(d, 0, 0, entries), NEST_NONE);
    nest_check(d, excess, nest_index(d, 0, 0, 1), 0, 1);
    nest_end(d);
    d = nest_begin(l, "check the order of the rows", 1, &rows, 0);
    int from = nest_read(d, lower_input(l, STARTS), TY_I64, starts->offset);
    int to = nest_read(d, lower_input(l, STARTS), TY_I64, starts->offset + starts->strides[0]);
    nest_step(nest_read_of(d, from), 0, starts->strides[0]);
    nest_step(nest_read_of(d, to), 0, starts->strides[0]);
    int row = nest_index(d, 0, 0, 1);
    nest_check(d, from, row, 0, entries + 1);
    nest_check(d, to, row, 0, entries + 1);
    nest_check(d, nest_op(d, false, "sub", TY_I64, TY_I64, to, from, NEST_NONE), row, 0, entries + 1);
    nest_end(d);
    lower_check_input(l, INDICES, 0, columns);
}

/* Return the register that is true if the entry belongs to the part. */
static int counts(struct draft *d, int part, int row, int column) {
    static const struct {
        const char *op;
        bool turned;
    } parts[] = {[SPARSE_LOWER] = {"le", true},
                 [SPARSE_UPPER] = {"le", false},
                 [SPARSE_BELOW] = {"lt", true},
                 [SPARSE_ABOVE] = {"lt", false}};
    if (part == SPARSE_ALL) return NEST_NONE;
    bool turned = parts[part].turned;
    return nest_op(d, false, parts[part].op, TY_I64, TY_BOOL, turned ? column : row, turned ? row : column,
                   NEST_NONE);
}

/* Add the ragged dim of the entries of a row, read their columns, and find which count. */
static struct entries over_entries(struct draft *d, int row, ty_nest_role role) {
    struct lowering *l = d->l;
    const struct sparse_attr *attr = l->k->attr;
    const struct layout *starts = layout_of(l, STARTS), *indices = layout_of(l, INDICES);
    struct entries e = {.row = row};
    int ends[2];
    e.entry = nest_dim(d, indices->shape[0], role);
    for (int i = 0; i < 2; i++) {
        ends[i] = nest_read(d, lower_input(l, STARTS), TY_I64, starts->offset + i * starts->strides[0]);
        nest_step(nest_read_of(d, ends[i]), row, starts->strides[0]);
    }
    d->dims[e.entry].begin = ends[0];
    d->dims[e.entry].end = ends[1];
    e.index = nest_read_input(d, INDICES, &e.entry);
    int column = nest_cast(d, false, e.index, l->k->inputs[INDICES].dtype, TY_I64);
    e.when = counts(d, attr->part, nest_index(d, 0, row, 1), column);
    return e;
}

/* Read row `index` (a register) and column `column` of a matrix, input i. */
static int read_row(struct draft *d, int i, int index, int column) {
    const struct operand *x = &d->l->k->inputs[i];
    int r = nest_read(d, lower_input(d->l, i), x->dtype, x->layout.offset);
    nest_term(d, nest_read_of(d, r),
              (ty_nest_term){.read = index, .bound = x->layout.shape[0], .stride = x->layout.strides[0]});
    if (x->layout.shape[1] != 1) nest_step(nest_read_of(d, r), column, x->layout.strides[1]);
    return r;
}

/* Return register `value`, but 0 for an entry that does not count. */
static int counted(struct draft *d, int value, int when) {
    ty_dtype dtype = d->l->k->core_dtype;
    if (when == NEST_NONE) return value;
    return nest_op(d, false, "where", dtype, dtype, when, value, nest_constant(d, dtype, 0));
}
/* Return the order of a sum of `lanes` sums, whose terms alternate (engine/cpu/sparse/sparse.kernel.c). */
static ty_nest_fold near(ty_dtype dtype, int lanes) {
    bool alternate = lanes > 1 && dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX);
    return (ty_nest_fold){
        .dtype = dtype, .join = alternate ? TY_NEST_NEAR : TY_NEST_HALVES, .lanes = alternate ? lanes : 1};
}

static void lower_read(struct lowering *l) {
    const struct kernel *k = l->k;
    struct draft *d = nest_over_outputs(l, "sparse product", 1);
    if (!d) return;
    struct entries e = over_entries(d, 0, TY_NEST_FOLD);
    int value = counted(d, nest_read_input(d, FIRST, &e.entry), e.when), x = read_row(d, X, e.index, 1);
    nest_deliver(d,
                 nest_products_by(d, near(k->core_dtype, layout_of(l, X)->shape[1] == 1 ? 4 : 1), value, x));
    nest_end(d);
}

static void lower_add(struct lowering *l) {
    const struct kernel *k = l->k;
    ty_dtype dtype = k->core_dtype;
    int64_t shape[] = {layout_of(l, STARTS)->shape[0] - 1, layout_of(l, X)->shape[1]};
    int g_axes[] = {0, 1};
    struct layout out;
    int slot;
    bool apart = lower_whole(l, dtype, &slot, &out);
    lower_fill_zero(l, slot, dtype, &out);
    struct draft *d = nest_begin(l, "add to rows", 2, shape, 1);
    if (!d) return;
    d->dims[0].role = TY_NEST_ORDERED;
    struct entries e = over_entries(d, 0, TY_NEST_ORDERED);
    int value = counted(d, nest_read_input(d, FIRST, &e.entry), e.when), g = nest_read_input(d, X, g_axes);
    ty_nest_write *write = nest_add_product(d, slot, dtype, out.offset, value, g);
    if (write) {
        if (out.shape[1] != 1) nest_step(&write->to, 1, out.strides[1]);
        nest_term(d, &write->to,
                  (ty_nest_term){.read = e.index, .bound = out.shape[0], .stride = out.strides[0]});
    }
    nest_end(d);
    if (apart) lower_deliver(l, slot, dtype);
}

/* Each entry has one sum over columns; entries that do not count get 0. */
static void lower_dot(struct lowering *l) {
    const struct kernel *k = l->k;
    ty_dtype dtype = k->core_dtype;
    int64_t rows = layout_of(l, STARTS)->shape[0] - 1;
    int slot = lower_temporary(l, dtype, layout_of(l, INDICES)->shape[0]);
    struct draft *d = nest_begin(l, "products of rows", 1, &rows, 2);
    if (!d) return;
    struct entries e = over_entries(d, 0, TY_NEST_ORDERED);
    e.column = nest_dim(d, layout_of(l, X)->shape[1], TY_NEST_FOLD);
    d->fixed = true;
    int axes[] = {0, e.column}, g = nest_read_input(d, FIRST, axes), x = read_row(d, X, e.index, e.column);
    if (dtype_is(dtype, CLASS_COMPLEX)) x = nest_op(d, false, "conj", dtype, dtype, x, NEST_NONE, NEST_NONE);
    int sum = nest_products_by(d, near(dtype, 8), counted(d, g, e.when), counted(d, x, e.when));
    ty_nest_write *write = nest_write(d, slot, dtype, 0, sum);
    if (write) nest_step(&write->to, e.entry, 1);
    nest_end(d);
    lower_deliver(l, slot, dtype);
}

/* The right side becomes the solution, a column for each work item. */
static void lower_solve(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct sparse_attr *attr = k->attr;
    ty_dtype dtype = k->core_dtype;
    uint64_t rows = (uint64_t)layout_of(l, STARTS)->shape[0] - 1, width = (uint64_t)layout_of(l, X)->shape[1],
             entries = (uint64_t)layout_of(l, INDICES)->shape[0];
    bool upper = attr->part == SPARSE_UPPER || attr->part == SPARSE_ABOVE, turned = attr->transposed != 0;
    bool unit = attr->part == SPARSE_BELOW || attr->part == SPARSE_ABOVE, down = upper == turned;
    int values = lower_whole_input(l, FIRST), indices = lower_lines(l, INDICES, -1, false, TY_I64);
    int starts = lower_whole_input(l, STARTS), pivots = lower_temporary(l, dtype, (int64_t)rows);
    int status = lower_temporary(l, TY_I64, (int64_t)rows), x = lower_copy_input(l, X);
    lower_call(l, (struct lower_call){.function = ALGORITHM_triangle_pivot,
                                      .dtype = dtype,
                                      .items = (int64_t)rows,
                                      .slots = (int[]){values, indices, starts, pivots, status},
                                      .nvalues = 4,
                                      .values = (uint64_t[]){rows, entries, unit, down}});
    lower_check_status(l, "check the diagonal", status, (int64_t)rows);
    lower_call(l, (struct lower_call){.function = ALGORITHM_triangle_solve,
                                      .dtype = dtype,
                                      .items = (int64_t)width,
                                      .slots = (int[]){values, indices, starts, pivots, x},
                                      .nvalues = 6,
                                      .values = (uint64_t[]){rows, entries, width, down, upper, turned}});
    lower_deliver(l, x, dtype);
}

void lower_sparse(struct lowering *l) {
    static void (*const lower[])(struct lowering *) = {[SPARSE_READ] = lower_read,
                                                       [SPARSE_ADD] = lower_add,
                                                       [SPARSE_DOT] = lower_dot,
                                                       [SPARSE_SOLVE] = lower_solve};
    const struct sparse_attr *attr = l->k->attr;
    check_pattern(l, attr->kind == SPARSE_ADD ? attr->size : layout_of(l, X)->shape[0]);
    lower[attr->kind](l);
}
