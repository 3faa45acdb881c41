/*
 * Matrix Market's exchange format: a line that says what is in the file, comments, a line of sizes, a line for each entry.
 * The whole text is held, and what sizes promise is compared with it before anything is asked for.
 */
#include <complex.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include "array/number_format.h"
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/floating.h"
#include "io/archive.h"
#include "io/sparse_files.h"

enum field { REAL, INTEGER, COMPLEX, PATTERN, FIELDS };
enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN, SYMMETRIES };
static const char *const fields[FIELDS] = {"real", "integer", "complex", "pattern"};
static const char *const symmetries[SYMMETRIES] = {"general", "symmetric", "skew-symmetric", "hermitian"};

struct market {
    const char *name, *at, *end; /* what is left of the text */
    int64_t line;
    struct fault *fault;
    int field, symmetry;
    int64_t rows, columns, entries;
    int64_t count, *indices; /* entries so far, both halves */
    void *values;
};

/* ---- text ---- */

static bool wrong(const struct market *m, const char *found, size_t n, const char *expected) {
    return fault_set(m->fault, "%s: line %lld: \"%.*s\" where %s was expected", m->name, (long long)m->line,
                     (int)(n < 40 ? n : 40), found, expected);
}

/* The next line that is neither empty nor a comment, cut off on both sides; false at the end. */
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

