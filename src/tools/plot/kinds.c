/* Kinds of plots of `tyto plot`. */
#include "tools/plot/kinds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "tools/options/message.h"
#include "tools/plot/groups.h"

enum { FEW = 20, MOST_BARS = 40 }; /* distinct whole numbers that count as classes; bars that can be read */

/* ---- choice ---- */

static bool is_table(const struct making *m) {
    for (int i = 0; i < m->data->n; i++)
        if (!m->data->operands[i].table) return false;
    return true;
}

/* Return true if x is a vector whose elements ascend. */
static bool ascends(ty_tensor *x) {
    int64_t n = ty_size(x);
    double *v = ty_rank(x) == 1 && n > 1 ? malloc((size_t)n * sizeof *v) : NULL;
    bool up = v && (ty_read)(x, TY_F64, v);
    for (int64_t i = 1; i < n && up; i++) up = v[i] > v[i - 1];
    free(v);
    return up;
}

/* Return true if a matrix has a single row or column. */
static bool is_vector(ty_tensor *x) {
    const int64_t *s = ty_shape(x);
    return ty_rank(x) <= 1 || (ty_rank(x) == 2 && (s[0] == 1 || s[1] == 1));
}

/* Return true if --by has values, which colour points. */
static bool has_values(const struct making *m) {
    struct groups by = {0};
    bool well = m->grouped && ty_rank(m->by.x) == 1 && plot_groups_of(&m->by, FEW, &by), values = !by.count;
    plot_groups_drop(&by);
    return well && values && ty_size(m->by.x);
}

enum plot_kind kind_choose(const struct making *m) {
    const struct datum *first = m->data->operands, *second = first + 1;
    int n = m->data->n;
    if (n == 1) {
        if (first->nwords) return KIND_BARS;
        if (first->image || ty_rank(first->x) > 2) return KIND_IMAGES;
        if (!is_vector(first->x)) return KIND_HEAT;
        return first->table ? KIND_HISTOGRAM : KIND_LINE;
    }
    if (n == 2 && first->nwords && second->nwords) return KIND_HEAT;
    if (first->nwords) return KIND_BARS;
    if (n == 2 && second->nwords) return KIND_HISTOGRAM;
    bool points = is_table(m) && (!ascends(first->x) || m->grouped);
    return points || has_values(m) ? KIND_POINTS : KIND_LINE;
}

/* ---- parts ---- */

/* Return x as a vector. */
static ty_tensor *vector(ty_tensor *x) {
    return is_vector(x) ? ty_reshape(x, 1, (int64_t[]){ty_size(x)}) : x;
}

static void label(const char **place, const char *text) {
    if (!*place) *place = text;
}

/* Return true if the layer was added; else print why not. */
static bool added(const ty_plot *p, bool well) {
    return well || COMPLAIN_FAILURE(ty_plot_failure(p)) == EXIT_SUCCESS;
}

/* Read the classes of --by; false after a message, also if it has no classes and `needed` is set. */
static bool read_by(const struct making *m, bool needed, struct groups *by) {
    *by = (struct groups){0};
    if (!m->grouped) return true;
    if (!plot_groups_of(&m->by, FEW, by)) return false;
    return by->count || !needed || !ty_size(m->by.x) ||
           complain("--by %s: expected words, truth values or at most %d whole numbers", m->by.label, FEW) ==
               EXIT_SUCCESS;
}

/* ---- lines and points ---- */

/* Return the x of lines: the first operand of several, or the only input of an expression, if it has y's length. */
static ty_tensor *x_of(const struct making *m, const char **name) {
    const struct plot_data *d = m->data;
    const struct datum *y = &d->operands[0];
    *name = d->n > 1 ? y->label : NULL;
    if (d->n > 1) return d->operands[0].x;
    if (d->ninputs != 1 || y->table || !is_vector(d->values[0])) return NULL;
    bool lines = ty_rank(y->x) == 2 && !is_vector(y->x);
    if (ty_size(d->values[0]) != (lines ? ty_shape(y->x)[0] : ty_size(y->x))) return NULL;
    *name = d->names[0];
    return ascends(vector(d->values[0])) ? d->values[0] : NULL;
}

