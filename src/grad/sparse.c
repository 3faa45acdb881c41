/*
 * Sparse Jacobians and Hessians: find the pattern (sparse_pattern.c), colour it (sparse_colour.c), compute
 * one batch of products (grad/batch.h), and gather each entry from the product of its colour.
 */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/derivative.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include <tyto/sparse_derivative.h>
#include "base/options.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "grad/batch.h"
#include "grad/reverse.h"
#include "grad/sparse_colour.h"
#include "grad/sparse_pattern.h"
#include "grad/unused.h"
#include "ops/core/structure.h"

/* State of one call. */
struct sparse {
    const char *name;
    ty_tensor *y, *x;
    struct fault *fault;
    struct pattern *pattern;
    struct lists rows;  /* column indices of the entries, by row */
    int32_t *colour;    /* by column, or by row if told.by_rows */
    ty_sparsity told;   /* result: the size of the pattern and its colours */
    ty_tensor *indices; /* row and column of each entry, i64[entries, 2] */
    ty_tensor *places;  /* index of each entry among all products, i64[entries] */
};

static bool no_memory(struct sparse *s, int64_t n) {
    return fault_memory(s->fault, (size_t)n * sizeof(int64_t));
}

static bool well(struct sparse *s, ty_tensor *x) { return ty_ok(x) || fault_tensor(s->fault, x); }

/* ---- arguments ---- */

/* Check s->y and s->x, which must be floating. If `scalar`, y must have one element. False, with the fault
   set, if not. */
static bool check(struct sparse *s, bool scalar) {
    char words[160];
    ty_tensor *operands[] = {s->y, s->x};
    for (int i = 0; i < 2; i++) {
        if (!ty_ok(operands[i])) return fault_tensor_from(s->fault, s->name, tensor_of(operands[i]));
        const ty_tensor *x = tensor_resolve(operands[i]);
        if (!dtype_is(x->dtype, CLASS_FLOAT))
            return fault_set(s->fault, E_DTYPE, "%s: %s is %s; expected f16, bf16, f32 or f64", s->name,
                             i ? "x" : "y", tensor_describe_into(words, sizeof words, x));
    }
    s->y = tensor_resolve(s->y);
    if (scalar && tensor_size(s->y) != 1)
        return fault_set(s->fault, E_ARGUMENT, "%s: y is %s; expected one element", s->name,
                         tensor_describe_into(words, sizeof words, s->y));
    return unused_check_of(s->name, s->y, 1, &s->x, s->fault);
}

/* ---- the pattern by rows ---- */

/* Find the pattern of y by s->x: which elements of x each element of y depends on. False, with the fault set,
   on failure. */
static bool find_pattern(struct sparse *s, ty_tensor *y) {
    s->pattern = mem_alloc(sizeof *s->pattern);
    if (!s->pattern) return no_memory(s, (int64_t)sizeof *s->pattern);
    if (!pattern_find(s->pattern, y, s->x, s->fault)) return false;
    s->told.rows = tensor_size(y);
    s->told.columns = s->pattern->sets.elements;
    return s->told.rows < INT32_MAX ||
           fault_set(s->fault, E_LIMIT, "%s: %lld rows; expected at most 2^31 - 2", s->name,
                     (long long)s->told.rows);
}

/* Return the id of the set of columns of a row, from 0, of the pattern. */
static int64_t set_of(const struct sparse *s, int64_t row) {
    return ((int64_t *)tensor_data(s->pattern->of))[row];
}

/* List the columns of each row in s->rows, and count the entries. False, with the fault set, on failure. */
static bool list_rows(struct sparse *s) {
    int64_t entries = 0, n;
    for (int64_t i = 0; i < s->told.rows; i++) {
        sets_members(&s->pattern->sets, set_of(s, i), &n);
        entries += n;
    }
    if (!lists_make(&s->rows, s->told.rows, s->told.columns, entries)) return no_memory(s, entries);
    for (int64_t i = 0; i < s->told.rows; i++) {
        const int32_t *members = sets_members(&s->pattern->sets, set_of(s, i), &n);
        memcpy(s->rows.item + s->rows.start[i], members, (size_t)n * sizeof *members);
        s->rows.start[i + 1] = s->rows.start[i] + n;
    }
    s->told.entries = entries;
    return true;
}

/* List the distinct non-empty rows in *out: equal rows constrain the colours of columns once. False if memory
   runs out. The caller frees *out by lists_end in either case. */
