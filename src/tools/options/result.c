/* The JSON of --json: one document, kept until the command ends. */
#include "tools/options/result.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "array/number_format.h"
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/json_text.h"
#include "ops/core/storage.h"
#include "tools/command.h"
#include "tools/options/file.h"
#include "tools/options/message.h"

enum { MOST_DEPTH = 16 }; /* of brackets: commands nest to 7; those of elements do not count */

static struct {
    bool asked;
    const char *path;         /* NULL: the standard output */
    int depth;                /* of open brackets */
    char closing[MOST_DEPTH]; /* their counterparts */
    bool begun[MOST_DEPTH];   /* a value stands before the next */
    bool valued;              /* there is a value other than a bracket */
    struct text text;
} document;

static int digits; /* of --precision; 0: not given */

void precision_set(int64_t wanted) {
    digits = (int)wanted;
    ty_set_print_options((ty_print_options){.precision = digits});
}

int precision_or(int usual) { return digits ? digits : usual; }

const char *shown(char *out, int decimals, double x) {
    snprintf(out, SHOWN, digits ? "%.*g" : "%.*f", digits ? digits : decimals, x);
    return out;
}

/* Return the text of x, which the caller frees with ty_free.  A number alone has all its digits, unless --precision is
   given; then it is printed as an element of an array. */
static char *text_of(ty_tensor *x) {
    if (!digits || ty_rank(x)) return ty_format(x, (ty_print_options){0});
    ty_scope *scope = ty_open();
    char *text = ty_format(ty_expand(x, 0), (ty_print_options){0});
    size_t n = text ? strlen(text) : 0;
    if (n > 2 && *text == '[') {
        memmove(text, text + 1, n - 2);
        text[n - 2] = 0;
    }
    ty_close(scope);
    return text;
}

void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (!document.asked) vprintf(format, list);
    va_end(list);
}

bool print_tensor(ty_tensor *x) {
    if (document.asked) return true;
    if (!ty_ok(x)) return complain_of(x) == EXIT_SUCCESS;
    char *text = text_of(x);
    bool printed = text && puts(text) >= 0;
    if (!text) complain("out of memory");
    ty_free(text);
    return printed;
}

bool result_json(void) { return document.asked; }

void json_words(struct text *t, const char *words) {
    struct text visible = {0};
    size_t before = t->length;
    if (json_add_text(t, words, &(struct fault){0})) return;
    text_add_visible(&visible, words);
    t->length = before;
    json_add_text(t, visible.data ? visible.data : "", &(struct fault){0});
    t->failed = t->failed || visible.failed;
    text_drop(&visible);
}

/* Append what stands before a value: a comma, the key, and a line break in the outermost bracket and between brackets in
   the second. */
static void add_key(const char *key, bool bracket) {
    struct text *t = &document.text;
    int d = document.depth - 1;
    document.valued = document.valued || !bracket;
    if (d >= 0) {
        bool line = d == 0 || (d == 1 && bracket);
        if (document.begun[d]) text_add(t, line ? ",\n%*s" : ", ", line ? d + 1 : 0, "");
        document.begun[d] = true;
    }
    if (!key) return;
    json_words(t, key);
    text_add(t, ": ");
}

void result_open(const char *key, char bracket) {
    if (!document.asked || document.depth == MOST_DEPTH) return;
    add_key(key, true);
    text_add_bytes(&document.text, &bracket, 1);
    document.closing[document.depth] = bracket == '{' ? '}' : ']';
    document.begun[document.depth++] = false;
}

void result_close(void) {
    if (!document.asked || !document.depth) return;
    text_add_bytes(&document.text, &document.closing[--document.depth], 1);
}

void result_text(const char *key, const char *text) {
    if (!document.asked) return;
    add_key(key, false);
    if (text)
        json_words(&document.text, text);
    else
        text_add(&document.text, "null");
}

void result_bytes(const char *key, const char *bytes, size_t n) {
    if (!document.asked) return;
    add_key(key, false);
    json_add_bytes(&document.text, bytes, n, &(struct fault){0});
}

void result_pair(const char *key, const char *value) {
    result_open(NULL, '{');
    result_text("key", key);
    result_text("value", value);
    result_close();
}

