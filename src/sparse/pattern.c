/* Patterns of sparse matrices: reading, checking, sorting, compressing. */
#include "array/remote.h"
#include "sparse/pattern.h"
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/sparse/sparse.h"

enum { SHORT = 24 }; /* longest line sorted by insertion */

/* ---- calls ---- */

struct sparse_call sparse_open(const char *name) {
    return (struct sparse_call){.name = name, .scope = ty_open()};
}

/* Return a matrix whose tensors are all the poison `bad`. */
static ty_sparse sparse_poison(ty_tensor *bad) {
    return (ty_sparse){.values = bad, .indices = bad, .starts = bad};
}

bool sparse_well(struct sparse_call *call, ty_tensor *x) {
    return ty_ok(x) || fault_tensor(&call->fault, tensor_of(x));
}

bool sparse_no_memory(struct sparse_call *call, int64_t elements) {
    return fault_memory(&call->fault, (size_t)elements * sizeof(int64_t));
}

static ty_tensor *sentence(const struct sparse_call *call) {
    size_t n = strlen(call->name);
    bool named = !strncmp(call->fault.text, call->name, n) && call->fault.text[n] == ':';
    return named ? tensor_fault(&call->fault)
                 : ty_poison_code(call->fault.code, "%s: %s", call->name, call->fault.text);
}

ty_tensor *sparse_close_tensor(struct sparse_call *call, ty_tensor *result) {
    if (!call->fault.set) sparse_well(call, result);
    return leave(call->scope, call->fault.set ? sentence(call) : tensor_share(result));
}

void sparse_close_all(struct sparse_call *call, int n, ty_tensor **results) {
    for (int i = 0; i < n && !call->fault.set; i++) sparse_well(call, results[i]);
    ty_tensor *bad = call->fault.set ? sentence(call) : NULL;
    for (int i = 0; i < n; i++) results[i] = tensor_share(bad ? bad : results[i]);
    for (int i = 0; i < n && call->scope; i++) results[i] = ty_keep(results[i]);
    ty_close(call->scope);
}

ty_sparse sparse_close(struct sparse_call *call, ty_sparse result) {
    ty_tensor *all[] = {result.values, result.indices, result.starts};
    bool coo = result.form == TY_COO && !call->fault.set;
    sparse_close_all(call, coo ? 2 : 3, all);
    for (int i = 0; i < (coo ? 2 : 3); i++) /* keeping may need memory */
        if (!ty_ok(all[i])) return sparse_poison(all[i]);
    result.values = all[0];
    result.indices = all[1];
    result.starts = coo ? NULL : all[2];
    return result;
}

/* ---- consistency of the struct ---- */

/* Return NULL if the tensors of a have the dtypes and shapes of its format, else poison that begins with
   `name`. */
static ty_tensor *refuse_tensors(const char *name, const ty_sparse *a) {
    char words[WORDS];
    ty_tensor *all[] = {a->values, a->indices, a->starts}, *bad;
    if ((bad = first_poison_in(name, a->form == TY_COO ? 2 : 3, all))) return bad;
    if (ty_rank(a->values) != 1)
        return ty_poison_code(E_SHAPE, "%s: values are %s; expected a vector", name,
                              tensor_describe_into(words, sizeof words, a->values));
    if (ty_dtype_of(a->values) == TY_BOOL)
        return ty_poison_code(E_DTYPE, "%s: values are bool; use ty_cast", name);
    if (ty_dtype_of(a->indices) != TY_I32 && ty_dtype_of(a->indices) != TY_I64)
        return ty_poison_code(E_DTYPE, "%s: indices are %s; expected i32 or i64", name,
                              tensor_describe_into(words, sizeof words, a->indices));
    int64_t n = ty_size(a->values);
    bool pairs = a->form == TY_COO;
    bool fits = ty_rank(a->indices) == 1 + pairs && ty_shape(a->indices)[0] == n &&
                (!pairs || ty_shape(a->indices)[1] == 2);
    return fits ? NULL
                : ty_poison_code(E_ARGUMENT, "%s: indices are %s for %lld values; expected %s", name,
                                 tensor_describe_into(words, sizeof words, a->indices), (long long)n,
                                 pairs ? "[values,2]" : "one for each");
}

