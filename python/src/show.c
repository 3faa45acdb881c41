/*
 * Arrays as text, in NumPy's format: str() is that of the library, and repr() adds commas, shape and dtype.
 *
 * The library formats each row as one line of words of equal width.  repr() reads the words by their width and breaks
 * lines by NumPy's rule, since commas make them longer.
 */
#include "tyto_python.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "Array(";
enum { INDENT = sizeof name - 1 };

/* Text that grows; `failed` after memory ran out. */
struct text {
    char *data;
    size_t n, room;
    bool failed;
};

static void add(struct text *t, const char *bytes, size_t n) {
    if (t->n + n + 1 > t->room) {
        size_t room = 2 * (t->n + n + 1);
        char *more = realloc(t->data, room);
        if (!more) t->failed = true;
        if (!more) return;
        t->data = more;
        t->room = room;
    }
    memcpy(t->data + t->n, bytes, n);
    t->n += n;
    t->data[t->n] = 0;
}
static void add_text(struct text *t, const char *text) { add(t, text, strlen(text)); }
static void add_blanks(struct text *t, int n) {
    for (int i = 0; i < n; i++) add(t, " ", 1);
}

/* Return the text as str, and free it. */
static PyObject *taken(struct text *t) {
    PyObject *result = t->failed ? PyErr_NoMemory() : PyUnicode_FromStringAndSize(t->data, (Py_ssize_t)t->n);
    free(t->data);
    return result;
}

/* Return the elements of a value as the library's text; NULL with an exception.  The caller frees it by ty_free. */
static char *formatted(ty_tensor *x, ty_print_options options) {
    char *text = ty_format(x, options);
    if (!text) PyErr_NoMemory();
    return text;
}

/* ---- rows ---- */

/* A row of words, and the rule by which lines break. */
struct row {
    const char *words;
    size_t length;
    int64_t n; /* number of words, of which one may be "..." */
    bool elided;
    int edge, indent, width; /* words before "..."; blanks before later lines; columns for words */
};

/* Append the words of a row with commas. */
static void add_row(struct text *t, const struct row *r, size_t begin) {
    int64_t numbers = r->n - r->elided;
    size_t dots = r->elided ? strlen("...") : 0, gaps = r->n > 0 ? (size_t)r->n - 1 : 0;
    size_t wide = numbers > 0 ? (r->length - dots - gaps) / (size_t)numbers : 0, at = 0;
    for (int64_t i = 0; i < r->n; i++) {
        size_t size = r->elided && i == r->edge ? dots : wide, column = t->n - begin;
        bool first = column <= (size_t)r->indent;
        if (!first && column + size > (size_t)r->width) {
            while (t->n && t->data[t->n - 1] == ' ') t->n--;
            add_text(t, "\n");
            begin = t->n;
            add_blanks(t, r->indent);
        }
        add(t, r->words + at, size);
        at += size + 1;
        if (i + 1 < r->n) add_text(t, ", ");
    }
}

/* Append the library's text of x, which has axes, with commas. */
static void add_rows(struct text *t, ty_tensor *x, const char *text, const ty_print_options *now) {
    int rank = ty_rank(x);
    int64_t last = ty_shape(x)[rank - 1];
    bool large = ty_size(x) > now->threshold;
    struct row row = {.edge = now->edge_items,
                      .indent = INDENT + rank,
                      .width = now->line_width - 1 - (rank - 1) -
                               1}; /* without ")", the outer and the inner "]" */
    row.elided = large && last > 2 * (int64_t)now->edge_items;
    row.n = row.elided ? 2 * (int64_t)now->edge_items + 1 : last;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n"), open = strspn(line, " ["), close = length;
        while (open && line[open - 1] == ' ') open--; /* padding of the first word */
        while (close > open && line[close - 1] == ']') close--;
        size_t begin = t->n;
        if (line == text) begin -= INDENT;
        if (line != text && length) add_blanks(t, INDENT);
        if (open) {
            add(t, line, open);
            row.words = line + open;
            row.length = close - open;
            add_row(t, &row, begin);
            add(t, line + close, length - close);
        } else {
            add(t, line, length); /* "..." for rows, or blank */
        }
        line += length;
        if (*line && length) add_text(t, ",");
        if (*line) add(t, line++, 1);
    }
}

/* ---- dtype and shape ---- */