static bool make_line(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    struct groups by;
    const char *name;
    ty_tensor *x = x_of(m, &name);
    bool several = d->n > 2, well = read_by(m, true, &by);
    if (several && is_table(m) && !ascends(x)) x = NULL; /* a whole table: lines over its rows */
    for (int i = x && d->n > 1 ? 1 : 0; i < d->n && well; i++) {
        ty_plot_style s = {.name = several ? d->operands[i].label : NULL};
        if (by.count) s = (ty_plot_style){.name = m->by.label, .by = by.codes};
        s.names = (const char *const *)by.names, s.nnames = by.count;
        well = added(p, ty_plot_line(p, x ? vector(x) : NULL, vector(d->operands[i].x), s));
    }
    plot_groups_drop(&by);
    return well;
}

static bool make_points(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    struct groups by;
    ty_tensor *x = d->n > 1 ? vector(d->operands[0].x) : NULL;
    bool well = read_by(m, d->n > 2, &by), several = d->n > 2;
    for (int i = d->n > 1; i < d->n && well; i++) {
        ty_plot_style s = {.name = several ? d->operands[i].label : NULL};
        if (m->grouped) s.by = by.count ? by.codes : ty_cast(m->by.x, TY_F64), s.name = m->by.label;
        s.names = (const char *const *)by.names, s.nnames = by.count;
        well = added(p, ty_plot_points(p, x, vector(d->operands[i].x), s));
    }
    plot_groups_drop(&by);
    return well;
}

/* ---- histograms and bars ---- */

/* Add the histogram of several columns, each a class. */
static bool add_columns(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    ty_tensor *x[PLOT_DATA], *codes[PLOT_DATA];
    const char *names[PLOT_DATA];
    for (int i = 0; i < d->n; i++) {
        x[i] = ty_cast(vector(d->operands[i].x), TY_F64);
        codes[i] = ty_full(TY_I32, 1, (int64_t[]){ty_size(x[i])}, i);
        names[i] = d->operands[i].label;
    }
    ty_plot_style s = {
        .by = ty_concat(d->n, codes, 0), .names = names, .nnames = d->n, .bins = m->bins, .share = m->share};
    return added(p, ty_plot_histogram(p, ty_concat(d->n, x, 0), s));
}

static bool make_histogram(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    struct groups by = {0};
    bool second = d->n == 2 && d->operands[1].nwords;
    if (d->operands[0].nwords)
        return complain("%s has words; --kind bars counts them", d->operands[0].label) == EXIT_SUCCESS;
    if (d->n > 1 && !second) return add_columns(m, p);
    bool well = second ? plot_groups_of(&d->operands[1], FEW, &by) : read_by(m, true, &by);
    ty_plot_style s = {.bins = m->bins,
                       .share = m->share,
                       .name = m->grouped ? m->by.label : NULL,
                       .names = (const char *const *)by.names,
                       .nnames = by.count};
    s.by = by.count ? by.codes : NULL;
    ty_tensor *x = d->operands[0].x;
    well =
        well &&
        added(p, ty_plot_histogram(
                     p, is_vector(x) || by.count ? vector(x) : ty_reshape(x, 1, (int64_t[]){ty_size(x)}), s));
    plot_groups_drop(&by);
    return well;
}

/* Return the numbers of the rows of a table in descending order of their sums. */
static ty_tensor *by_height(ty_tensor *table) { return ty_argsort(ty_sum(table, ty_axis(1)), 0, true); }