/* Return NULL if the struct is consistent, whatever its indices are; else poison whose message begins with
   `name`. */
static ty_tensor *sparse_refuse(const char *name, const ty_sparse *a) {
    char words[WORDS];
    if (!a->values)
        return ty_poison_code(E_ARGUMENT, "%s: values are NULL: a struct of zeros is not a matrix", name);
    if (!ty_ok(a->values)) return first_poison_in(name, 1, &a->values);
    ty_tensor *stored = refuse_stored(name, 1, &a->values);
    if (stored) return stored;
    if ((unsigned)a->form >= TY_SPARSE_FORMS)
        return ty_poison_code(E_ARGUMENT, "%s: unknown form %d; expected TY_COO, TY_CSR or TY_CSC", name,
                              (int)a->form);
    if (a->rows < 0 || a->columns < 0)
        return ty_poison_code(E_ARGUMENT, "%s: %lld rows and %lld columns; expected 0 or more", name,
                              (long long)a->rows, (long long)a->columns);
    ty_tensor *bad = refuse_tensors(name, a);
    if (bad || a->form == TY_COO) return bad;
    int64_t lines = a->form == TY_CSR ? a->rows : a->columns;
    if (ty_dtype_of(a->starts) == TY_I64 && ty_rank(a->starts) == 1 && lines < INT64_MAX &&
        ty_shape(a->starts)[0] == lines + 1)
        return NULL;
    return ty_poison_code(E_DTYPE, "%s: starts are %s for %lld %s; expected i64, one more than these", name,
                          tensor_describe_into(words, sizeof words, a->starts), (long long)lines,
                          a->form == TY_CSR ? "rows" : "columns");
}

bool sparse_check(struct sparse_call *call, const ty_sparse *a) {
    ty_tensor *bad = sparse_refuse(call->name, a);
    return !bad || sparse_well(call, bad);
}

ty_dtype sparse_dtype(struct sparse_call *call, ty_tensor *values, ty_tensor *x) {
    if (!sparse_well(call, values) || !sparse_well(call, x)) return TY_DTYPES;
    ty_dtype dtype =
        tensor_resolve(x)->weak ? ty_dtype_of(values) : ty_promote(ty_dtype_of(values), ty_dtype_of(x));
    return dtype;
}

ty_tensor *sparse_gather(ty_tensor *values, ty_tensor *places) { return ty_gather(values, places, 0); }

bool sparse_room(struct sparse_call *call, int64_t n, struct sparse_numbers *out) {
    static int64_t none;
    out->tensor = ty_empty(TY_I64, 1, &n);
    if (!sparse_well(call, out->tensor)) return false;
    out->data = n ? tensor_data(out->tensor) : &none;
    return true;
}

/* ---- reading patterns ---- */

/* Return the elements of an integer tensor x as a contiguous i64 array, owned by the call's scope. NULL, with
   the fault set, on failure. Sets p->varies to true if x depends on a variable. */
static const int64_t *read_numbers(struct sparse_call *call, ty_tensor *x, struct pattern_of *p) {
    static const int64_t none;
    x = value_now(call->name, x);
    if (!sparse_well(call, x)) return NULL;
    p->varies |= x->varies;
    x = at_home(ty_contiguous(ty_cast(x, TY_I64)));
    if (!sparse_well(call, x)) return NULL;
    return ty_size(x) ? tensor_data(tensor_resolve(x)) : &none;
}

static bool place_outside(struct sparse_call *call, int64_t e, int64_t row, int64_t column,
                          const ty_sparse *a) {
    return fault_set(&call->fault, E_INDEX,
                     "%s: entry %lld is at row %lld, column %lld, out of bounds for %lld by %lld", call->name,
                     (long long)e, (long long)row, (long long)column, (long long)a->rows,
                     (long long)a->columns);
}

