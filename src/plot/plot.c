/* The handle of a plot, and the common part of all functions that add layers. */
#include "base/machine/floating.h"
#include "plot/plot.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/options.h"
#include "base/utf8.h"

static ty_plot no_memory = {.fault = {true, E_MEMORY, "out of memory: a plot could not be made"}};
static ty_plot null_plot = {.fault = {true, E_ARGUMENT, "plot: the plot is NULL"}};

ty_plot *plot_of(const ty_plot *p) { return p ? (ty_plot *)(uintptr_t)p : &null_plot; }
static bool is_static(const ty_plot *p) { return p == &no_memory || p == &null_plot; }

void bounds_add(struct bounds *b, double v, bool log) {
    if (!isfinite(v) || (log && !(v > 0))) return;
    if (b->low > b->high)
        b->low = b->high = v;
    else
        b->low = fmin(b->low, v), b->high = fmax(b->high, v);
}

/* ---- making ---- */

static const struct {
    size_t place;
    const char *name;
} texts[] = {{offsetof(ty_plot_options, title), "title"},
             {offsetof(ty_plot_options, x), "x"},
             {offsetof(ty_plot_options, y), "y"}};

/* Check the limits of an axis; false sets the fault. */
static bool check_limits(struct fault *f, const char *axis, double low, double high, bool log) {
    if (low == 0 && high == 0) return true;
    if (!isfinite(low) || !isfinite(high) || low > high)
        return fault_set(f, E_ARGUMENT, "plot_new: limits %g and %g of %s; expected finite, ascending ones",
                         low, high, axis);
    return !log || low > 0 || low == high ||
           fault_set(f, E_ARGUMENT,
                     "plot_new: the lower limit %g of the logarithmic axis %s; expected above 0", low, axis);
}

/* Check the options and set defaults; false sets the fault. */
static bool check(ty_plot *p) {
    const double least = 96, most = 7200; /* points: text fits; and 100 inches */
    ty_plot_options *o = &p->o;
    if (!OPTIONS_UNUSED(o, "plot", &p->fault)) return false;
    if (o->width == 0) o->width = 460.8;
    if (o->height == 0) o->height = 345.6;
    if (!(o->width >= least && o->width <= most && o->height >= least && o->height <= most))
        return fault_set(&p->fault, E_ARGUMENT, "plot_new: %g by %g points; expected %g to %g", o->width,
                         o->height, least, most);
    return check_limits(&p->fault, "x", o->x_low, o->x_high, o->x_log) &&
           check_limits(&p->fault, "y", o->y_low, o->y_high, o->y_log);
}

ty_plot *ty_plot_new_sized(const ty_plot_options *options, size_t size) {
    FLOATING_DEFAULT;
    ty_plot *p = mem_alloc(sizeof *p);
    if (!p) return &no_memory;
    p->values = BOUNDS_EMPTY;
    if (!OPTIONS_READ(p->o, options, size, &p->fault)) return p;
    struct adding a = {.plot = p, .function = "plot_new"};
    ty_plot_options given = p->o;
    p->o.title = p->o.x = p->o.y = NULL;
    if (!check(p)) return p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text;
        memcpy(&text, (const char *)&given + texts[i].place, sizeof text);
        text = plot_copy(&a, text);
        memcpy((char *)&p->o + texts[i].place, &text, sizeof text);
    }
    return p;
}

void ty_plot_free(ty_plot *p) {
    if (!p || is_static(p)) return;
    arena_drop(&p->arena);
    mem_free(p);
}

const char *ty_plot_error(const ty_plot *p) { return plot_of(p)->fault.text; }
ty_tensor *ty_plot_failure(const ty_plot *p) { return tensor_failure(&plot_of(p)->fault); }

/* ---- adding ---- */