/* Append a number; it has no other form than NaN and infinities that JSON lacks. */
static void add_number(ty_dtype dtype, struct element e, double number) {
    struct text *t = &document.text;
    if (isfinite(number))
        number_add_scalar(t, dtype, e);
    else if (isnan(number))
        text_add(t, "null");
    else
        text_add(t, number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

void result_number(const char *key, double number) {
    if (!document.asked) return;
    add_key(key, false);
    add_number(TY_F64, (struct element){.z = (long double)number}, number);
}

void result_whole(const char *key, int64_t number) {
    if (!document.asked) return;
    add_key(key, false);
    text_add(&document.text, "%" PRId64, number);
}

void result_flag(const char *key, bool flag) {
    if (!document.asked) return;
    add_key(key, false);
    text_add(&document.text, flag ? "true" : "false");
}

/* ---- arrays ---- */

void result_shape(int rank, const int64_t *shape) {
    result_open("shape", '[');
    for (int i = 0; i < rank; i++) result_whole(NULL, shape[i]);
    result_close();
}

static void add_element(ty_dtype dtype, struct element e) {
    ty_dtype real = dtype_table[dtype].real;
    double x = element_number(dtype, e);
    if (dtype == TY_BOOL) {
        text_add(&document.text, e.i ? "true" : "false");
    } else if (dtype == TY_C64 || dtype == TY_C128) {
        double y = (double)__imag__ e.z;
        text_add(&document.text, "[");
        add_number(real, (struct element){.z = (long double)x}, x);
        text_add(&document.text, ", ");
        add_number(real, (struct element){.z = (long double)y}, y);
        text_add(&document.text, "]");
    } else {
        add_number(dtype, e, x);
    }
}

/* Append the elements from `at` on, those of the axes from `axis` on, as nested lists; return the address behind them. */
static const char *add_axis(ty_dtype dtype, int rank, const int64_t *shape, int axis, const char *at) {
    if (axis == rank) {
        add_element(dtype, element_load(dtype, at));
        return at + dtype_table[dtype].size;
    }
    text_add(&document.text, "[");
    for (int64_t i = 0; i < shape[axis]; i++) {
        if (i) text_add(&document.text, ", ");
        at = add_axis(dtype, rank, shape, axis + 1, at);
    }
    text_add(&document.text, "]");
    return at;
}

bool result_elements(const char *key, ty_tensor *x) {
    if (!document.asked) return true;
    ty_scope *scope = ty_open();
    x = ty_eval(x);
    if (ty_ok(x)) x = ty_cast(x, dtype_widened(ty_dtype_of(x))); /* those for storage */
    ty_dtype dtype = ty_dtype_of(x);
    char *bytes = ty_ok(x) ? mem_array((size_t)ty_size(x) + 1, dtype_table[dtype].size) : NULL;
    bool well = bytes && ty_read(x, dtype, bytes);
    if (!well) complain_of(ty_ok(x) ? NULL : x);
    if (well) {
        add_key(key, false);
        add_axis(dtype, ty_rank(x), ty_shape(x), 0, bytes);
    }
    mem_free(bytes);
    ty_close(scope);
    return well;
}

bool result_tensor(const char *key, const char *name, ty_tensor *x) {
    if (!document.asked) return true;
    if (!ty_ok(x)) return complain_of(x) == EXIT_SUCCESS;
    result_open(key, '{');
    if (name) result_text("name", name);
    result_text("dtype", ty_dtype_name(ty_dtype_of(x)));
    result_shape(ty_rank(x), ty_shape(x));
    bool well = result_elements("values", x);
    result_close();
    return well;
}

void result_port(const char *name, const ty_tensor *x) {
    result_open(NULL, '{');
    result_text("name", name);
    result_text("dtype", ty_dtype_name(ty_dtype_of(x)));
    result_shape(ty_rank(x), ty_shape(x));
    result_close();
}

/* ---- texts and files ---- */

void result_written(int n, const char *const *paths) {
    result_open("written", '[');
    for (int i = 0; i < n; i++) result_text(NULL, paths[i]);
    result_close();
}

bool result_take(const char *key, char *text) {
    if (!document.asked || !text) return file_write_text("/dev/stdout", text);
    size_t n = strlen(text);
    if (n && text[n - 1] == '\n') text[n - 1] = 0;
    result_text(key, text);
    ty_free(text);
    return true;
}

/* ---- the document ---- */

void result_to(const char *path) { document.path = path; }

void result_start(bool asked) {
    document.asked = asked;
    result_open(NULL, '{');
}

bool result_write(bool failed) {
    bool well = true;
    if (!document.asked || (failed && !document.valued)) {
        text_drop(&document.text);
        return true;
    }
    while (document.depth) result_close();
    text_add(&document.text, "\n");
    if (document.text.failed)
        well = complain("out of memory") == EXIT_SUCCESS;
    else if (document.path)
        well = file_write_text(document.path, text_take(&document.text));
    else
        fwrite(document.text.data, 1, document.text.length, stdout); /* main.c looks for errors of stdout */
    text_drop(&document.text);
    return well;
}