/* Read the positions of COO into p->row and p->column. False, with the fault set, on failure or if one is
   outside the matrix. */
static bool read_coo(struct sparse_call *call, const ty_sparse *a, struct pattern_of *p) {
    struct sparse_numbers row, column;
    const int64_t *pairs = read_numbers(call, a->indices, p);
    if (!pairs || !sparse_room(call, p->entries, &row) || !sparse_room(call, p->entries, &column))
        return false;
    p->row = row.data;
    p->column = column.data;
    for (int64_t e = 0; e < p->entries; e++) {
        if (!sparse_goes_on(call, e)) return false;
        int64_t i = row.data[e] = pairs[2 * e], j = column.data[e] = pairs[2 * e + 1];
        if (i < 0 || i >= a->rows || j < 0 || j >= a->columns) return place_outside(call, e, i, j, a);
    }
    return true;
}

static bool starts_fall(struct sparse_call *call, const struct pattern_of *p, int64_t i, const char *line) {
    return fault_set(&call->fault, E_DOMAIN,
                     "%s: the entries of %s %lld are %lld..%lld of %lld; starts must not decrease",
                     call->name, line, (long long)i, (long long)p->starts[i], (long long)p->starts[i + 1] - 1,
                     (long long)p->entries);
}

/* Read the indices and starts of CSR or CSC into p, with row and column per entry. False, with the fault set,
   on failure or if one is invalid. */
static bool read_lines(struct sparse_call *call, const ty_sparse *a, struct pattern_of *p) {
    bool csr = a->form == TY_CSR;
    int64_t most = csr ? a->columns : a->rows;
    struct sparse_numbers line;
    p->lines = csr ? a->rows : a->columns;
    if (!(p->indices = read_numbers(call, a->indices, p)) ||
        !(p->starts = read_numbers(call, a->starts, p)) || !sparse_room(call, p->entries, &line))
        return false;
    p->row = csr ? line.data : p->indices;
    p->column = csr ? p->indices : line.data;
    if (p->starts[0] != 0 || p->starts[p->lines] != p->entries)
        return fault_set(
            &call->fault, E_DOMAIN,
            "%s: starts begin with %lld and end with %lld; they must begin with 0 and end with %lld, the "
            "number of entries",
            call->name, (long long)p->starts[0], (long long)p->starts[p->lines], (long long)p->entries);
    for (int64_t i = 0; i < p->lines; i++) {
        if (!sparse_goes_on(call, i)) return false;
        if (p->starts[i + 1] < p->starts[i] || p->starts[i + 1] > p->entries)
            return starts_fall(call, p, i, csr ? "row" : "column");
        for (int64_t e = p->starts[i]; e < p->starts[i + 1]; e++) {
            int64_t other = p->indices[e];
            line.data[e] = i;
            if (other < 0 || other >= most) return place_outside(call, e, p->row[e], p->column[e], a);
        }
    }
    return true;
}

bool sparse_pattern(struct sparse_call *call, const ty_sparse *a, struct pattern_of *p) {
    *p = (struct pattern_of){0};
    if (!sparse_check(call, a)) return false;
    p->entries = ty_size(a->values);
    return (a->form == TY_COO ? read_coo : read_lines)(call, a, p);
}

bool sparse_follows(struct sparse_call *call, const struct pattern_of *p, const ty_sparse *a) {
    if (!p->varies || !tensor_resolve(a->values)->promise) return true;
    return fault_set(&call->fault, E_STATE,
                     "%s: the indices were read from a variable (ty_var) during recording, and the result "
                     "would not follow it; ty_eval them to fix today's values",
                     call->name);
}

ty_tensor *sparse_numbers(int64_t n, const int64_t *numbers, const ty_sparse *like) {
    ty_tensor *x = ty_from(TY_I64, 1, &n, numbers);
    return like ? ty_cast(x, ty_dtype_of(like->indices)) : x;
}

