/* Summary table of a model: one line per layer, indented by depth, with columns as wide as needed. */
#include "array/dtype.h"
#include "base/alloc.h"
#include "nn/model/model.h"
#include <string.h>

enum { COLUMNS = 6 };
enum column { NAME, KIND, OUTPUT, PARAMETERS, OPERATIONS, BYTES };

struct summary_row {
    char *cells[COLUMNS];
};

/* Return the name of a layer, indented by two blanks per level, as text that the caller frees; NULL without
   memory. */
static char *name_cell(const ty_layer *l) {
    struct text t = {0};
    for (const ty_layer *p = l->parent; p && p->parent; p = p->parent) text_add(&t, "  ");
    text_add(&t, "%s", l->name);
    return text_take(&t);
}

/* Return the shape of a layer's output, such as "[batch,3]", empty if unknown, as text that the caller
   frees; NULL without memory. */
static char *shape_cell(const ty_layer *l) {
    struct text t = {0};
    if (l->rank >= 0) text_add(&t, l->rank ? "[batch" : "[");
    for (int i = 1; i < l->rank; i++) text_add(&t, ",%lld", (long long)l->shape[i]);
    if (l->rank >= 0) text_add(&t, "]");
    return text_take(&t);
}

/* Append option o, from the struct `options`, if it was given; initialisers and the name "size" are
   omitted. */
static void add_option(struct text *t, const ty_option *o, const char *options) {
    const char *at = options + o->offset;
    int n = o->count ? o->count : 1;
    if (o->type == TY_OPTION_FLAG && *(const bool *)(const void *)at) text_add(t, " %s", o->name);
    if (o->type == TY_OPTION_ACTIVATION) {
        const char *name = activation_name(*(const ty_activation *)(const void *)at);
        if (name) text_add(t, " %s", name);
    }
    if (o->type == TY_OPTION_REAL && *(const double *)(const void *)at != 0)
        text_add(t, " %s %g", o->name, *(const double *)(const void *)at);
    if (o->type != TY_OPTION_INT) return;
    const int64_t *numbers = (const void *)at;
    while (n > 0 && !numbers[n - 1]) n--;
    if (n && strcmp(o->name, "size")) text_add(t, " %s", o->name);
    for (int i = 0; i < n; i++) text_add(t, i ? "x%lld" : " %lld", (long long)numbers[i]);
}

/* Return the kind of a layer, its given options and its number of calls as text, which the caller frees;
   NULL without memory. */
static char *kind_cell(const ty_layer *l) {
    struct text t = {0};
    text_add(&t, "%s", l->kind ? l->kind->name : "");
    for (const ty_option *o = l->kind ? l->kind->options : NULL; o && o->name; o++)
        add_option(&t, o, l->options);
    if (l->calls > 1) text_add(&t, " (%lld times)", (long long)l->calls);
    return text_take(&t);
}

/* Return the number as text, empty for 0, which the caller frees; NULL without memory. */
static char *number_cell(double n) {
    struct text t = {0};
    if (n > 0) text_add(&t, "%.0f", n);
    if (!t.data) text_add(&t, "%s", "");
    return text_take(&t);
}

/* Return the number with a unit and at most `digits` digits, 1500000 as "1.5 M", empty for 0, which the caller frees;
   NULL without memory. */
static char *short_cell(double n, int digits) {
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    struct text t = {0};
    int unit = 0;
    while (n >= 1000 && unit < 5) n /= 1000, unit++;
    if (n > 0) text_add(&t, "%.*g%s", digits, n, units[unit]);
    if (!t.data) text_add(&t, "%s", "");
    return text_take(&t);
}

/* Return the number of elements in the layer's own parameters. */
static double weights(const ty_layer *l) {
    double n = 0;
    for (const struct variable_entry *e = l->variables; e; e = e->next)
        if (!e->is_state) n += (double)ty_size(e->variable);
    return n;
}

static double bytes(const ty_layer *l) {
    double n = l->rank >= 0 ? (double)ty_dtype_size(l->dtype) : 0;
    for (int i = 0; i < l->rank; i++) n *= (double)l->shape[i];
    return n;
}

/* Set the cells of a row to these texts, which it then owns; NULL means that memory is exhausted. */
static void set(struct summary_row *row, char *name, char *kind, char *output, char *parameters,
                char *operations, char *size) {
    char *cells[COLUMNS] = {
        [NAME] = name, [KIND] = kind, [OUTPUT] = output, [PARAMETERS] = parameters, [OPERATIONS] = operations,
        [BYTES] = size};
    memcpy(row->cells, cells, sizeof cells);
}

/* Fill the rows[0 .. nlayers + 1] of the table: heading, one per layer, and totals. */
static void fill(struct summary_row *rows, const ty_model *m, int digits) {
    set(rows, mem_copy_text("layer"), mem_copy_text("kind"), mem_copy_text("output"),
        mem_copy_text("parameters"), mem_copy_text("operations"), mem_copy_text("bytes"));
    double all = weights(&m->root), operations = 0;
    for (int i = 0; i < m->nlayers; i++) {
        const ty_layer *l = m->layers[i];
        set(&rows[i + 1], name_cell(l), kind_cell(l), shape_cell(l), number_cell(weights(l)),
            short_cell(l->operations, digits), short_cell(bytes(l), digits));
        all += weights(l);
        operations += l->operations;
    }
    set(&rows[m->nlayers + 1], mem_copy_text("total"), mem_copy_text(""), mem_copy_text(""), number_cell(all),
        short_cell(operations, digits), mem_copy_text(""));
}

/* Append one line of the table; widths[] are those of the columns in bytes, and numbers are right-aligned. */
static void write_row(struct text *t, const struct summary_row *row, const size_t *widths) {
    size_t due = 0; /* pending blanks, written only if text follows */
    for (int c = 0; c < COLUMNS; c++) {
        size_t gap = widths[c] - strlen(row->cells[c]);
        if (c >= PARAMETERS) due += gap;
        if (*row->cells[c]) text_pad(t, ' ', due), due = 0;
        text_add(t, "%s", row->cells[c]);
        due += (c < PARAMETERS ? gap : *row->cells[c] ? 0 : strlen(row->cells[c])) + 2;
    }
    text_add(t, "\n");
}

char *ty_model_summary(const ty_model *m) {
    const int usual = 3;
    return model_summary(m, usual);
}

char *model_summary(const ty_model *m, int digits) {
    struct text t = {0};
    m = model_of(m);
    if (m->fault.set) {
        text_add(&t, "error: %s\n", m->fault.text);
        return text_take(&t);
    }
    int n = m->nlayers + 2;
    struct summary_row *rows = mem_array((size_t)n, sizeof *rows);
    if (!rows) return NULL;
    fill(rows, m, digits);
    size_t widths[COLUMNS] = {0};
    bool whole = true;
    for (int i = 0; i < n * COLUMNS; i++) {
        const char *cell = rows[i / COLUMNS].cells[i % COLUMNS];
        whole = whole && cell;
        if (cell && strlen(cell) > widths[i % COLUMNS]) widths[i % COLUMNS] = strlen(cell);
    }
    for (int i = 0; whole && i < n; i++) write_row(&t, &rows[i], widths);
    for (int i = 0; i < n * COLUMNS; i++) mem_free(rows[i / COLUMNS].cells[i % COLUMNS]);
    mem_free(rows);
    if (whole) return text_take(&t);
    text_drop(&t);
    return NULL;
}