static bool list_sets(const struct sparse *s, struct lists *out) {
    const struct sets *sets = &s->pattern->sets;
    int64_t all = 1 + sets->elements + sets->count, count = 0, items = 0, n;
    bool *used = mem_array((size_t)all, sizeof *used);
    if (!used) return false;
    for (int64_t i = 0; i < s->told.rows; i++) used[set_of(s, i)] = true;
    for (int64_t i = 1; i < all; i++) {
        if (!used[i]) continue;
        sets_members(sets, i, &n);
        count++;
        items += n;
    }
    bool done = lists_make(out, count, s->told.columns, items);
    count = 0;
    for (int64_t i = 1; i < all && done; i++) {
        if (!used[i]) continue;
        const int32_t *members = sets_members(sets, i, &n);
        memcpy(out->item + out->start[count], members, (size_t)n * sizeof *members);
        out->start[count + 1] = out->start[count] + n;
        count++;
    }
    mem_free(used);
    return done;
}

/* ---- colouring ---- */

/* Colour columns, or rows if by_rows, so that the members of each of the groups differ. Keep the result in
   s->colour if it has fewer colours than the one before. False, with the fault set, if memory runs out. */
static bool colour_with(struct sparse *s, const struct lists *groups, bool by_rows) {
    int32_t *colour = mem_array((size_t)groups->limit + 1, sizeof *colour);
    int64_t colours = colour ? colour_apart(groups, colour) : -1;
    bool better = colours >= 0 && (!s->colour || colours < s->told.colours);
    if (better) {
        mem_free(s->colour);
        s->colour = colour;
        s->told.colours = colours;
        s->told.by_rows = by_rows;
    } else {
        mem_free(colour);
    }
    return colours >= 0 || no_memory(s, groups->limit);
}

/* Colour columns or rows, whichever has the lower bound first. The other is tried if its lower bound is below
   the number of colours found. False, with the fault set, on failure. */
static bool colour_jacobian(struct sparse *s) {
    struct lists sets = {0}, columns = {0};
    bool done = (list_sets(s, &sets) && lists_transpose(&s->rows, &columns)) || no_memory(s, s->told.entries);
    if (done) {
        int64_t least[2] = {lists_longest(&sets), lists_longest(&columns)};
        bool first = least[1] < least[0];
        done = colour_with(s, first ? &columns : &sets, first);
        if (done && s->told.colours > least[!first]) done = colour_with(s, first ? &sets : &columns, !first);
    }
    lists_end(&sets);
    lists_end(&columns);
    return done;
}

/* ---- entries ---- */

/* Store entry k: row i, column j; it is element `at` of the product of `colour`. Products have `length`
   elements each. */
static void put_entry(struct sparse *s, int64_t k, int64_t i, int64_t j, int64_t colour, int64_t length,
                      int64_t at) {
    int64_t *indices = tensor_data(s->indices), *places = tensor_data(s->places);
    indices[2 * k] = i;
    indices[2 * k + 1] = j;
    places[k] = colour * length + at;
}

/* Allocate s->indices, i64 [entries, 2], and s->places, i64 [entries]. False, with the fault set, on failure. */
static bool make_entries(struct sparse *s) {
    int64_t n = s->told.entries;
    s->indices = tensor_return(tensor_new_value(TY_I64, 2, (int64_t[]){n, 2}));
    s->places = tensor_return(tensor_new_value(TY_I64, 1, &n));
    return well(s, s->indices) && well(s, s->places);
}

/* Compute for each entry of the Jacobian its row and column and its index among the products. False, with the
   fault set, on failure. */
static bool place_jacobian(struct sparse *s) {
    if (!make_entries(s)) return false;
    for (int64_t i = 0; i < s->rows.n; i++)
        for (int64_t k = s->rows.start[i]; k < s->rows.start[i + 1]; k++) {
            int64_t j = s->rows.item[k];
            if (s->told.by_rows)
                put_entry(s, k, i, j, s->colour[i], s->told.columns, j);
            else
                put_entry(s, k, i, j, s->colour[j], s->told.rows, i);
        }
    return true;
}

/* Compute for each entry (i, j) of the Hessian its row and column and its index among the products. It is
   element i of the product of j's colour if no other column of row i has that colour. Else, by symmetry, it
   is element j of the product of i's colour. False, with the fault set, on failure. */
static bool place_hessian(struct sparse *s) {
    /* by colour, in row i: 2 i + 1 seen once, 2 i + 2 seen more often */
    int64_t *seen = mem_array((size_t)s->told.colours + 1, sizeof *seen);
    if (!make_entries(s) || !seen) return (mem_free(seen), no_memory(s, s->told.entries));
    for (int64_t i = 0; i < s->rows.n; i++) {
        for (int64_t k = s->rows.start[i]; k < s->rows.start[i + 1]; k++) {
            int64_t *of = &seen[s->colour[s->rows.item[k]]];
            *of = 2 * i + 1 + (*of > 2 * i);
        }
        for (int64_t k = s->rows.start[i]; k < s->rows.start[i + 1]; k++) {
            int64_t j = s->rows.item[k];
            if (seen[s->colour[j]] == 2 * i + 1)
                put_entry(s, k, i, j, s->colour[j], s->told.columns, i);
            else
                put_entry(s, k, i, j, s->colour[i], s->told.columns, j);
        }
    }
    mem_free(seen);
    return true;
}