/* Add the bars of the words of g in the order of `order`, the rest as one bar if there are many counts. */
static bool add_bars(ty_plot *p, const struct groups *g, ty_tensor *table, ty_tensor *order, bool counts,
                     ty_plot_style s) {
    int64_t n = g->count, shown = n > MOST_BARS ? MOST_BARS : n;
    int64_t *places = malloc((size_t)(n + 1) * sizeof *places);
    const char **words = malloc((size_t)(n + 1) * sizeof *words);
    bool well = places && words && (!n || (ty_read)(order, TY_I64, places));
    char rest[64];
    snprintf(rest, sizeof rest, "%lld others", (long long)(n - shown));
    for (int64_t i = 0; i < shown && well; i++) words[i] = g->names[places[i]];
    ty_tensor *heights = ty_take(table, order, 0);
    if (well && shown < n) {
        ty_tensor *first = ty_slice(heights, 0, 0, shown, 1), *others = ty_slice(heights, 0, shown, n, 1);
        ty_axes rows = ty_axis(0);
        rows.keep = true;
        heights = counts ? ty_concat(2, (ty_tensor *[]){first, ty_sum(others, rows)}, 0) : first;
        if (counts) words[shown++] = rest;
        if (!counts) complain("the first %lld of %lld words are drawn", (long long)shown, (long long)n);
    }
    well = well ? added(p, ty_plot_bars(p, shown, (const char *const *)words, heights, s))
                : complain("out of memory") == EXIT_SUCCESS;
    free(places);
    free(words);
    return well;
}

/* Return true if each row has a word of its own: the table is a list of bars. */
static bool is_list(const struct making *m) {
    const struct datum *d = m->data->operands;
    return m->data->n == 2 && !m->grouped && d->nwords && ty_size(d->x) == d->nwords;
}

static bool make_bars(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    const struct datum *first = d->operands;
    struct groups words = {0}, by = {0};
    if (d->n > 2) return complain("bars: expected words, and at most one column of numbers") == EXIT_SUCCESS;
    bool well = plot_groups_of(first, MOST_BARS * 5, &words) && read_by(m, true, &by);
    if (well && !words.count && ty_size(first->x))
        well = complain("%s has numbers; --kind histogram shows how they are distributed", first->label) ==
               EXIT_SUCCESS;
    if (well && !words.count) words.codes = ty_zeros(TY_I32, 1, (int64_t[]){0});
    ty_tensor *values = d->n > 1 ? vector(d->operands[1].x) : NULL;
    ty_tensor *table = well ? plot_groups_table(&words, by.count ? &by : NULL, values) : NULL;
    if (well && !ty_ok(table)) well = complain_of(table) == EXIT_SUCCESS;
    if (well) {
        ty_plot_style s = {.names = (const char *const *)by.names,
                           .nnames = by.count,
                           .name = by.count ? m->by.label : NULL};
        /* words by their numbers of elements, whole numbers in their order, lists as they are */
        ty_tensor *order = first->nwords && !values ? by_height(table)
                           : is_list(m)             ? ty_cast(first->x, TY_I64)
                                                    : ty_iota(TY_I64, 1, (int64_t[]){words.count}, 0);
        well = add_bars(p, &words, table, order, !values, s);
    }
    plot_groups_drop(&words);
    plot_groups_drop(&by);
    return well;
}

/* ---- matrices ---- */

/* Add the numbers of rows with each pair of words. */
static bool add_pairs(struct making *m, ty_plot *p, bool confusion) {
    const struct datum *d = m->data->operands;
    struct groups rows = {0}, columns = {0};
    bool well = plot_groups_of(&d[0], 1000, &rows) && plot_groups_of(&d[1], 1000, &columns);
    if (well && (!rows.count || !columns.count))
        well = complain("%s: expected words or whole numbers", rows.count ? d[1].label : d[0].label) ==
               EXIT_SUCCESS;
    bool equal = well && rows.count == columns.count;
    for (int64_t i = 0; i < rows.count && equal; i++) equal = !strcmp(rows.names[i], columns.names[i]);
    if (well && confusion && !equal)
        well = complain("%s and %s have different classes; --kind heat counts them", d[0].label,
                        d[1].label) == EXIT_SUCCESS;
    ty_tensor *table = well ? plot_groups_table(&rows, &columns, NULL) : NULL;
    ty_plot_style s = {.names = (const char *const *)columns.names, .nnames = columns.count, .name = "count"};
    s.rows = (const char *const *)rows.names, s.nrows = rows.count, s.share = m->share, s.numbers = true;
    if (well && !ty_ok(table)) well = complain_of(table) == EXIT_SUCCESS;
    well = well && added(p, confusion ? ty_plot_confusion(p, table, s) : ty_plot_heat(p, table, s));
    plot_groups_drop(&rows);
    plot_groups_drop(&columns);
    return well;
}