/* The next word of a line. */
static size_t next_word(const char **text, size_t *n, const char **word) {
    while (*n && (**text == ' ' || **text == '\t')) ++*text, --*n;
    *word = *text;
    while (*n && **text != ' ' && **text != '\t') ++*text, --*n;
    return (size_t)(*text - *word);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool is_word(const char *word, size_t n, const char *name) {
    size_t i = 0;
    while (i < n && name[i] && lower(word[i]) == name[i]) i++;
    return i == n && !name[i];
}

static int find_word(const char *word, size_t n, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (is_word(word, n, names[i])) return i;
    return count;
}

/* ---- numbers ---- */

static bool read_whole(struct market *m, const char **text, size_t *n, const char *what, int64_t *out) {
    const char *word;
    struct number number;
    size_t length = next_word(text, n, &word);
    if (!length || number_read(word, length, &number) != length || !number.whole || number.size > INT64_MAX)
        return wrong(m, word, length, what);
    *out = number.negative ? -(int64_t)number.size : (int64_t)number.size;
    return true;
}

static bool read_real(struct market *m, const char **text, size_t *n, double *out) {
    const char *word;
    struct number number;
    size_t length = next_word(text, n, &word);
    if (!length || number_read(word, length, &number) != length) return wrong(m, word, length, "a number");
    *out = number.value;
    return true;
}

/* ---- the first lines ---- */

static bool read_banner(struct market *m) {
    static const char *const words[] = {"%%matrixmarket", "matrix", "coordinate"};
    const char *text, *word;
    size_t n, length;
    if (!next_line(m, &text, &n)) return fault_set(m->fault, "%s: is empty", m->name);
    for (int i = 0; i < 3; i++) {
        length = next_word(&text, &n, &word);
        if (!is_word(word, length, words[i])) return wrong(m, word, length, words[i]);
    }
    length = next_word(&text, &n, &word);
    m->field = is_word(word, length, "double") ? REAL : find_word(word, length, fields, FIELDS);
    if (m->field == FIELDS) return wrong(m, word, length, "real, integer, complex or pattern");
    length = next_word(&text, &n, &word);
    m->symmetry = find_word(word, length, symmetries, SYMMETRIES);
    if (m->symmetry == SYMMETRIES)
        return wrong(m, word, length, "general, symmetric, skew-symmetric or hermitian");
    length = next_word(&text, &n, &word);
    return !length || wrong(m, word, length, "the end of the line");
}

static bool read_sizes(struct market *m) {
    const char *text, *word;
    size_t n;
    if (!next_line(m, &text, &n)) return fault_set(m->fault, "%s: ends before the line of sizes", m->name);
    if (!read_whole(m, &text, &n, "the number of rows", &m->rows) ||
        !read_whole(m, &text, &n, "the number of columns", &m->columns) ||
        !read_whole(m, &text, &n, "the number of entries", &m->entries))
        return false;
    size_t length = next_word(&text, &n, &word);
    if (length) return wrong(m, word, length, "the end of the line");
    if (m->rows < 0 || m->columns < 0 || m->entries < 0)
        return fault_set(m->fault, "%s: line %lld: a size is negative", m->name, (long long)m->line);
    if (m->symmetry != GENERAL && m->rows != m->columns)
        return fault_set(m->fault, "%s: %lld by %lld, and %s; a square matrix was expected", m->name,
                         (long long)m->rows, (long long)m->columns, symmetries[m->symmetry]);
    static const int64_t least[FIELDS] = {6, 6, 8, 4}; /* "1 1 1", and the end of the line */
    int64_t fits = (m->end - m->at + 1) / least[m->field];
    return m->entries <= fits ||
           fault_set(m->fault,
                     "%s: is truncated: %lld entries are told of, and what is left has room for %lld",
                     m->name, (long long)m->entries, (long long)fits);
}

/* ---- entries ---- */

static void put(struct market *m, int64_t row, int64_t column, int64_t whole, double complex value) {
    m->indices[2 * m->count] = row;
    m->indices[2 * m->count + 1] = column;
    if (m->field == INTEGER)
        ((int64_t *)m->values)[m->count] = whole;
    else if (m->field == COMPLEX)
        ((double complex *)m->values)[m->count] = value;
    else
        ((double *)m->values)[m->count] = creal(value);
    m->count++;
}

static bool check_place(const struct market *m, int64_t row, int64_t column) {
    if (row < 1 || row > m->rows || column < 1 || column > m->columns)
        return fault_set(m->fault,
                         "%s: line %lld: row %lld, column %lld is outside of %lld by %lld, counted from 1",
                         m->name, (long long)m->line, (long long)row, (long long)column, (long long)m->rows,
                         (long long)m->columns);
    if (m->symmetry != GENERAL && (row < column || (row == column && m->symmetry == SKEW)))
        return fault_set(
            m->fault,
            "%s: line %lld: row %lld, column %lld is not below the diagonal, and the matrix is %s: "
            "its other half is not in the file",
            m->name, (long long)m->line, (long long)row, (long long)column, symmetries[m->symmetry]);
    return true;
}

static bool read_entry(struct market *m, const char *text, size_t n) {
    int64_t row, column, whole = 1;
    double parts[2] = {1, 0};
    const char *word;
    if (!read_whole(m, &text, &n, "a row", &row) || !read_whole(m, &text, &n, "a column", &column) ||
        !check_place(m, row, column))
        return false;
    if (m->field == INTEGER && !read_whole(m, &text, &n, "a whole number of 64 bits", &whole)) return false;
    for (int i = 0; i < (m->field == REAL ? 1 : m->field == COMPLEX ? 2 : 0); i++)
        if (!read_real(m, &text, &n, &parts[i])) return false;
    size_t length = next_word(&text, &n, &word);
    if (length) return wrong(m, word, length, "the end of the line");
    double complex value;
    memcpy(&value, parts, sizeof value);
    put(m, row - 1, column - 1, whole, value);
    if (m->symmetry == GENERAL || row == column) return true;
    if (m->symmetry == SKEW)
        put(m, column - 1, row - 1, -whole, -value);
    else
        put(m, column - 1, row - 1, whole, m->symmetry == HERMITIAN ? conj(value) : value);
    return true;
}

static bool read_entries(struct market *m) {
    const char *text;
    size_t n, room = 2 * (size_t)m->entries + 1;
    m->indices = mem_array(room, 2 * sizeof *m->indices);
    m->values = mem_array(room, sizeof(double complex));
    if (!m->indices || !m->values) return fault_memory(m->fault, room * sizeof(double complex));
    for (int64_t i = 0; i < m->entries; i++) {
        if (!next_line(m, &text, &n))
            return fault_set(m->fault, "%s: is truncated: it ends after %lld of %lld entries", m->name,
                             (long long)i, (long long)m->entries);
        if (!read_entry(m, text, n)) return false;
    }
    return !next_line(m, &text, &n) || wrong(m, text, n, "the end, after all entries,");
}

static ty_sparse parse(const char *name, const void *bytes, size_t n, struct fault *fault) {
    static const ty_dtype dtypes[FIELDS] = {TY_F64, TY_I64, TY_C128, TY_F64};
    struct market m = {.name = name, .at = bytes, .end = (const char *)bytes + n, .fault = fault};
    ty_sparse a = {.form = TY_COO};
    if (read_banner(&m) && read_sizes(&m) && read_entries(&m)) {
        ty_tensor *indices = ty_from(TY_I64, 2, (int64_t[]){m.count, 2}, m.indices);
        if (m.rows <= INT32_MAX && m.columns <= INT32_MAX) indices = ty_cast(indices, TY_I32);
        a = ty_sparse_coo(ty_from(dtypes[m.field], 1, &m.count, m.values), indices, m.rows, m.columns);
        if (!ty_sparse_ok(a)) fault_set(fault, "%s: %s", name, ty_sparse_error(a));
    }
    mem_free(m.indices);
    mem_free(m.values);
    return a;
}

ty_sparse ty_matrix_market_parse(const void *bytes, size_t n) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_sparse a = {0};
    ty_scope *scope = ty_open();
    if (bytes)
        a = parse("matrix_market_parse", bytes, n, &fault);
    else
        fault_set(&fault, "matrix_market_parse: NULL where the bytes belong");
    return sparse_read_end(scope, a, &fault);
}