/* ---- products ---- */

/* Return a placeholder of the dtype and shape of `like` that a batch will replace: a variable if `promise`,
   else tracked zeros. */
static ty_tensor *stand_in(const ty_tensor *like, bool promise) {
    ty_tensor *zeros = ty_zeros(like->dtype, like->layout.rank, like->layout.shape);
    return promise ? ty_var(zeros, "") : ty_track(zeros, "");
}

/* Return [colours, shape of `like`]: 1 where an element has the colour, else 0; a promise if `promise`.
   Poison if it is too large. */
static ty_tensor *make_seeds(struct sparse *s, const ty_tensor *like, bool promise) {
    int64_t n = tensor_size(like), shape[TY_MAX_RANK + 1], colours = s->told.colours, size;
    if (like->layout.rank == TY_MAX_RANK || !checked_mul(n, colours, &size))
        return ty_poison_code(E_LIMIT, "%s: %d axes, or %lld colours of %lld elements, are too many", s->name,
                              like->layout.rank, (long long)colours, (long long)n);
    ty_tensor *colour = ty_from(TY_I32, 1, &n, s->colour),
              *all = ty_iota(TY_I32, 2, (int64_t[]){colours, 1}, 0);
    if (promise) colour = ty_lazy(colour); /* computed in the program, where they are read */
    shape[0] = colours;
    for (int i = 0; i < like->layout.rank; i++) shape[i + 1] = like->layout.shape[i];
    return ty_reshape(ty_cast(ty_eq(all, colour), like->dtype), like->layout.rank + 1, shape);
}

/* Return the products, [colours, ..], of the Jacobian of y with the seeds of all colours: vector-Jacobian
   products if from_left, else Jacobian-vector products. Poison on failure. */
static ty_tensor *make_products(struct sparse *s, ty_tensor *y, bool from_left) {
    ty_tensor *x = s->x, *like = from_left ? y : tensor_resolve(x), *products;
    bool promise = y->promise || tensor_resolve(x)->promise;
    ty_tensor *v = stand_in(like, promise), *seeds = make_seeds(s, like, promise), *one;
    if (!ty_ok(v) || !ty_ok(seeds)) return ty_ok(v) ? seeds : v;
    if (from_left)
        ty_vjp(y, v, 1, &x, &one);
    else
        ty_jvp(1, &y, 1, &x, &v, &one);
    if (!ty_ok(one)) return one;
    struct fault fault = {0};
    return batch_all(1, &one, 1, &v, &seeds, s->told.colours, &products, &fault) ? products
                                                                                 : tensor_fault(&fault);
}

/* Free the pattern and the rows. */
static void forget_pattern(struct sparse *s) {
    if (s->pattern) pattern_end(s->pattern);
    mem_free(s->pattern);
    s->pattern = NULL;
    lists_end(&s->rows);
}

/* Compute the products of y's Jacobian, from the left if from_left, and return the entries of the pattern,
   picked from them, as a vector in y's dtype. Frees the pattern. Poison on failure. */
static ty_tensor *pick(struct sparse *s, ty_tensor *y, bool from_left) {
    int64_t none = 0, size;
    forget_pattern(s); /* frees memory for the products */
    if (!s->told.entries) return ty_zeros(s->y->dtype, 1, &none);
    ty_tensor *products = make_products(s, y, from_left);
    if (!ty_ok(products)) return products;
    size = tensor_size(products);
    return ty_cast(ty_gather(ty_reshape(products, 1, &size), s->places, 0), s->y->dtype);
}

/* ---- Jacobian and Hessian ---- */

/* Return the entries of the Jacobian as a vector; poison if their computation failed; NULL, with the fault
   set, if finding them failed. */
static ty_tensor *jacobian(struct sparse *s) {
    bool done =
        check(s, false) && find_pattern(s, s->y) && list_rows(s) && colour_jacobian(s) && place_jacobian(s);
    return done ? pick(s, s->y, s->told.by_rows) : NULL;
}

/* Remove the entries from s->rows whose transpose is not in the pattern: the true Hessian is symmetric.
   False, with the fault set, on failure. */