static bool make_heat(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    ty_plot_style s = {.numbers = m->numbers};
    if (d->n == 2 && (d->operands[0].nwords || d->operands[1].nwords)) return add_pairs(m, p, false);
    if (d->n == 1) return added(p, ty_plot_heat(p, d->operands[0].x, s));
    ty_tensor *columns[PLOT_DATA]; /* columns of a table */
    const char *names[PLOT_DATA];
    for (int i = 0; i < d->n; i++) {
        columns[i] = ty_cast(vector(d->operands[i].x), TY_F64);
        names[i] = d->operands[i].label;
    }
    s.names = names, s.nnames = d->n;
    ty_tensor *x = ty_stack(d->n, columns, 1);
    return added(p, ty_plot_heat(p, x, s));
}

static bool make_confusion(struct making *m, ty_plot *p) {
    if (m->data->n == 2) return add_pairs(m, p, true);
    return added(p, ty_plot_confusion(p, m->data->operands[0].x, (ty_plot_style){.share = m->share}));
}

static bool make_images(struct making *m, ty_plot *p) {
    return added(p, ty_plot_images(p, m->data->operands[0].x, (ty_plot_style){.columns = m->columns}));
}

/* ---- signals ---- */

static bool make_spectrum(struct making *m, ty_plot *p) {
    const struct plot_data *d = m->data;
    bool well = true;
    for (int i = 0; i < d->n && well; i++) {
        ty_plot_style s = {.name = d->n > 1 ? d->operands[i].label : NULL};
        well = added(p, ty_plot_spectrum(p, vector(d->operands[i].x), m->rate, s));
    }
    return well;
}

static bool make_spectrogram(struct making *m, ty_plot *p) {
    return added(p, ty_plot_spectrogram(p, vector(m->data->operands[0].x), m->rate, (ty_plot_style){0}));
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool (*make)(struct making *m, ty_plot *p);
    int most;    /* operands */
    bool labels; /* axes are named as the operands: y, or x and y */
} kinds[KINDS] = {[KIND_CHOSEN] = {"chosen", NULL, 0, false},
                  [KIND_LINE] = {"line", make_line, PLOT_DATA, true},
                  [KIND_POINTS] = {"points", make_points, PLOT_DATA, true},
                  [KIND_HISTOGRAM] = {"histogram", make_histogram, PLOT_DATA, false},
                  [KIND_BARS] = {"bars", make_bars, 2, false},
                  [KIND_HEAT] = {"heat", make_heat, PLOT_DATA, false},
                  [KIND_IMAGES] = {"images", make_images, 1, false},
                  [KIND_SPECTRUM] = {"spectrum", make_spectrum, PLOT_DATA, false},
                  [KIND_SPECTROGRAM] = {"spectrogram", make_spectrogram, 1, false},
                  [KIND_CONFUSION] = {"confusion", make_confusion, 2, false}};
const char *kind_name(int kind) { return kind >= 0 && kind < KINDS ? kinds[kind].name : NULL; }

