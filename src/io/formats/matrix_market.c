/*
 * Matrix Market's exchange format: a banner, comments, a line of sizes, then a line for each entry. An entry is
 * two coordinates and a value, or in dense files the value alone, column by column. The whole text is held, and
 * declared sizes are compared with it before memory is allocated.
 */
#include <complex.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include "array/number_format.h"
#include "array/progress.h"
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/ascii.h"
#include "base/machine/floating.h"
#include "base/list.h"
#include "io/archive.h"
#include "io/formats/matrix_market.h"
#include "io/formats/sparse_files.h"

static const char *const fields[MARKET_FIELDS] = {"real", "integer", "unsigned-integer", "complex",
                                                  "pattern"};
static const char *const symmetries[MARKET_SYMMETRIES] = {"general", "symmetric", "skew-symmetric",
                                                          "hermitian"};

/* ---- text ---- */

static bool wrong(const struct market *m, const char *found, size_t n, const char *expected) {
    return fault_set(m->fault, E_FORMAT, "%s: line %lld: found \"%.*s\", expected %s", m->name,
                     (long long)m->line, (int)(n < 40 ? n : 40), found, expected);
}

/* Set *text and *n to the next line, trimmed, that is neither empty nor a comment; line 1 may begin with %.
   The text lies in the file's bytes. Return false at the end. */
static bool next_line(struct market *m, const char **text, size_t *n) {
    while (m->at < m->end) {
        const char *stop = memchr(m->at, '\n', (size_t)(m->end - m->at));
        *text = m->at;
        *n = (size_t)((stop ? stop : m->end) - m->at);
        m->at = stop ? stop + 1 : m->end;
        m->line++;
        while (*n && strchr(" \t\r", (*text)[*n - 1]) && (*text)[*n - 1]) --*n;
        while (*n && (**text == ' ' || **text == '\t')) ++*text, --*n;
        if (*n && (**text != '%' || m->line == 1)) return true;
    }
    return false;
}

/* Set *word to the next word of the line *text of *n bytes, return its length, 0 at the end, and advance
   *text and *n past it. */
static size_t next_word(const char **text, size_t *n, const char **word) {
    while (*n && (**text == ' ' || **text == '\t')) ++*text, --*n;
    *word = *text;
    while (*n && **text != ' ' && **text != '\t') ++*text, --*n;
    return (size_t)(*text - *word);
}

static bool is_word(const char *word, size_t n, const char *name) {
    size_t i = 0;
    while (i < n && name[i] && ascii_lower(word[i]) == name[i]) i++;
    return i == n && !name[i];
}

static int find_word(const char *word, size_t n, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (is_word(word, n, names[i])) return i;
    return count;
}

/* ---- numbers ---- */

static bool read_number(struct market *m, const char **text, size_t *n, const char *what,
                        struct number *out) {
    const char *word;
    size_t length = next_word(text, n, &word);
    return (length && number_read(word, length, out) == length) || wrong(m, word, length, what);
}

/* Parse a 64-bit integer, signed if `with_sign`, off the line *text of *n bytes, which advance, into the
   bits of *out. False sets the fault, which says that `what` is expected. */
static bool read_whole(struct market *m, const char **text, size_t *n, bool with_sign, const char *what,
                       int64_t *out) {
    const char *before = *text, *word;
    size_t left = *n;
    struct number number;
    if (!read_number(m, text, n, what, &number)) return false;
    uint64_t most = !with_sign        ? (number.negative ? 0 : UINT64_MAX)
                    : number.negative ? (uint64_t)INT64_MAX + 1
                                      : (uint64_t)INT64_MAX;
    *out = (int64_t)(number.negative ? -number.size : number.size);
    if (number.whole && number.size <= most) return true;
    size_t length = next_word(&before, &left, &word);
    return wrong(m, word, length, what);
}

static bool read_size(struct market *m, const char **text, size_t *n, const char *what, int64_t *out) {
    return read_whole(m, text, n, true, what, out);
}