static bool make_symmetric(struct sparse *s) {
    struct lists *rows = &s->rows, columns;
    if (!lists_transpose(rows, &columns)) return (lists_end(&columns), no_memory(s, s->told.entries));
    int64_t entries = 0, from = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t k = from, c = columns.start[i];
        from = rows->start[i + 1];
        while (k < from && c < columns.start[i + 1]) {
            int32_t a = rows->item[k], b = columns.item[c];
            if (a == b) rows->item[entries++] = a;
            k += a <= b;
            c += b <= a;
        }
        rows->start[i + 1] = entries;
    }
    lists_end(&columns);
    s->told.entries = entries;
    return true;
}

/* Colour the rows of a Hessian into s->colour. False, with the fault set, if memory runs out. */
static bool colour_hessian(struct sparse *s) {
    s->colour = mem_array((size_t)s->rows.n + 1, sizeof *s->colour);
    s->told.colours = s->colour ? colour_stars(&s->rows, s->colour) : -1;
    s->told.by_rows = true;
    return s->told.colours >= 0 || no_memory(s, s->rows.n);
}

/* Return the entries of the Hessian as a vector; poison if their computation failed; NULL, with the fault
   set, if finding them failed. */
static ty_tensor *hessian(struct sparse *s) {
    ty_tensor *gradient;
    if (!check(s, true)) return NULL;
    unused_allow(true); /* the gradient of a linear y is constant */
    ty_grad(s->y, 1, &s->x, &gradient);
    if (!well(s, gradient)) return NULL;
    gradient = tensor_resolve(gradient);
    bool done = find_pattern(s, gradient) && list_rows(s) && make_symmetric(s) && colour_hessian(s) &&
                place_hessian(s);
    return done ? pick(s, gradient, true) : NULL;
}

/* Call `derivative` on y and x and set *values to the vector of entries, *indices to their rows and columns
   [entries, 2] and, unless it is NULL, *sparsity. False on failure: *values and *indices are then poison, in
   the name of function `name`. */
static bool find(const char *name, ty_tensor *(*derivative)(struct sparse *s), ty_tensor *y, ty_tensor *x,
                 ty_tensor **values, ty_tensor **indices, ty_sparsity *sparsity, size_t size) {
    struct fault fault = {0};
    struct sparse s = {.name = name, .y = y, .x = x, .fault = &fault};
    if (!values || !indices) {
        if (values) *values = ty_poison_code(E_ARGUMENT, "%s: the pointer for the indices is NULL", name);
        if (indices) *indices = ty_poison_code(E_ARGUMENT, "%s: the pointer for the values is NULL", name);
        return false;
    }
    ty_scope *scope = ty_open();
    bool unused = unused_allowed();
    *values = derivative(&s);
    unused_allow(unused);
    if (!*values) fault_set(&fault, E_INTERNAL, "%s: failed without a reason", name);
    if (*values && !ty_ok(*values)) fault_tensor_from(&fault, name, *values);
    if (fault.set) *values = s.indices = tensor_fault(&fault);
    *indices = scope ? ty_keep(s.indices) : s.indices;
    if (scope) *values = ty_keep(*values);
    ty_close(scope);
    if (fault.set) s.told = (ty_sparsity){0};
    options_write(sparsity, size, &s.told, sizeof s.told);
    forget_pattern(&s);
    mem_free(s.colour);
    return ty_ok(*values) && ty_ok(*indices);
}

bool ty_sparse_jacobian_sized(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                              ty_sparsity *sparsity, size_t sparsity_size) {
    return find("sparse_jacobian", jacobian, y, x, values, indices, sparsity, sparsity_size);
}

bool ty_sparse_hessian_sized(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices,
                             ty_sparsity *sparsity, size_t sparsity_size) {
    return find("sparse_hessian", hessian, y, x, values, indices, sparsity, sparsity_size);
}

ty_tensor *ty_dense_entries(ty_tensor *values, ty_tensor *indices, int64_t rows, int64_t columns) {
    ty_tensor *operands[] = {values, indices}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (rows < 0 || columns < 0)
        return refuse("dense_entries", 2, operands, E_ARGUMENT,
                      "%lld rows and %lld columns; expected 0 or more", (long long)rows, (long long)columns);
    if (ty_rank(indices) != 2 || ty_shape(indices)[1] != 2)
        return refuse("dense_entries", 2, operands, E_ARGUMENT,
                      "the indices must be [entries,2], a row and a column for each entry");
    ty_scope *scope = ty_open();
    ty_tensor *zeros = ty_zeros(ty_dtype_of(values), 2, (int64_t[]){rows, columns});
    ty_tensor *dense = ty_scatter_nd(zeros, indices, values, TY_SCATTER_SET);
    return leave_as("dense_entries", scope, values, dense);
}
