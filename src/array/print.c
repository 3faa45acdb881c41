/* Printing as in NumPy (numpy/_core/arrayprint.py): brackets show the axes, rows wrap at the line width.  Of a
   large array only the first and last elements of each long axis are shown, around "...".  The shown elements
   are copied in printing order, columns are fitted to them, then they are written. */
#include <string.h>
#include "array/number_format.h"
#include "array/print.h"
#include "array/tensor.h"
#include "base/alloc.h"

/* The elements shown: of each axis all, or `edge` at both ends. */
struct printed_part {
    int rank, edge;
    bool cut[TY_MAX_RANK];
    int64_t count;
    int64_t shape[TY_MAX_RANK];
    struct element *elements;
};

struct printer {
    const struct printed_part *shown;
    struct number_format format;
    int64_t next; /* index of the next element to write */
    int width;
    size_t line; /* start of the current line in the text */
    struct text text, word;
};

/* Set *s to the part of x that is shown: large arrays keep edge_items at both ends of each long axis. Sets rank,
   shape, count and which axes are cut, but loads no elements. */
static void selection_shape(struct printed_part *s, const ty_tensor *x, ty_print_options o) {
    bool elide = tensor_size(x) > o.threshold;
    s->rank = x->layout.rank;
    s->edge = o.edge_items;
    for (int i = 0; i < s->rank; i++) {
        int64_t size = x->layout.shape[i];
        s->cut[i] = elide && size / 2 >= o.edge_items && size > 2 * (int64_t)o.edge_items;
        s->shape[i] = s->cut[i] ? 2 * (int64_t)o.edge_items : size;
    }
    s->count = shape_size(s->rank, s->shape);
}

/* Allocate s->elements and copy the elements of x that will be shown into it; the caller frees it with mem_free.
   False if memory runs out. */
static bool selection_load(struct printed_part *s, const ty_tensor *x) {
    s->elements = mem_array((size_t)s->count, sizeof *s->elements);
    if (!s->elements) return false;
    struct odometer o = {.rank = s->rank, .shape = s->shape};
    const char *data = tensor_data(x);
    size_t size = dtype_table[x->dtype].size;
    for (int64_t n = 0; n < s->count; n++) {
        int64_t at = 0;
        for (int i = 0; i < s->rank; i++) {
            int64_t skipped = s->cut[i] && o.index[i] >= s->edge ? x->layout.shape[i] - s->shape[i] : 0;
            at += (o.index[i] + skipped) * x->layout.strides[i];
        }
        s->elements[n] = element_load(x->dtype, data + at * (int64_t)size);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

/* Remove blanks at the end of the line, and begin a new one behind `lines` line breaks, indented by
   `indent`. */
static void new_line(struct printer *p, int lines, int indent) {
    while (p->text.length > p->line && p->text.data[p->text.length - 1] == ' ') p->text.length--;
    text_pad(&p->text, '\n', (size_t)lines);
    p->line = p->text.length;
    text_pad(&p->text, ' ', (size_t)indent);
}

/* Append the n characters of `word` to a line that starts in column `indent`. Begin a new line first if the
   word would pass column `width`. */
static void add_word(struct printer *p, const char *word, size_t n, int indent, int width) {
    size_t column = p->text.length - p->line;
    if ((int64_t)(column + n) > width && column > (size_t)indent) new_line(p, 1, indent);
    text_add_bytes(&p->text, word, n);
}

static void add_element(struct printer *p, int indent, int width) {
    p->word.length = 0;
    number_format_add(&p->word, &p->format, p->shown->elements[p->next++]);
    add_word(p, p->word.data, p->word.length, indent, width);
}

/* Append the elements of the last axis, separated by blanks, with "..." where elements are left out; wraps
   long lines. */
static void add_row(struct printer *p, int axis) {
    const struct printed_part *s = p->shown;
    int indent = axis + 1, width = p->width - axis - 1;
    for (int64_t i = 0; i < s->shape[axis]; i++) {
        if (i) text_add(&p->text, " ");
        if (s->cut[axis] && i == s->edge) {
            add_word(p, "...", 3, indent, width);
            text_add(&p->text, " ");
        }
        add_element(p, indent, width);
    }
}

/* Append the elements below `axis` in brackets, at the present indices of the axes before it; recursive, as
   deep as the rank. */
static void add_axis(struct printer *p, int axis) {
    const struct printed_part *s = p->shown;
    text_add(&p->text, "[");
    if (axis == s->rank - 1) {
        add_row(p, axis);
    } else {
        for (int64_t i = 0; i < s->shape[axis] && !p->text.failed; i++) {
            if (i) new_line(p, s->rank - axis - 1, axis + 1);
            if (s->cut[axis] && i == s->edge) {
                text_add(&p->text, "...");
                new_line(p, s->rank - axis - 1, axis + 1);
            }
            add_axis(p, axis + 1);
        }
    }
    text_add(&p->text, "]");
}

/* Append "[]", and the shape if the rank is not 1, as NumPy does. */
static void add_empty(struct text *t, const ty_tensor *x) {
    text_add(t, "[]");
    if (x->layout.rank == 1) return;
    text_add(t, ", shape=(");
    for (int i = 0; i < x->layout.rank; i++)
        text_add(t, "%s%lld", i ? ", " : "", (long long)x->layout.shape[i]);
    text_add(t, ")");
}

/* Append x as text with brackets. t->failed is set if memory runs out. */
static void add_array(struct text *t, const ty_tensor *x, ty_print_options options) {
    struct printed_part shown = {0};
    selection_shape(&shown, x, options);
    if (!selection_load(&shown, x)) {
        t->failed = true;
        return;
    }
    struct printer p = {.shown = &shown, .width = options.line_width, .text = *t};
    p.format = number_format_fit(x->dtype, shown.count, shown.elements, &options, shown.rank > 0);
    if (shown.rank == 0)
        number_format_add(&p.text, &p.format, shown.elements[0]);
    else
        add_axis(&p, 0);
    p.text.failed |= p.word.failed;
    *t = p.text;
    text_drop(&p.word);
    mem_free(shown.elements);
}

void print_value(struct text *t, const ty_tensor *x, ty_print_options options) {
    if (x->error)
        text_add(t, "error: %s", x->error);
    else if (tensor_size(x) == 0)
        add_empty(t, x);
    else if (x->layout.rank == 0 && options.precision == 0)
        number_add_scalar(t, x->dtype, element_load(x->dtype, tensor_data(x)));
    else
        add_array(t, x, print_options_fill(options));
}