/* Parse a real number off the line *text of *n bytes, which advance, into *out; false sets the fault. */
static bool read_real(struct market *m, const char **text, size_t *n, double *out) {
    struct number number = {0};
    bool read = read_number(m, text, n, "a number", &number);
    *out = number.value;
    return read;
}

static bool read_end(struct market *m, const char *text, size_t n) {
    const char *word;
    size_t length = next_word(&text, &n, &word);
    return !length || wrong(m, word, length, "the end of the line");
}

/* ---- header ---- */

/* Parse a word off the line *text of *n bytes, which advance, and set *found to its index among
   names[count], which are lower case; the case of the word is ignored. False sets the fault, which says that
   `what` is expected. */
static bool read_word(struct market *m, const char **text, size_t *n, const char *what,
                      const char *const *names, int count, int *found) {
    const char *word;
    size_t length = next_word(text, n, &word);
    *found = find_word(word, length, names, count);
    return *found < count || wrong(m, word, length, what);
}

/* Parse the first line into m's layout (array or coordinate), field and symmetry; false sets the fault. */
static bool read_banner(struct market *m) {
    static const char *const first[] = {"%%matrixmarket"}, *const second[] = {"matrix"},
                             *const forms[] = {"coordinate", "array"};
    const char *text, *word;
    size_t n;
    int found;
    if (!next_line(m, &text, &n)) return fault_set(m->fault, E_FORMAT, "%s: is empty", m->name);
    if (!read_word(m, &text, &n, first[0], first, 1, &found) ||
        !read_word(m, &text, &n, second[0], second, 1, &found) ||
        !read_word(m, &text, &n, "coordinate or array", forms, 2, &found))
        return false;
    m->array = found;
    size_t length = next_word(&text, &n, &word);
    m->field = is_word(word, length, "double") ? MARKET_REAL : find_word(word, length, fields, MARKET_FIELDS);
    if (m->field == MARKET_FIELDS || (m->array && m->field == MARKET_PATTERN))
        return wrong(m, word, length,
                     m->array ? "real, integer, unsigned-integer or complex"
                              : "real, integer, unsigned-integer, complex or pattern");
    return read_word(m, &text, &n, "general, symmetric, skew-symmetric or hermitian", symmetries,
                     MARKET_SYMMETRIES, &m->symmetry) &&
           read_end(m, text, n);
}

/* Return the number of values that a dense file stores: all, or the lower triangle of a symmetric kind,
   without the diagonal if it is skew-symmetric. INT64_MAX on overflow. */
static int64_t array_entries(const struct market *m) {
    int64_t n = m->rows, entries;
    bool large = m->symmetry == MARKET_GENERAL
                     ? __builtin_mul_overflow(n, m->columns, &entries)
                     : __builtin_mul_overflow(n, m->symmetry == MARKET_SKEW ? n - 1 : n + 1, &entries);
    if (large) return INT64_MAX;
    return m->symmetry == MARKET_GENERAL ? entries : entries / 2;
}

/* Parse the line of sizes into m's rows, columns and entries; false sets the fault, also if the file is too
   short for the entries. */
