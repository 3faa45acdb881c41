/* Text, template: solutions of sparse triangular systems.  Parameter: TYPE, a float or complex.  Entries of row i are
   starts[i] .. starts[i + 1] - 1 of values and indices; those of the triangle count.  Steps before check the pattern;
   entries that they refuse are not read. */
static i64 T(triangle_entry)(i64 at, u64 entries) {
    return at < 0 ? 0 : at > (i64)entries ? (i64)entries : at;
}

/* Sum the diagonal entries of the row that is solved at position `item`; with `unit` they are 1.  status is 1 + the row
   if that is 0.  down: rows are solved from the first one on. */
static void T(triangle_pivot)(i64 item, MEMORY const TYPE *values, MEMORY const i64 *indices,
                              MEMORY const i64 *starts, MEMORY TYPE *pivots, MEMORY i64 *status, u64 rows,
                              u64 entries, u64 unit, u64 down) {
    const i64 row = down ? item : (i64)rows - 1 - item;
    const TYPE zero = TYPE_ZERO, one = TYPE_ONE;
    TYPE pivot = unit ? one : zero;
    const i64 end = T(triangle_entry)(starts[row + 1], entries);
    for (i64 e = T(triangle_entry)(starts[row], entries); e < end && !unit; e++)
        if (indices[e] == row) pivot = T(row_add)(pivot, values[e]);
    pivots[row] = pivot;
    status[item] = T(row_eq)(pivot, zero) ? row + 1 : 0;
}

/* Solve for column `item` of x [rows, width], which has the right side.  Known unknowns are subtracted, then the pivot
   divides; transposed: it divides, then the unknown is subtracted from those of other rows. */
static void T(triangle_solve)(i64 item, MEMORY const TYPE *values, MEMORY const i64 *indices,
                              MEMORY const i64 *starts, MEMORY const TYPE *pivots, MEMORY TYPE *x, u64 rows,
                              u64 entries, u64 width, u64 down, u64 upper, u64 transposed) {
    x += item;
    for (u64 i = 0; i < rows; i++) {
        const i64 row = (i64)(down ? i : rows - 1 - i);
        MEMORY TYPE *own = x + row * (i64)width;
        if (transposed) *own = T(row_div)(*own, pivots[row]);
        const i64 end = T(triangle_entry)(starts[row + 1], entries);
        for (i64 e = T(triangle_entry)(starts[row], entries); e < end; e++) {
            const i64 column = indices[e];
            if (column < 0 || column >= (i64)rows || column == row || (column > row) != upper) continue;
            MEMORY TYPE *other = x + column * (i64)width;
            MEMORY TYPE *to = transposed ? other : own, *from = transposed ? own : other;
            *to = T(row_fma)(T(row_neg)(values[e]), *from, *to);
        }
        if (!transposed) *own = T(row_div)(*own, pivots[row]);
    }
}
