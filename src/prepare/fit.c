/* Fitting of preparations: the choice of a treatment by a column's values, and its numbers and words. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "prepare/prepare.h"
#include "prepare/treat.h"
#include "table/table.h"

enum {
    MOST_WORDS = 30, /* features of a column of words: enough for countries' regions, few for addresses */
    RARE = 5, /* rows: the expected count below which tests of independence distrust a cell (Cochran 1954) */
    MOST_VALUES = 1 << 20 /* distinct values that are counted: their counts take 8 MiB */
};

/* Return the plan of a column, of zeros if it has none. */
static struct ty_column_plan plan_of(const ty_preparation_options *o, const char *name) {
    for (int64_t i = 0; i < o->nplans; i++)
        if (!strcmp(o->plans[i].name, name)) return o->plans[i];
    return (struct ty_column_plan){0};
}

/* Return true if a name ends as those of identifiers do: "id", "PassengerId", "row_id", "index", "Unnamed: 0"; but not
   "PAID". */
static bool is_identifier(const char *name) {
    size_t n = strlen(name);
    if (!strcasecmp(name, "index") || !strncmp(name, "Unnamed", 7)) return true;
    if (n < 2 || strcasecmp(name + n - 2, "id")) return false;
    return n == 2 || strchr("_- .", name[n - 3]) ||
           (name[n - 2] == 'I' && name[n - 3] >= 'a' && name[n - 3] <= 'z');
}

static bool drop(struct treatment *t, const char *why) {
    t->encoding = TY_ENCODE_DROP;
    text_print(t->why, sizeof t->why, "%s", why);
    return true;
}

/* ---- words ---- */

static int descending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* Set *least to the smallest count of a value with a feature of its own, and *ties to the number of values of this count
   that have one; false sets the fault. */
