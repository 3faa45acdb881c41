/* Steps that are algorithms: calls of their functions, and the dense memory that these work on. */
#include "engine/nest/draft.h"

void lower_call(struct lowering *l, struct lower_call call) {
    const struct algorithm *row = &algorithm_table[call.function];
    int n = (int)strlen(row->memory);
    int32_t *slots = lower_room(l, (size_t)n, sizeof *slots);
    uint64_t *values = lower_room(l, (size_t)call.nvalues, sizeof *values);
    ty_nest_step *step = slots && values ? lower_step(l) : NULL;
    if (!step) return;
    for (int i = 0; i < n; i++) slots[i] = call.slots[i];
    for (int i = 0; i < call.nvalues; i++) values[i] = call.values[i];
    *step = (ty_nest_step){.algorithm = row->name,
                           .kernel = l->number,
                           .slots = slots,
                           .nslots = n,
                           .dtype = call.dtype,
                           .nvalues = call.nvalues,
                           .values = values,
                           .items = call.items};
}

void lower_line_strides(int rank, const int64_t *shape, int axis, int64_t *strides) {
    int64_t stride = axis < 0 ? 1 : shape[axis];
    for (int a = rank - 1; a >= 0; a--) {
        strides[a] = a == axis ? 1 : stride;
        if (a != axis) stride *= shape[a];
    }
}

/* Copy input i to a temporary, as lower_lines; strides: of the copy. */
static int copy_lines(struct lowering *l, int i, int axis, bool turned, ty_dtype dtype,
                      const int64_t *strides) {
    const struct operand *x = &l->k->inputs[i];
    int rank = x->layout.rank;
    int slot = lower_temporary(l, dtype, shape_size(rank, x->layout.shape));
    struct draft *d = nest_begin(l, "gather lines", rank, x->layout.shape, 0);
    if (!d) return slot;
    int value = nest_cast(d, false, nest_read_input(d, i, NULL), x->dtype, dtype);
    ty_nest_write *write = nest_write(d, slot, dtype, 0, value);
    for (int a = 0; write && a < rank; a++) {
        bool back = a == axis && turned;
        if (back) write->to.offset += x->layout.shape[a] - 1;
        nest_step(&write->to, a, back ? -1 : strides[a]);
    }
    nest_end(d);
    return slot;
}

int lower_lines(struct lowering *l, int i, int axis, bool turned, ty_dtype dtype) {
    const struct operand *x = &l->k->inputs[i];
    int rank = x->layout.rank;
    int64_t strides[TY_MAX_RANK];
    lower_line_strides(rank, x->layout.shape, axis, strides);
    bool lies = !turned && x->dtype == dtype && !x->guard && x->layout.offset == 0;
    for (int a = 0; a < rank; a++)
        lies = lies && (x->layout.shape[a] == 1 || x->layout.strides[a] == strides[a]);
    return lies ? lower_input(l, i) : copy_lines(l, i, axis, turned, dtype, strides);
}

int lower_copy_input(struct lowering *l, int i) {
    const struct layout *x = &l->k->inputs[i].layout;
    int64_t strides[TY_MAX_RANK];
    lower_line_strides(x->rank, x->shape, -1, strides);
    return copy_lines(l, i, -1, false, l->k->inputs[i].dtype, strides);
}

int lower_whole_input(struct lowering *l, int i) {
    return lower_lines(l, i, -1, false, l->k->inputs[i].dtype);
}

void lower_check_status(struct lowering *l, const char *name, int slot, int64_t n) {
    struct draft *d = nest_begin(l, name, 1, &n, 0);
    if (!d) return;
    int status = nest_read(d, slot, TY_I64, 0);
    nest_step(nest_read_of(d, status), 0, 1);
    nest_check(d, status, nest_index(d, 0, 0, 1), 0, 1);
    nest_end(d);
}