/* All of the input, which is closed. */
static char *read_all(struct input *in, size_t *n, struct fault *fault) {
    enum { PIECE = 1 << 16 };
    static const ty_file_options options;
    char *bytes = NULL;
    size_t got = PIECE;
    for (*n = 0; in && got == PIECE; *n += got) {
        char *larger = mem_grow(bytes, *n + *n / 2 + PIECE, 1);
        if (!larger) fault_memory(fault, *n + PIECE);
        bytes = larger ? larger : bytes;
        if (!larger || !input_read(in, *n, bytes + *n, PIECE, &got, fault) ||
            (!in->exact && *n > unpack_limit(in, &options) && !unpack_refuse(in, &options, *n, fault)))
            break;
    }
    input_close(in);
    return bytes;
}

ty_sparse ty_matrix_market_load(const char *path) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_sparse a = {0};
    size_t n = 0;
    ty_scope *scope = ty_open();
    if (!path) fault_set(&fault, "matrix_market_load: no path is given (NULL)");
    char *bytes = path ? read_all(input_unwrap(input_path(path, &fault), &fault), &n, &fault) : NULL;
    if (!fault.set) a = parse(path, bytes ? bytes : "", n, &fault);
    mem_free(bytes);
    return sparse_read_end(scope, a, &fault);
}

/* ---- writing ---- */

static void add_entry(struct text *t, const ty_sparse *a, ty_dtype dtype, int64_t row, int64_t column,
                      const char *from) {
    text_add(t, "%lld %lld ", (long long)row + 1, (long long)column + 1);
    struct element e = element_load(dtype, from), imaginary = e;
    ty_dtype real = dtype_table[dtype].real;
    (void)a;
    if (dtype == TY_U64)
        text_add(t, "%llu", (unsigned long long)e.i);
    else if (dtype_is(dtype, CLASS_INTEGER))
        text_add(t, "%lld", (long long)e.i);
    else {
        e.z = creall(e.z);
        number_add_scalar(t, real, e);
    }
    if (dtype_is(dtype, CLASS_COMPLEX)) {
        imaginary.z = cimagl(imaginary.z);
        text_add(t, " ");
        number_add_scalar(t, real, imaginary);
    }
    text_add(t, "\n");
}

static bool write_text(struct output *out, const ty_sparse *a, struct fault *fault) {
    enum { PIECE = 1 << 16 };
    struct text t = {0};
    ty_dtype dtype = ty_dtype_of(a->values);
    int64_t n = ty_size(a->values);
    size_t size = dtype_table[dtype].size;
    int field = dtype_is(dtype, CLASS_COMPLEX) ? COMPLEX : dtype_is(dtype, CLASS_INTEGER) ? INTEGER : REAL;
    const int64_t *indices = ty_data(a->indices);
    const char *values = ty_data(a->values);
    text_add(&t, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n", fields[field],
             (long long)a->rows, (long long)a->columns, (long long)n);
    bool done = true;
    for (int64_t e = 0; e < n && done; e++) {
        add_entry(&t, a, dtype, indices[2 * e], indices[2 * e + 1], values + (size_t)e * size);
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
    bool done = sparse_values("matrix_market_save", &a, &fault) &&
                (path || fault_set(&fault, "matrix_market_save: no path is given (NULL)")) &&
                output_to_path(&out, path, &fault);
    if (done) {
        done = write_text(&out, &a, &fault);
        done = output_end(&out, done) && done;
    }
    ty_close(scope);
    if (!done && error) *error = tensor_fault(&fault);
    return done;
}