static bool read_sizes(struct market *m) {
    const char *text;
    size_t n;
    if (!next_line(m, &text, &n))
        return fault_set(m->fault, E_FORMAT, "%s: ends before the line of sizes", m->name);
    if (!read_size(m, &text, &n, "the number of rows", &m->rows) ||
        !read_size(m, &text, &n, "the number of columns", &m->columns) ||
        (!m->array && !read_size(m, &text, &n, "the number of entries", &m->entries)) ||
        !read_end(m, text, n))
        return false;
    if (m->rows < 0 || m->columns < 0 || m->entries < 0)
        return fault_set(m->fault, E_FORMAT, "%s: line %lld: a size is negative", m->name,
                         (long long)m->line);
    if (m->symmetry != MARKET_GENERAL && m->rows != m->columns)
        return fault_set(m->fault, E_FORMAT, "%s: %lld by %lld, and %s; expected a square matrix", m->name,
                         (long long)m->rows, (long long)m->columns, symmetries[m->symmetry]);
    if (m->array) m->entries = array_entries(m);
    static const int64_t places[] = {[MARKET_REAL] = 6,
                                     [MARKET_INTEGER] = 6,
                                     [MARKET_UNSIGNED] = 6,
                                     [MARKET_COMPLEX] = 8,
                                     [MARKET_PATTERN] = 4}; /* shortest line, "1 1 1" and a line break */
    int64_t least = m->array ? places[m->field] - 4 : places[m->field], fits = (m->end - m->at + 1) / least;
    return m->entries <= fits ||
           fault_set(m->fault, E_FORMAT,
                     "%s: is truncated: %lld entries are declared, but the rest holds at most %lld", m->name,
                     (long long)m->entries, (long long)fits);
}

bool market_read_head(struct market *m) { return read_banner(m) && read_sizes(m); }

ty_dtype market_dtype(const struct market *m) {
    static const ty_dtype dtypes[MARKET_FIELDS] = {TY_F64, TY_I64, TY_U64, TY_C128, TY_F64};
    return dtypes[m->field];
}

/* ---- entries ---- */

/* Append an entry with value v at (row, column), both from 0, to m->indices and m->values, which must have
   room. */
static void put(struct market *m, int64_t row, int64_t column, union market_value v) {
    m->indices[2 * m->count] = row;
    m->indices[2 * m->count + 1] = column;
    if (m->field == MARKET_COMPLEX)
        ((double complex *)m->values)[m->count] = v.z;
    else
        memcpy((int64_t *)m->values + m->count, &v, sizeof(int64_t));
    m->count++;
}

/* Return true if (row, column), both from 1, is inside the matrix and, in a file of a symmetric kind, in
   its lower triangle (below the diagonal for skew-symmetric ones); else set the fault. */
static bool check_place(const struct market *m, int64_t row, int64_t column) {
    if (row < 1 || row > m->rows || column < 1 || column > m->columns)
        return fault_set(
            m->fault, E_FORMAT,
            "%s: line %lld: row %lld, column %lld is out of bounds for %lld by %lld, counted from 1", m->name,
            (long long)m->line, (long long)row, (long long)column, (long long)m->rows, (long long)m->columns);
    if (m->symmetry != MARKET_GENERAL && (row < column || (row == column && m->symmetry == MARKET_SKEW)))
        return fault_set(
            m->fault, E_FORMAT,
            "%s: line %lld: row %lld, column %lld is not below the diagonal, and the matrix is %s: "
            "its other half is not in the file",
            m->name, (long long)m->line, (long long)row, (long long)column, symmetries[m->symmetry]);
    return true;
}

/* Parse a value of the file's field off the line *text of *n bytes, which advance, into *v. Patterns have
   value 1; numbers that some writers put behind their coordinates are ignored. False sets the fault. */
static bool read_value(struct market *m, const char **text, size_t *n, union market_value *v) {
    double unused;
    switch (m->field) {
    case MARKET_INTEGER:
        return read_whole(m, text, n, true, "a whole number of 64 bits", &v->whole);
    case MARKET_UNSIGNED:
        return read_whole(m, text, n, false, "a whole number of 64 bits without a sign", &v->whole);
    case MARKET_COMPLEX:
        return read_real(m, text, n, &v->parts[0]) && read_real(m, text, n, &v->parts[1]);
    case MARKET_PATTERN:
        v->real = 1;
        while (*n && strspn(*text, " \t") < *n)
            if (!read_real(m, text, n, &unused)) return false;
        return true;
    default:
        return read_real(m, text, n, &v->real);
    }
}

/* Turn *v in place into the value of the transposed entry: conjugated, negated or the same, as m->symmetry
   says. False sets the fault if the negated integer does not fit 64 bits. */