bool plot_refuse(struct adding *a, ty_code code, const char *format, ...) {
    if (is_static(a->plot) || a->plot->fault.set) return false;
    char text[768];
    va_list args;
    va_start(args, format);
    text_format(text, sizeof text, format, args);
    va_end(args);
    const char *name = public_name(a->function);
    if (!*name) name = a->function;
    return fault_set(&a->plot->fault, code, "%.*s: %s", (int)options_name(name), name, text);
}

void *plot_room(struct adding *a, int64_t n, size_t size) {
    void *room = n >= 0 ? arena_array(&a->plot->arena, (size_t)n + !n, size) : NULL;
    if (!room) plot_refuse(a, E_MEMORY, "out of memory: %lld elements of %zu bytes", (long long)n, size);
    return room;
}

/* Append the first character of n bytes to out: U+FFFD for invalid bytes, a blank for control characters.  Return the
   number of bytes read, and set *written. */
static size_t copy_character(char *out, const char *at, size_t n, size_t *written) {
    uint32_t point;
    size_t length = utf8_read(at, n, &point);
    bool control = length && (point < 0x20 || (point >= 0x7f && point < 0xa0));
    *written = utf8_write(out, !length ? 0xfffd : control ? ' ' : point);
    return length ? length : 1;
}

const char *plot_copy(struct adding *a, const char *text) {
    size_t n = text ? strlen(text) : 0, out = 0, written;
    char *copy = text ? plot_room(a, (int64_t)n + 1, 3) : NULL; /* U+FFFD has 3 bytes */
    for (size_t i = 0; copy && i < n; out += written)
        i += copy_character(copy + out, text + i, n - i, &written);
    return copy;
}

const char *const *plot_copies(struct adding *a, int64_t n, const char *const *given) {
    const char **copies = plot_room(a, n, sizeof *copies);
    char number[32];
    for (int64_t i = 0; copies && i < n; i++) {
        snprintf(number, sizeof number, "%lld", (long long)i);
        copies[i] = plot_copy(a, given && given[i] ? given[i] : number);
        if (!copies[i]) return NULL;
    }
    return (const char *const *)copies;
}

const char *plot_name(const struct adding *a, int64_t i) {
    return i < a->style.nnames && a->style.names ? a->style.names[i] : NULL;
}

/* Check the style; false sets the fault. */
static bool check_style(struct adding *a) {
    const ty_plot_style *s = &a->style;
    if (!OPTIONS_UNUSED(s, "style of a plot", &a->plot->fault)) return false;
    if (s->nnames < 0 || s->nrows < 0 || (s->nnames && !s->names) || (s->nrows && !s->rows))
        return plot_refuse(a, E_ARGUMENT, "%lld names and %lld of rows; expected 0 or more, with texts",
                           (long long)s->nnames, (long long)s->nrows);
    if (s->bins < 0 || s->columns < 0 || !(s->size >= 0) || s->size > 1000)
        return plot_refuse(a, E_ARGUMENT,
                           "bins %lld, columns %lld, size %g; expected 0 or more, and a size up to 1000",
                           (long long)s->bins, (long long)s->columns, s->size);
    if (!isfinite(s->low) || !isfinite(s->high) || s->low > s->high)
        return plot_refuse(a, E_ARGUMENT, "colours from %g to %g; expected finite, ascending numbers", s->low,
                           s->high);
    return true;
}

bool plot_begin(struct adding *a, ty_plot *plot, const char *function, const ty_plot_style *style,
                size_t size) {
    *a = (struct adding){.plot = plot_of(plot), .function = function};
    if (a->plot->fault.set) return false;
    if (!options_read(&a->style, sizeof a->style, style, size, function, &a->plot->fault)) return false;
    a->colours = a->plot->colours;
    a->scope = ty_open();
    return check_style(a);
}

bool plot_end(struct adding *a) {
    if (a->scope) ty_close(a->scope);
    if (a->plot->fault.set) return false;
    if (!a->first) return true;
    if (a->plot->last)
        a->plot->last->next = a->first;
    else
        a->plot->first = a->first;
    a->plot->last = a->last;
    a->plot->colours = a->colours;
    return true;
}

