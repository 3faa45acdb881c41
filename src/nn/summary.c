/* The table of a model: one line a layer, columns as wide as they must be. */
#include "base/alloc.h"
#include "nn/model.h"
#include <string.h>

enum { COLUMNS = 4 };

struct row {
    char *cells[COLUMNS];
};

static char *shape_cell(const struct layer *l) {
    struct text t = {0};
    text_add(&t, "[batch");
    for (int i = 1; i < l->rank; i++) text_add(&t, ",%lld", (long long)l->shape[i]);
    text_add(&t, "]");
    return text_take(&t);
}

static char *kind_cell(const struct layer *l) {
    struct text t = {0};
    text_add(&t, "%s", l->kind->name);
    if (l->kind->describe) l->kind->describe(l, &t);
    return text_take(&t);
}

static char *number_cell(int64_t n) {
    struct text t = {0};
    text_add(&t, "%lld", (long long)n);
    return text_take(&t);
}

static int64_t weights(const struct layer *l) {
    int64_t n = 0;
    for (int i = 0; i < l->nparameters; i++) n += ty_size(l->parameters[i]);
    return n;
}

static void fill(struct row *rows, const ty_model *m) {
    rows[0] = (struct row){{mem_copy_text("layer"), mem_copy_text("kind"), mem_copy_text("output"),
                            mem_copy_text("parameters")}};
    int64_t total = 0;
    for (int i = 1; i < m->nlayers; i++) {
        const struct layer *l = &m->layers[i];
        rows[i] =
            (struct row){{mem_copy_text(l->name), kind_cell(l), shape_cell(l), number_cell(weights(l))}};
        total += weights(l);
    }
    rows[m->nlayers] =
        (struct row){{mem_copy_text("total"), mem_copy_text(""), mem_copy_text(""), number_cell(total)}};
}

/* The last column is a number and stands to the right. */
static void write_row(struct text *t, const struct row *row, const size_t *widths) {
    for (int c = 0; c < COLUMNS; c++) {
        size_t gap = widths[c] - strlen(row->cells[c]);
        if (c == COLUMNS - 1) text_pad(t, ' ', gap);
        text_add(t, "%s", row->cells[c]);
        if (c < COLUMNS - 1) text_pad(t, ' ', gap + 2);
    }
    text_add(t, "\n");
}

char *ty_model_summary(const ty_model *m) {
    struct text t = {0};
    m = model_of(m);
    if (m->fault.set) {
        text_add(&t, "error: %s\n", m->fault.text);
        return text_take(&t);
    }
    int n = m->nlayers + 1;
    struct row *rows = mem_array((size_t)n, sizeof *rows);
    if (!rows) return NULL;
    fill(rows, m);
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