bool kind_takes(const struct making *m, enum plot_kind kind) {
    enum {
        SIGNALS = 1 << KIND_SPECTRUM | 1 << KIND_SPECTROGRAM,
        MATRICES = 1 << KIND_HEAT | 1 << KIND_CONFUSION
    };
    const struct {
        const char *name;
        bool given;
        int kinds; /* a bit for each */
    } rows[] = {{"--rate", m->rate > 0, SIGNALS},
                {"--bins", m->bins > 0, 1 << KIND_HISTOGRAM},
                {"--share", m->share, 1 << KIND_HISTOGRAM | MATRICES},
                {"--numbers", m->numbers, 1 << KIND_HEAT},
                {"--columns", m->columns > 0, 1 << KIND_IMAGES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char named[128] = "";
        if (!rows[i].given || rows[i].kinds >> kind & 1) continue;
        for (int k = 0, n = 0; k < KINDS; k++)
            if (rows[i].kinds >> k & 1)
                n += snprintf(named + n, sizeof named - (size_t)n, "%s%s", n ? ", " : "", kinds[k].name);
        return complain("%s: it has no effect on the kind %s; it is for %s", rows[i].name, kinds[kind].name,
                        named) == EXIT_SUCCESS;
    }
    return true;
}

/* Name the axes as the operands. */
static void set_labels(struct making *m, enum plot_kind kind) {
    const struct plot_data *d = m->data;
    const struct datum *o = d->operands;
    ty_plot_options *options = &m->options;
    const char *x;
    if (kinds[kind].labels) {
        x_of(m, &x);
        if (x) label(&options->x, x);
        if (d->n <= 2) label(&options->y, o[d->n - 1].label);
        if (d->n == 1 && o->table) label(&options->x, "row");
    } else if (kind == KIND_HISTOGRAM && (d->n == 1 || o[1].nwords)) {
        label(&options->x, o->label);
    } else if (kind == KIND_BARS) {
        label(&options->x, o->label);
        static char mean[300];
        snprintf(mean, sizeof mean, "%s%s", is_list(m) ? "" : "mean of ", o[1].label);
        label(&options->y, d->n > 1 ? mean : "count");
    } else if (kind == KIND_HEAT && d->n == 2 && o[0].nwords) {
        label(&options->y, o[0].label);
        label(&options->x, o[1].label);
    }
}

/* Return true if operand i of n of a kind may have words. */
static bool takes_words(enum plot_kind kind, int i, int n) {
    if (kind == KIND_HEAT || kind == KIND_CONFUSION) return n <= 2;
    return kind == KIND_BARS ? !i : kind == KIND_HISTOGRAM && (!i || n == 2);
}

/* Return true, or false after a message if the kind does not take the operands or --by. */
static bool fits(const struct making *m, enum plot_kind kind) {
    const struct plot_data *d = m->data;
    const char *name = kinds[kind].name;
    if (d->n > kinds[kind].most)
        return complain("--kind %s takes %d operand%s, found %d", name, kinds[kind].most,
                        plural(kinds[kind].most), d->n) == EXIT_SUCCESS;
    for (int i = 0; i < d->n; i++)
        if (d->operands[i].nwords && !takes_words(kind, i, d->n))
            return complain("%s has words; --kind %s draws numbers", d->operands[i].label, name) ==
                   EXIT_SUCCESS;
    bool classes = kind == KIND_LINE || kind == KIND_POINTS || kind == KIND_BARS ||
                   (kind == KIND_HISTOGRAM && d->n == 1);
    return classes || !m->grouped ||
           complain("--by %s: --kind %s of %d operand%s has no classes", m->by.label, name, d->n,
                    plural(d->n)) == EXIT_SUCCESS;
}

ty_plot *kind_make(struct making *m, enum plot_kind kind) {
    if (!fits(m, kind)) return NULL;
    set_labels(m, kind);
    ty_plot *p = ty_plot_new(m->options);
    bool well = !*ty_plot_error(p) || COMPLAIN_FAILURE(ty_plot_failure(p)) == EXIT_SUCCESS;
    well = well && kinds[kind].make(m, p);
    if (well) return p;
    ty_plot_free(p);
    return NULL;
}