/* Append "(2, 3)". */
static void add_shape(struct text *t, const ty_tensor *x) {
    int rank = ty_rank(x);
    char number[32];
    add_text(t, "(");
    for (int i = 0; i < rank; i++) {
        PyOS_snprintf(number, sizeof number, "%lld", (long long)ty_shape(x)[i]);
        if (i) add_text(t, ", ");
        add_text(t, number);
    }
    add_text(t, rank == 1 ? ",)" : ")");
}

/* Append what does not show in the elements: shape, dtype, history; on a line of its own if the last one is full. */
static void add_facts(struct text *t, const ty_tensor *x, bool elided, int width) {
    struct text facts = {NULL, 0, 0, false};
    ty_dtype dtype = ty_dtype_of(x);
    bool empty = ty_size(x) == 0,
         usual = dtype == TY_BOOL || dtype == TY_I64 || dtype == TY_F64 || dtype == TY_C128;
    if (elided || (empty && ty_rank(x) > 1)) {
        add_text(&facts, "shape=");
        add_shape(&facts, x);
    }
    if (!usual || empty) {
        add_text(&facts, facts.n ? ", dtype=" : "dtype=");
        add_text(&facts, dtype_word(dtype));
    }
    if (is_tracked(x)) add_text(&facts, facts.n ? ", tracked" : "tracked");
    if (facts.n) {
        size_t last = 0;
        while (last < t->n && t->data[t->n - 1 - last] != '\n') last++;
        bool full = last + strlen(", ") + facts.n + 1 > (size_t)width;
        add_text(t, full ? ",\n" : ", ");
        if (full) add_blanks(t, INDENT);
        add(t, facts.data, facts.n);
    }
    t->failed = t->failed || facts.failed;
    free(facts.data);
}

static PyObject *promise_words(const ty_tensor *x) {
    struct text t = {NULL, 0, 0, false};
    add_text(&t, name);
    add_text(&t, "shape=");
    add_shape(&t, x);
    add_text(&t, ", ");
    add_text(&t, dtype_word(ty_dtype_of(x)));
    add_text(&t, ", promise)");
    return taken(&t);
}

static PyObject *represent(PyObject *self) {
    ty_tensor *x = tensor_of_array(self);
    ty_print_options now, options = {.line_width = INT_MAX};
    struct text t = {NULL, 0, 0, false};
    if (ty_is_promise(x)) return promise_words(x);
    ty_print_options_now(&now);
    x = ty_retain(x);
    char *text = formatted(x, options);
    if (text) {
        add_text(&t, name);
        if (ty_size(x) == 0)
            add_text(&t, "[]");
        else if (ty_rank(x))
            add_rows(&t, x, text, &now);
        else
            add_text(&t, text);
        add_facts(&t, x, ty_size(x) > now.threshold, now.line_width);
        add_text(&t, ")");
    }
    ty_free(text);
    ty_release(x);
    return text ? taken(&t) : NULL;
}

static PyObject *text_of(PyObject *self) {
    ty_tensor *x = tensor_of_array(self);
    if (ty_is_promise(x)) return promise_words(x);
    if (ty_size(x) == 0) return PyUnicode_FromString("[]"); /* NumPy shows the shape in repr() alone */
    char *text = formatted(x, (ty_print_options){0});
    PyObject *result = text ? PyUnicode_FromString(text) : NULL;
    ty_free(text);
    return result;
}

/* Format an array without axes as its number, and others by an empty specification alone. */
static PyObject *format(PyObject *self, PyObject *specification) {
    ty_tensor *x = tensor_of_array(self);
    if (!PyUnicode_Check(specification))
        return PyErr_SetString(PyExc_TypeError, "__format__ expects str"), NULL;
    if (PyUnicode_GetLength(specification) == 0) return text_of(self);
    if (ty_rank(x) == 0 && !ty_is_promise(x)) {
        PyObject *number = number_of(x, "format"),
                 *text = number ? PyObject_Format(number, specification) : NULL;
        Py_XDECREF(number);
        return text;
    }
    PyErr_Format(PyExc_TypeError, "format %R is for one number; the array has %lld elements", specification,
                 (long long)ty_size(x));
    return NULL;
}

PyMethodDef show_methods[] = {
    {"__format__", format, METH_O, "Format the only number by a specification."},
    {NULL, NULL, 0, NULL},
};
PyType_Slot show_slots[] = {
    {Py_tp_repr, (void *)represent},
    {Py_tp_str, (void *)text_of},
    {0, NULL},
};