bool sparse_read(struct sparse_call *call, ty_tensor *x, ty_dtype dtype, void *out) {
    x = ty_cast(x, dtype); /* here, since its failure may have another reason than memory */
    return sparse_well(call, x) && (ty_read(x, dtype, out) || sparse_no_memory(call, ty_size(x)));
}

/* ---- sorting ---- */

void sparse_sort(int64_t n, int64_t *numbers, int64_t *room) {
    bool sorted = true;
    for (int64_t i = 1; i < n; i++) sorted = sorted && numbers[i - 1] <= numbers[i];
    if (sorted) return;
    if (n <= SHORT) {
        for (int64_t i = 1; i < n; i++) {
            int64_t at = i, x = numbers[i];
            for (; at > 0 && numbers[at - 1] > x; at--) numbers[at] = numbers[at - 1];
            numbers[at] = x;
        }
        return;
    }
    int64_t half = n / 2;
    sparse_sort(half, numbers, room);
    sparse_sort(n - half, numbers + half, room);
    memcpy(room, numbers, (size_t)half * sizeof *room);
    for (int64_t i = 0, j = half, k = 0; i < half; k++)
        numbers[k] = j < n && numbers[j] < room[i] ? numbers[j++] : room[i++];
}

/* Sort the n entries of one line by place[], their index in the line, in place and stably, and permute
   order[] alike. room[] is scratch for n integers. */
static void sort_line(int64_t n, int64_t *place, int64_t *order, int64_t *room) {
    if (n <= SHORT) {
        for (int64_t i = 1; i < n; i++) {
            int64_t at = i, x = place[i], which = order[i];
            for (; at > 0 && place[at - 1] > x; at--) {
                place[at] = place[at - 1];
                order[at] = order[at - 1];
            }
            place[at] = x;
            order[at] = which;
        }
        return;
    }
    int64_t half = n / 2, *more = room + half;
    sort_line(half, place, order, room);
    sort_line(n - half, place + half, order + half, room);
    memcpy(room, place, (size_t)half * sizeof *room);
    memcpy(more, order, (size_t)half * sizeof *room);
    for (int64_t i = 0, j = half, k = 0; i < half; k++) {
        bool second = j < n && place[j] < room[i];
        place[k] = second ? place[j] : room[i];
        order[k] = second ? order[j] : more[i];
        j += second;
        i += !second;
    }
}

/* ---- compressing ---- */

/* Entries sorted by lines, within a line by position, and entries of equal position in their old order. */
struct compress {
    int64_t n, lines, unique;
    const int64_t *line, *place;
    bool moved; /* the order of entries changed */
    struct sparse_numbers starts, order, places, first;
};

/* Sort the entries by lines with a stable counting sort; sets c->starts, c->order, the places and c->moved,
   true if the order changed. starts temporarily has one more element. False, with the fault set, at a request to
   stop. */
static bool sort_by_lines(struct sparse_call *call, struct compress *c) {
    int64_t *at = c->starts.data, *order = c->order.data, *places = c->places.data;
    memset(at, 0, (size_t)(c->lines + 2) * sizeof *at);
    for (int64_t e = 0; e < c->n; e++) {
        if (!sparse_goes_on(call, e)) return false;
        at[c->line[e] + 2]++;
        c->moved |= e && c->line[e] < c->line[e - 1];
    }
    for (int64_t i = 0; i <= c->lines; i++) at[i + 1] += at[i];
    for (int64_t e = 0; e < c->n; e++) {
        if (!sparse_goes_on(call, e)) return false;
        int64_t to = at[c->line[e] + 1]++;
        order[to] = e;
        places[to] = c->place[e];
    }
    return true;
}

/* Sort the entries of each line by their index in the line, stably. False, with the fault set, if memory runs
   out, or at a request to stop. */
