/* Joining several tensors after adding axes, by NumPy's rules. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "ops/shape/arrange.h"

/* Return n operands concatenated along `axis` (negative: 1, or 0 if they have one axis), after each got at
   least `rank` axes, or if `columns` vectors became columns. Poison, in the name of function `name`, on
   failure. */
static ty_tensor *join_as(const char *name, int n, ty_tensor *const *x, int rank, bool columns, int axis) {
    if (n < 1) return refuse(name, 0, x, E_ARGUMENT, "expected at least one tensor");
    ty_tensor *bad = first_poison_in(name, n, x);
    if (bad) return bad;
    ty_tensor **raised = mem_array((size_t)n, sizeof *raised);
    if (!raised) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    for (int i = 0; i < n; i++) {
        int64_t column[] = {ty_size(x[i]), 1};
        raised[i] = columns && ty_rank(x[i]) < 2 ? ty_reshape(x[i], 2, column) : ty_atleast(x[i], rank);
    }
    if (axis < 0) axis = ty_ok(raised[0]) && ty_rank(raised[0]) > 1; /* the second axis if there is one */
    ty_tensor *y = ty_concat(n, raised, axis);
    mem_free(raised);
    return leave_as(name, scope, x[0], y);
}

ty_tensor *ty_hstack(int n, ty_tensor *const *x) { return join_as("hstack", n, x, 1, false, -1); }
ty_tensor *ty_vstack(int n, ty_tensor *const *x) { return join_as("vstack", n, x, 2, false, 0); }
ty_tensor *ty_dstack(int n, ty_tensor *const *x) { return join_as("dstack", n, x, 3, false, 2); }
ty_tensor *ty_column_stack(int n, ty_tensor *const *x) { return join_as("column_stack", n, x, 2, true, 1); }

ty_tensor *ty_block(int rows, int columns, ty_tensor *const *x) {
    if (rows < 1 || columns < 1)
        return refuse("block", 0, x, E_ARGUMENT, "%d rows of %d blocks; expected 1 or more of each", rows,
                      columns);
    int64_t n = (int64_t)rows * columns;
    ty_tensor *bad =
        n > INT32_MAX ? refuse("block", 0, x, E_LIMIT, "too many blocks") : first_poison((int)n, x);
    if (bad) return bad;
    ty_tensor **strips = mem_array((size_t)rows + (size_t)n, sizeof *strips);
    if (!strips) return tensor_out_of_memory();
    ty_tensor **blocks = strips + rows;
    ty_scope *scope = ty_open();
    for (int64_t i = 0; i < n; i++) blocks[i] = ty_atleast(x[i], 2);
    cast_to_common(NULL, (int)n, blocks, COMPUTED,
                   blocks); /* all at once, since each row of blocks might promote to another dtype */
    for (int i = 0; i < rows; i++) strips[i] = ty_concat(columns, blocks + (int64_t)i * columns, -1);
    ty_tensor *y = ty_concat(rows, strips, -2);
    mem_free(strips);
    return leave_as("block", scope, x[0], y);
}

ty_tensor *ty_append(ty_tensor *x, ty_tensor *values) {
    ty_scope *scope = ty_open();
    ty_tensor *both[] = {ty_ravel(x), ty_ravel(values)};
    return leave_as("append", scope, x, ty_concat(2, both, 0));
}

/* Return a block, a matrix, padded with zeros to `columns` columns, of which `before` are to its left. */
static ty_tensor *strip_of(ty_tensor *block, int64_t before, int64_t columns) {
    ty_padding padding[2] = {{0}, {.low = before, .high = columns - before - ty_shape(block)[1]}};
    return ty_pad(block, padding, ty_scalar(ty_dtype_of(block), 0));
}

ty_tensor *ty_block_diag(int n, ty_tensor *const *x) {
    ty_tensor *bad = n < 1 ? refuse("block_diag", 0, x, E_SHAPE, "there are no blocks") : first_poison(n, x);
    if (bad) return bad;
    for (int i = 0; i < n; i++)
        if (ty_rank(x[i]) > 2) return refuse("block_diag", 1, x + i, E_SHAPE, "a block has at most two axes");
    ty_tensor **blocks = mem_array((size_t)n, sizeof *blocks);
    if (!blocks) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    cast_to_common(NULL, n, x, COMPUTED, blocks);
    int64_t columns = 0, before = 0;
    for (int i = 0; i < n; i++) blocks[i] = ty_atleast(blocks[i], 2);
    bad = first_poison(n, blocks);
    for (int i = 0; i < n && !bad; i++) columns += ty_shape(blocks[i])[1];
    for (int i = 0; i < n && !bad; i++) {
        int64_t own = ty_shape(blocks[i])[1];
        blocks[i] = strip_of(blocks[i], before, columns);
        before += own;
    }
    ty_tensor *y = bad ? bad : ty_concat(n, blocks, 0);
    mem_free(blocks);
    return leave_as("block_diag", scope, x[0], y);
}