static bool mirror(struct market *m, union market_value *v) {
    if (m->symmetry == MARKET_HERMITIAN && m->field == MARKET_COMPLEX) v->z = conj(v->z);
    if (m->symmetry != MARKET_SKEW) return true;
    if (m->field == MARKET_COMPLEX)
        v->z = -v->z;
    else if (m->field == MARKET_REAL || m->field == MARKET_PATTERN)
        v->real = -v->real;
    else if ((m->field == MARKET_UNSIGNED && v->whole) || v->whole == INT64_MIN)
        return fault_set(m->fault, E_FORMAT, "%s: line %lld: the negated value does not fit %s of 64 bits",
                         m->name, (long long)m->line, fields[m->field]);
    else
        v->whole = -v->whole;
    return true;
}

static bool next_entry(struct market *m, int64_t read, const char **text, size_t *n) {
    return next_line(m, text, n) ||
           fault_set(m->fault, E_FORMAT, "%s: is truncated: it ends after %lld of %lld entries", m->name,
                     (long long)read, (long long)m->entries);
}

/* Parse a line of n bytes as an entry and append it, and for symmetric files its mirror image; false sets
   the fault. */
static bool read_entry(struct market *m, const char *text, size_t n) {
    int64_t row, column;
    union market_value v = {0};
    if (!read_size(m, &text, &n, "a row", &row) || !read_size(m, &text, &n, "a column", &column) ||
        !check_place(m, row, column) || !read_value(m, &text, &n, &v) || !read_end(m, text, n))
        return false;
    put(m, row - 1, column - 1, v);
    if (m->symmetry == MARKET_GENERAL || row == column) return true;
    if (!mirror(m, &v)) return false;
    put(m, column - 1, row - 1, v);
    return true;
}

/* Allocate m->values for n values and, if requested, m->indices for their coordinates; false sets the
   fault, also above the limit m->most. */
static bool make_room(struct market *m, size_t n, bool with_indices) {
    size_t each = dtype_table[market_dtype(m)].size, pair = with_indices ? 2 * sizeof *m->indices : 0;
    /* cannot overflow: entries are fewer than bytes of text */
    uint64_t bytes = ((uint64_t)n + 1) * (each + pair);
    if (m->most && bytes > m->most)
        return fault_set(m->fault, E_LIMIT,
                         "%s: its values would take %llu bytes, more than the allowed %llu", m->name,
                         (unsigned long long)bytes, (unsigned long long)m->most);
    m->values = mem_array(n + 1, each);
    m->indices = with_indices ? mem_array(n + 1, pair) : NULL;
    return (m->values && (m->indices || !with_indices)) || fault_memory(m->fault, (size_t)bytes);
}

bool market_read_entries(struct market *m) {
    const char *text;
    size_t n;
    if (!make_room(m, (size_t)m->entries * (m->symmetry == MARKET_GENERAL ? 1 : 2), true)) return false;
    for (int64_t i = 0; i < m->entries; i++)
        if (!next_entry(m, i, &text, &n) || !read_entry(m, text, n)) return false;
    return !next_line(m, &text, &n) || wrong(m, text, n, "the end, after all entries,");
}

/* ---- arrays ---- */

/* Store v as element (row, column), both from 0, of the dense row-major matrix `dense` of the file's shape
   and dtype. */
static void place(const struct market *m, void *dense, int64_t row, int64_t column, union market_value v) {
    size_t size = dtype_table[market_dtype(m)].size;
    memcpy((char *)dense + (size_t)(row * m->columns + column) * size, &v, size);
}