static bool kept_count(const struct tally *tally, const ty_preparation_options *o, int64_t *least,
                       int64_t *ties, struct fault *fault) {
    size_t n = (size_t)tally->values->count;
    int64_t most = o->most_words ? o->most_words : MOST_WORDS, *counts = mem_array(n + 1, sizeof *counts);
    if (!counts) return fault_memory(fault, n * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[i] = tally->counts[i];
    qsort(counts, n, sizeof *counts, descending);
    *least = o->rare ? o->rare : RARE;
    if (!o->rare && n && counts[0] < RARE) *least = 1;
    if (n > (size_t)most && counts[most - 1] > *least) *least = counts[most - 1];
    *ties = most;
    for (size_t i = 0; i < n && counts[i] > *least; i++) --*ties;
    mem_free(counts);
    return true;
}

/* Give values[] of a treatment the values of the tally that have features: all for an ordinal one. */
static bool keep_values(struct treatment *t, const struct tally *tally, const ty_preparation_options *o,
                        struct fault *fault) {
    int64_t least = 1, ties = INT64_MAX;
    if (t->encoding == TY_ENCODE_ONE_HOT && !kept_count(tally, o, &least, &ties, fault)) return false;
    t->values = words_new();
    if (!t->values) return fault_memory(fault, sizeof *t->values);
    for (int64_t i = 0; i < tally->values->count; i++) {
        const char *word = words_at(tally->values, i);
        if (tally->counts[i] < least || (tally->counts[i] == least && ties-- <= 0))
            t->other = true;
        else if (words_add(t->values, word, strlen(word)) < 0)
            return fault_memory(fault, strlen(word));
    }
    t->other = t->other && t->encoding == TY_ENCODE_ONE_HOT;
    return true;
}

/* Choose and fit a treatment by distinct values. */
static bool fit_values(struct treatment *t, const struct series *c, const ty_preparation_options *o,
                       struct fault *fault) {
    struct tally tally;
    bool ok = tally_count(&tally, c, MOST_VALUES, fault);
    int64_t n = ok ? tally.values->count : 0, most = o->most_words ? o->most_words : MOST_WORDS;
    if (ok && t->encoding == TY_ENCODE_CHOSEN) {
        t->encoding = TY_ENCODE_ONE_HOT;
        if (!n || (n == 1 && !t->missing))
            drop(t, n ? "one word" : "no values");
        else if (tally.many || (n > most && 2 * n > tally.present))
            drop(t, "words differ in most rows");
        else
            text_print(t->why, sizeof t->why, "%" PRId64 " words", n);
    } else if (ok && tally.many) {
        ok = fault_set(fault, E_ARGUMENT, "preparation: column \"%.100s\" has more than %d distinct values",
                       t->name, MOST_VALUES);
    }
    if (ok && t->encoding != TY_ENCODE_DROP) ok = keep_values(t, &tally, o, fault);
    tally_drop(&tally);
    return ok;
}

/* ---- numbers ---- */

/* Choose the encoding of a column of numbers. */
static void choose_number(struct treatment *t, const struct numbers *s, int64_t rows) {
    t->encoding = TY_ENCODE_NUMBER;
    if (!s->present)
        drop(t, "no values");
    else if (s->distinct == 1 && !t->missing)
        drop(t, "one value");
    else if (s->whole && s->distinct == rows && rows > 1 && is_identifier(t->name))
        drop(t, "an identifier: all rows differ");
    else
        text_print(t->why, sizeof t->why, "%s", t->kind == TY_COLUMN_BOOL ? "truth values" : "numbers");
}

/* Set shift and scale by the treated numbers x[0 .. n). */
static bool fit_scale(struct treatment *t, int64_t n, const double *x, struct fault *fault) {
    struct numbers s;
    t->scale = 1;
    if (t->scaling == TY_SCALING_NONE) return true;
    if (!numbers_of(&s, n, x, fault)) return false;
    bool robust = t->scaling == TY_SCALING_ROBUST, standard = t->scaling == TY_SCALING_STANDARD;
    if (s.distinct < 2) standard = robust = false; /* a mean of equal numbers has rounding errors */
    t->shift = standard ? s.mean : robust ? s.median : s.least;
    t->scale = standard ? s.deviation : robust ? s.upper - s.lower : s.greatest - s.least;
    if (!(t->scale > 0) || !isfinite(t->scale)) t->scale = 1;
    if (!isfinite(t->shift))
        return fault_set(fault, E_DOMAIN,
                         "preparation: the numbers of column \"%.100s\" are too large to scale", t->name);
    return true;
}

/* Fit the numbers of an encoding as one feature: codes of an ordinal one, or the numbers themselves. */
static bool fit_number(struct treatment *t, const struct series *c, struct fault *fault) {
    struct numbers s;
    double *x = mem_array(c->n ? (size_t)c->n : 1, sizeof *x);
    if (!x) return fault_memory(fault, (size_t)c->n * sizeof *x);
    for (int64_t i = 0; i < c->n; i++) x[i] = treat_raw(t, c, i);
    bool ok = numbers_of(&s, c->n, x, fault);
    if (ok) {
        t->filled = t->fill == TY_FILL_MEAN ? s.mean : t->fill == TY_FILL_MEDIAN ? s.median : s.frequent;
        if (!s.present) t->filled = 0;
        for (int64_t i = 0; i < c->n; i++) x[i] = treat_number(t, x[i]);
        ok = fit_scale(t, c->n, x, fault);
    }
    mem_free(x);
    return ok;
}

/* ---- columns ---- */

/* Set the treatment's choices from the plan. */
static void follow(struct treatment *t, const struct ty_column_plan *plan, const ty_preparation_options *o) {
    t->encoding = plan->encoding;
    t->fill = plan->fill;
    if (!t->fill) t->fill = t->kind == TY_COLUMN_BOOL ? TY_FILL_FREQUENT : TY_FILL_MEDIAN;
    t->scaling = plan->scaling ? plan->scaling : o->scaling;
    if (!plan->scaling && t->kind == TY_COLUMN_BOOL) t->scaling = TY_SCALING_NONE;
    if (!t->scaling) t->scaling = TY_SCALING_STANDARD;
    t->log = plan->log;
    t->clipped = plan->clipped;
    t->low = plan->clipped ? plan->low : 0;
    t->high = plan->clipped ? plan->high : 0;
}

/* Fit the treatment of a column in memory; false sets the fault. */
static bool fit_series(struct treatment *t, const struct series *c, const ty_preparation_options *o,
                       struct fault *fault) {
    char room[VALUE_WORD];
    struct numbers s;
    for (int64_t i = 0; i < c->n; i++) t->missing += !series_word(c, i, room);
    if (c->numbers && t->encoding == TY_ENCODE_CHOSEN) {
        if (!numbers_of(&s, c->n, c->numbers, fault)) return false;
        choose_number(t, &s, c->n);
    }
    if (t->encoding == TY_ENCODE_NUMBER && !c->numbers)
        return fault_set(fault, E_DTYPE,
                         "preparation: column \"%.100s\" has words, which are no numbers: plan "
                         "TY_ENCODE_ONE_HOT or TY_ENCODE_ORDINAL",
                         t->name);
    if (t->encoding != TY_ENCODE_NUMBER && t->encoding != TY_ENCODE_DROP && !fit_values(t, c, o, fault))
        return false;
    bool one = t->encoding == TY_ENCODE_NUMBER || t->encoding == TY_ENCODE_ORDINAL;
    return !one || fit_number(t, c, fault);
}

/* Fit the treatment of column i and append it; false sets the preparation's fault. */
static bool fit_column(ty_preparation *p, const ty_table *table, int64_t i, const ty_preparation_options *o) {
    struct treatment t = {.name = mem_copy_text(ty_table_name(table, i)), .kind = ty_table_kind(table, i)};
    if (!t.name) return fault_memory(&p->fault, 1);
    struct ty_column_plan plan = plan_of(o, t.name);
    struct series series = {0};
    follow(&t, &plan, o);
    ty_scope *scope = ty_open();
    bool imaginary = ty_dtype_of(ty_table_values(table, i)) >= TY_C64;
    ty_close(scope);
    bool ok = true;
    if (imaginary && !plan.encoding)
        drop(&t, "complex numbers");
    else if (t.encoding != TY_ENCODE_DROP)
        ok = series_read(&series, table, i, &p->fault) && fit_series(&t, &series, o, &p->fault);
    series_drop(&series);
    t.flagged = ok && t.encoding != TY_ENCODE_DROP && t.missing > 0 && !plan.unflagged;
    if (ok) return preparation_add(p, t);
    treatment_drop(&t);
    return false;
}

/* Check one plan; false sets the fault. */
static bool check_plan(const ty_column_plan *plan, const ty_table *table, struct fault *fault) {
    if (!plan->name) return fault_set(fault, E_ARGUMENT, "preparation_fit: a plan has no name of a column");
    if (ty_table_find(table, plan->name) < 0)
        return table_refuse(table, "preparation_fit: the table", plan->name, ", which has a plan", fault);
    if ((unsigned)plan->encoding >= TY_ENCODINGS || (unsigned)plan->fill >= TY_FILLS ||
        (unsigned)plan->scaling >= TY_SCALINGS)
        return fault_set(fault, E_ARGUMENT,
                         "preparation_fit: the plan of column \"%.100s\" has an unknown number", plan->name);
    if (plan->clipped && !(plan->low <= plan->high && isfinite(plan->low) && isfinite(plan->high)))
        return fault_set(
            fault, E_ARGUMENT,
            "preparation_fit: column \"%.100s\" is clipped to %g..%g; expected ascending numbers", plan->name,
            plan->low, plan->high);
    return options_unused(plan->unused, sizeof plan->unused, "plan", fault);
}

/* Check the options; false sets the fault. */
static bool check_options(const ty_preparation_options *o, const ty_table *table, struct fault *fault) {
    if (ty_table_columns(table) && !ty_table_rows(table))
        return fault_set(fault, E_ARGUMENT, "preparation_fit: the table has no rows");
    if ((unsigned)o->task >= TY_TASKS || (unsigned)o->scaling >= TY_SCALINGS)
        return fault_set(fault, E_ARGUMENT, "preparation_fit: unknown task %d or scaling %d", (int)o->task,
                         (int)o->scaling);
    if (o->most_words < 0 || o->rare < 0 || o->nplans < 0 || (o->nplans && !o->plans))
        return fault_set(fault, E_ARGUMENT,
                         "preparation_fit: most_words, rare and nplans are 0 or more, with plans for nplans");
    for (int64_t i = 0; i < o->nplans; i++)
        if (!check_plan(&o->plans[i], table, fault)) return false;
    return true;
}

ty_preparation *ty_preparation_fit_sized(const ty_table *table, const ty_preparation_options *given,
                                         size_t size) {
    FLOATING_DEFAULT;
    ty_preparation_options o;
    ty_preparation *p = preparation_begin();
    ty_scope *scope = ty_open();
    if (OPTIONS_READ(o, given, size, &p->fault) && *ty_table_error(table))
        fault_tensor(&p->fault, ty_table_failure(table));
    ty_close(scope);
    if (!p->fault.set && check_options(&o, table, &p->fault) && o.target)
        preparation_fit_target(p, table, &o);
    for (int64_t i = 0; i < ty_table_columns(table) && !p->fault.set; i++)
        if (!o.target || strcmp(ty_table_name(table, i), o.target)) fit_column(p, table, i, &o);
    if (!p->fault.set) p->rows = ty_table_rows(table); /* a failure may be a static object */
    return preparation_end(p);
}