static bool sort_within(struct sparse_call *call, struct compress *c) {
    struct sparse_numbers room = {0};
    for (int64_t i = 0; i < c->lines; i++) {
        int64_t begin = c->starts.data[i], n = c->starts.data[i + 1] - begin,
                *places = c->places.data + begin;
        bool sorted = true;
        if (!sparse_goes_on(call, i)) return false;
        for (int64_t k = 1; k < n; k++) sorted = sorted && places[k - 1] <= places[k];
        if (sorted) continue;
        c->moved = true;
        if (n > SHORT && !room.data && !sparse_room(call, c->n, &room)) return false;
        sort_line(n, places, c->order.data + begin, room.data);
    }
    return true;
}

/* True if a line, sorted by index, has an index twice. */
static bool has_duplicates(const struct compress *c) {
    for (int64_t i = 0; i < c->lines; i++)
        for (int64_t k = c->starts.data[i] + 1; k < c->starts.data[i + 1]; k++)
            if (c->places.data[k] == c->places.data[k - 1]) return true;
    return false;
}

/* Keep each position once and set c->unique to their number; c->first[u] is the index, in c->order, of the
   first entry of position u. False, with the fault set, if memory runs out. */
static bool join_duplicates(struct sparse_call *call, struct compress *c) {
    int64_t *starts = c->starts.data, *places = c->places.data, begin = 0, n = 0;
    if (!sparse_room(call, c->n + 1, &c->first)) return false;
    for (int64_t i = 0; i < c->lines; i++) {
        int64_t end = starts[i + 1], last = 0;
        if (!sparse_goes_on(call, i)) return false;
        starts[i] = n;
        for (int64_t k = begin; k < end; k++) {
            if (k == begin || places[k] != last) c->first.data[n++] = k;
            last = places[n - 1] = places[k];
        }
        begin = end;
    }
    starts[c->lines] = c->unique = n;
    c->first.data[n] = c->n;
    return true;
}

/* Return the values, one per given entry, in the order of the result, with duplicates summed by a product
   with a matrix of ones. Poison on failure. */
static ty_tensor *moved_values(struct compress *c, ty_tensor *values) {
    if (c->unique == c->n) return c->moved ? sparse_gather(values, c->order.tensor) : values;
    ty_dtype dtype = ty_dtype_of(values), computed = dtype_table[dtype].computed;
    ty_tensor *ones = ty_ones(computed, 1, &c->n), *x = ty_expand(ty_cast(values, computed), 1);
    ty_tensor *first = ty_slice(c->first.tensor, 0, 0, c->unique + 1, 1);
    ty_tensor *sums =
        sparse_record((struct sparse_attr){.kind = SPARSE_READ}, ones, x, c->order.tensor, first);
    return ty_ok(sums) ? ty_cast(ty_squeeze(sums, 1), dtype) : sums;
}

ty_sparse sparse_compress(struct sparse_call *call, const ty_sparse *a, ty_sparse_form form, int64_t n,
                          const int64_t *row, const int64_t *column) {
    bool csr = form == TY_CSR;
    struct compress c = {.n = n, .unique = n, .line = csr ? row : column, .place = csr ? column : row};
    ty_sparse out = {.form = form, .rows = a->rows, .columns = a->columns};
    c.lines = csr ? a->rows : a->columns;
    if (c.lines > INT64_MAX / 16) sparse_no_memory(call, c.lines);
    sparse_well(call, a->indices);
    if (call->fault.set || !sparse_room(call, c.lines + 2, &c.starts) || !sparse_room(call, n, &c.order) ||
        !sparse_room(call, n, &c.places))
        return out;
    if (!sort_by_lines(call, &c) || !sort_within(call, &c) ||
        (has_duplicates(&c) && !join_duplicates(call, &c)))
        return out;
    out.values = moved_values(&c, a->values);
    out.indices = ty_cast(ty_slice(c.places.tensor, 0, 0, c.unique, 1), ty_dtype_of(a->indices));
    out.starts = ty_slice(c.starts.tensor, 0, 0, c.lines + 1, 1);
    return out;
}