bool market_read_array(struct market *m, void *dense) {
    const char *text;
    size_t n;
    int64_t read = 0, columns = m->rows ? m->columns : 0;
    for (int64_t column = 0; column < columns; column++) {
        int64_t first = m->symmetry == MARKET_GENERAL ? 0 : column + (m->symmetry == MARKET_SKEW);
        for (int64_t row = first; row < m->rows; row++, read++) {
            union market_value v = {0};
            if (!next_entry(m, read, &text, &n) || !read_value(m, &text, &n, &v) || !read_end(m, text, n))
                return false;
            place(m, dense, row, column, v);
            if (m->symmetry == MARKET_GENERAL || row == column) continue;
            if (!mirror(m, &v)) return false;
            place(m, dense, column, row, v);
        }
    }
    return !next_line(m, &text, &n) || wrong(m, text, n, "the end, after all values,");
}

static bool is_zero(const struct market *m, const void *value) {
    const double *parts = value;
    if (m->field == MARKET_INTEGER || m->field == MARKET_UNSIGNED) return *(const int64_t *)value == 0;
    return parts[0] == 0 && (m->field != MARKET_COMPLEX || parts[1] == 0);
}

/* Read a dense file into m->values and m->indices, as its m->count nonzero values with their coordinates in
   row-major order. False sets the fault. */
static bool read_sparse_array(struct market *m) {
    size_t n = (size_t)(m->rows * m->columns), size = dtype_table[market_dtype(m)].size;
    if (!make_room(m, n, true) || !market_read_array(m, m->values)) return false;
    char *to = m->values;
    const char *from = m->values;
    for (size_t i = 0; i < n; i++, from += size) {
        if (is_zero(m, from)) continue;
        if (to != from) memcpy(to, from, size);
        m->indices[2 * m->count] = (int64_t)i / m->columns;
        m->indices[2 * m->count++ + 1] = (int64_t)i % m->columns;
        to += size;
    }
    return true;
}

/* Return the sparse matrix in COO described by the n bytes of a Matrix Market file. Its `name` is for
   messages; it may take at most `most` bytes unpacked (0: any). Failures set the fault; the result is
   then not to be used. */
static ty_sparse parse(const char *name, const void *bytes, size_t n, uint64_t most, struct fault *fault) {
    struct market m = {
        .name = name, .at = bytes, .end = (const char *)bytes + n, .most = most, .fault = fault};
    ty_sparse a = {.form = TY_COO};
    if (market_read_head(&m) && (m.array ? read_sparse_array(&m) : market_read_entries(&m))) {
        ty_tensor *indices = ty_from(TY_I64, 2, (int64_t[]){m.count, 2}, m.indices);
        if (m.rows <= INT32_MAX && m.columns <= INT32_MAX) indices = ty_cast(indices, TY_I32);
        a = ty_sparse_coo(ty_from(market_dtype(&m), 1, &m.count, m.values), indices, m.rows, m.columns);
        if (!ty_sparse_ok(a))
            fault_set(fault, code_of_contents(ty_error_code(ty_sparse_failure(a))), "%s: %s", name,
                      ty_sparse_error(a));
    }
    market_drop(&m);
    return a;
}

void market_drop(struct market *m) {
    mem_free(m->indices);
    mem_free(m->values);
}

ty_sparse ty_matrix_market_parse(const void *bytes, size_t n) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_sparse a = {0};
    ty_scope *scope = ty_open();
    if (bytes)
        a = parse("matrix_market_parse", bytes, n, 0, &fault);
    else
        fault_set(&fault, E_ARGUMENT, "matrix_market_parse: the pointer to bytes is NULL");
    return sparse_read_end(scope, a, &fault);
}

char *market_text(struct input *in, const ty_file_options *options, size_t *n, struct fault *fault) {
    enum { PIECE = 1 << 16 };
    char *bytes = NULL;
    size_t got = PIECE, room = 0;
    for (*n = 0; in && got == PIECE; *n += got) {
        bool fits = list_reserve(bytes, *n + PIECE, room) || fault_memory(fault, *n + PIECE);
        if (!fits || !input_read(in, *n, bytes + *n, PIECE, &got, fault) ||
            (!in->exact && *n > unpack_limit(in, options) && !unpack_refuse(in, options, *n, fault)))
            break;
    }
    return bytes;
}