const double *plot_read(struct adding *a, const char *what, ty_tensor *x, int least, int most) {
    x = tensor_of(x);
    if (!ty_ok(x)) {
        plot_refuse(a, ty_error_code(x), "%s: %s", what, ty_error(x));
        return NULL;
    }
    if (ty_dtype_of(x) == TY_C64 || ty_dtype_of(x) == TY_C128) {
        plot_refuse(a, E_DTYPE, "%s: complex numbers have no order; take ty_real or ty_abs of them", what);
        return NULL;
    }
    if (ty_rank(x) < least || ty_rank(x) > most) {
        char more[24] = "";
        if (least < most) text_print(more, sizeof more, " %s %d", most - least > 1 ? "to" : "or", most);
        plot_refuse(a, E_SHAPE, "%s has %d ax%cs; expected %d%s", what, ty_rank(x),
                    ty_rank(x) == 1 ? 'i' : 'e', least, more);
        return NULL;
    }
    x = ty_cast(x, TY_F64);
    if (ty_ok(x)) x = ty_eval(x);
    double *out = ty_ok(x) ? plot_room(a, ty_size(x), sizeof *out) : NULL;
    if (!ty_ok(x)) plot_refuse(a, ty_error_code(x), "%s: %s", what, ty_error(x));
    if (!out || (ty_read)(x, TY_F64, out)) return out;
    plot_refuse(a, E_MEMORY, "out of memory: %s could not be read", what);
    return NULL;
}

const double *plot_read_beside(struct adding *a, const char *what, ty_tensor *x, const char *other,
                               int64_t n) {
    const double *out = plot_read(a, what, x, 1, 1);
    if (!out || ty_size(x) == n) return out;
    plot_refuse(a, E_SHAPE, "%s has %lld elements and %s %lld; expected equal numbers", what,
                (long long)ty_size(x), other, (long long)n);
    return NULL;
}

struct layer *plot_layer(struct adding *a, const struct layer_kind *kind, const char *name) {
    if (a->plot->first && (kind == &layer_images || a->plot->first->kind == &layer_images)) {
        plot_refuse(a, E_ARGUMENT, "a grid of images is the only layer of a plot");
        return NULL;
    }
    struct layer *layer = plot_room(a, 1, sizeof *layer);
    if (!layer) return NULL;
    layer->kind = kind;
    layer->size = a->style.size;
    layer->name = plot_copy(a, name);
    layer->colour = a->colours++;
    if (a->last)
        a->last->next = layer;
    else
        a->first = layer;
    return a->last = layer;
}

void plot_values(struct adding *a, enum map map, int64_t n, const double *v, const char *name) {
    ty_plot *p = a->plot;
    bool given = a->style.low < a->style.high;
    if (given && !p->values_given) p->values = BOUNDS_EMPTY;
    for (int64_t i = 0; i < n && !given && !p->values_given; i++) bounds_add(&p->values, v[i], false);
    if (given) {
        bounds_add(&p->values, a->style.low, false);
        bounds_add(&p->values, a->style.high, false);
        p->values_given = true;
    }
    p->valued = true;
    p->map = map;
    if (name) p->value_name = plot_copy(a, name);
}

void plot_heading(struct adding *a) {
    if (!a->plot->heading) a->plot->heading = plot_copy(a, a->style.name);
}

void plot_label(const char **label, const char *text) {
    if (!*label) *label = text;
}

bool plot_categories(struct adding *a, struct categories *axis, int64_t n, const char *const *words) {
    if (!axis->n && a->plot->first && n)
        return plot_refuse(a, E_ARGUMENT, "words on an axis of numbers: add the layer with words first");
    for (int64_t i = 0; axis->n && i < n; i++)
        if (n != axis->n || !words || strcmp(words[i], axis->words[i]))
            return plot_refuse(a, E_ARGUMENT, "the axis has other words already");
    *axis = (struct categories){n, words};
    return true;
}