ty_sparse ty_matrix_market_load(const char *path) {
    PROGRESS_NAMED("read");
    static const ty_file_options options;
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_sparse a = {0};
    size_t n = 0;
    ty_scope *scope = ty_open();
    if (!path) fault_set(&fault, E_ARGUMENT, "matrix_market_load: the path is NULL");
    struct input *in = path ? input_unwrap(input_stream(path, 0, &fault), &fault) : NULL;
    char *bytes = market_text(in, &options, &n, &fault);
    if (!fault.set)
        a = parse(path, bytes ? bytes : "", n, in->exact ? 0 : unpack_limit(in, &options), &fault);
    input_close(in);
    mem_free(bytes);
    return sparse_read_end(scope, a, &fault);
}

/* ---- writing ---- */

const char *market_field(ty_dtype dtype) {
    return fields[dtype_is(dtype, CLASS_COMPLEX)   ? MARKET_COMPLEX
                  : dtype == TY_U64                ? MARKET_UNSIGNED
                  : dtype_is(dtype, CLASS_INTEGER) ? MARKET_INTEGER
                  : dtype == TY_BOOL               ? MARKET_INTEGER
                                                   : MARKET_REAL];
}

void market_add_value(struct text *t, ty_dtype dtype, const void *from) {
    struct element e = element_load(dtype, from), imaginary = e;
    ty_dtype real = dtype_table[dtype].real;
    if (dtype == TY_BOOL || dtype_is(dtype, CLASS_INTEGER)) {
        text_add(t, dtype == TY_U64 ? "%llu" : "%lld", (unsigned long long)e.i);
        return;
    }
    e.z = creall(e.z);
    number_add_scalar(t, real, e);
    if (!dtype_is(dtype, CLASS_COMPLEX)) return;
    imaginary.z = cimagl(imaginary.z);
    text_add(t, " ");
    number_add_scalar(t, real, imaginary);
}

/* Write the matrix a, COO with i64 indices and computed values, to `out` as lines "row column value",
   counted from 1. False sets the fault. */
static bool write_text(struct output *out, const ty_sparse *a, struct fault *fault) {
    enum { PIECE = 1 << 16 };
    struct text t = {0};
    ty_dtype dtype = ty_dtype_of(a->values);
    int64_t n = ty_size(a->values);
    size_t size = dtype_table[dtype].size;
    const int64_t *indices = ty_data(a->indices);
    const char *values = ty_data(a->values);
    text_add(&t, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n", market_field(dtype),
             (long long)a->rows, (long long)a->columns, (long long)n);
    bool done = true;
    for (int64_t e = 0; e < n && done; e++) {
        text_add(&t, "%lld %lld ", (long long)indices[2 * e] + 1, (long long)indices[2 * e + 1] + 1);
        market_add_value(&t, dtype, values + (size_t)e * size);
        text_add(&t, "\n");
        if (t.length > PIECE) done = output_text(out, &t);
    }
    done = done && (!t.failed || fault_memory(fault, t.length)) && output_text(out, &t);
    text_drop(&t);
    return done;
}

bool ty_matrix_market_save(const char *path, ty_sparse a, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct output out;
    ty_scope *scope = ty_open();
    a = ty_sparse_as(a, TY_COO);
    if (ty_ok(a.indices)) a.indices = ty_cast(a.indices, TY_I64);
    bool done = (path || fault_set(&fault, E_ARGUMENT, "matrix_market_save: the path is NULL")) &&
                sparse_values("matrix_market_save", &a, &fault) && output_to_path(&out, path, &fault);
    if (done) {
        done = write_text(&out, &a, &fault);
        done = output_end(&out, done) && done;
    }
    ty_close(scope);
    if (!done && error) *error = tensor_fault(&fault);
    return done;
}
