/* Columns of a model, from a formula and data. */
#include "regression/design.h"
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "base/context/stop.h"
#include "ops/core/structure.h"

/* ---- contrasts ---- */

/* True if the model has the term without its atom at `place`. */
static bool has_margin(const struct ty_design *d, const struct term *t, int place) {
    const struct terms *all = &d->f.terms;
    if (t->count == 1) return true; /* the rest is the constant, or the first factor stands for it */
    for (int i = 0; i < all->count; i++) {
        const struct term *other = &all->items[i];
        bool equal = other->count == t->count - 1;
        for (int k = 0; k < other->count && equal; k++) equal = other->atoms[k] == t->atoms[k + (k >= place)];
        if (equal) return true;
    }
    return false;
}

/* Choose as R does: categories lose their first one if the model has the term without them.  Without a constant, the
   first factor keeps all. */
static bool choose_contrasts(struct ty_design *d) {
    bool first = !d->f.constant;
    size_t bytes = (size_t)d->f.terms.count * FORMULA_ORDER;
    d->full = mem_alloc(bytes);
    if (!d->full) return fault_memory(&d->fault, bytes);
    for (int i = 0; i < d->f.terms.count; i++) {
        const struct term *t = &d->f.terms.items[i];
        for (int k = 0; k < t->count; k++) {
            bool grouped = d->learned[t->atoms[k]].grouped;
            d->full[i * FORMULA_ORDER + k] = grouped && (first || !has_margin(d, t, k));
            if (grouped) first = false;
        }
    }
    return true;
}

/* ---- columns ---- */

/* One column of a term: each atom, and which of its columns. */
struct column {
    const struct term *term;
    const char *full;
    int64_t at[FORMULA_ORDER];
};

/* Return the number of columns of term i, 0 on overflow of their bound. */
static int64_t term_columns(const struct ty_design *d, int i) {
    const struct term *t = &d->f.terms.items[i];
    int64_t count = 1;
    for (int k = 0; k < t->count; k++)
        if (!checked_mul(count, atom_columns(d, t->atoms[k], d->full[i * FORMULA_ORDER + k]), &count))
            return INT64_MAX;
    return count;
}

/* Set column number k of term i; the first atom varies fastest. */
static struct column column_at(const struct ty_design *d, int i, int64_t k) {
    struct column c = {&d->f.terms.items[i], d->full + i * FORMULA_ORDER, {0}};
    for (int j = 0; j < c.term->count; j++) {
        int64_t count = atom_columns(d, c.term->atoms[j], c.full[j]);
        c.at[j] = k % count;
        k /= count;
    }
    return c;
}

static char *column_name(const struct ty_design *d, const struct column *c) {
    struct text name = {0};
    for (int j = 0; j < c->term->count; j++) {
        if (j) text_add(&name, ":");
        atom_name(d, c->term->atoms[j], c->full[j], c->at[j], &name);
    }
    return text_take(&name);
}

static bool name_columns(struct ty_design *d) {
    int64_t n = 0;
    d->names = mem_array((size_t)d->columns, sizeof *d->names);
    bool well = d->names;
    if (well && d->f.constant) well = (d->names[n++] = mem_copy_text("(Intercept)")) != NULL;
    for (int i = 0; i < d->f.terms.count && well; i++)
        for (int64_t k = 0, count = term_columns(d, i); k < count && well; k++) {
            struct column c = column_at(d, i, k);
            well = (d->names[n++] = column_name(d, &c)) != NULL;
        }
    return well || fault_memory(&d->fault, (size_t)d->columns * sizeof *d->names);
}

/* Set the fault that a term has no column, by its category with a single value; always return false.  R refuses it, too. */
static bool refuse_single(struct ty_design *d, int i) {
    const struct term *t = &d->f.terms.items[i];
    int k = 0;
    while (atom_columns(d, t->atoms[k], d->full[i * FORMULA_ORDER + k]) > 0) k++;
    const struct learned *l = &d->learned[t->atoms[k]];
    const char *value = l->count && l->words ? l->levels[0] : NULL;
    return fault_set(
        &d->fault, E_ARGUMENT,
        "formula: %.100s has %s%s%.40s%s in the rows that count, so it tells nothing: leave it out",
        d->f.atoms[t->atoms[k]].name, l->count ? "one value" : "no values", value ? ", \"" : "",
        value ? value : "", value ? "\"," : "");
}

static bool count_columns(struct ty_design *d) {
    d->columns = d->f.constant;
    for (int i = 0; i < d->f.terms.count; i++) {
        int64_t more = term_columns(d, i);
        if (more <= 0) return refuse_single(d, i);
        if (more > DESIGN_COLUMNS || (d->columns += more) > DESIGN_COLUMNS)
            return fault_set(&d->fault, E_LIMIT, "formula: the model has more than %d columns",
                             DESIGN_COLUMNS);
    }
    return d->columns > 0 || fault_set(&d->fault, E_ARGUMENT, "formula: the model has no columns");
}

/* Write one column to rows[.., columns], at its place; NaN in rows that are not whole. */
static void fill(const struct values *v, const bool *whole, const struct column *c, double *to) {
    const struct ty_design *d = v->d;
    for (int64_t i = 0; i < v->rows; i++) {
        double product = whole && !whole[i] ? NAN : 1;
        for (int j = 0; j < c->term->count; j++) {
            int atom = c->term->atoms[j];
            product *= atom_value(d, atom, c->full[j], c->at[j], v->atoms[atom][i]);
        }
        to[i * d->columns] = product;
    }
}

/* Make the matrix of grouped values, with NaN in rows that are not whole (NULL: not known); poison on failure. */
static ty_tensor *matrix_of(const struct values *v, const bool *whole) {
    const struct ty_design *d = v->d;
    size_t cells;
    double *all =
        checked_mul_size((size_t)v->rows, (size_t)d->columns, &cells) ? mem_array(cells, sizeof *all) : NULL;
    struct fault fault = {0};
    if (!all) return tensor_out_of_memory();
    static const struct term none;
    if (d->f.constant) fill(v, whole, &(struct column){.term = &none}, all);
    int64_t n = d->f.constant;
    for (int i = 0; i < d->f.terms.count && stop_check(&fault); i++)
        for (int64_t k = 0, count = term_columns(d, i); k < count && stop_check(&fault); k++, n++) {
            struct column c = column_at(d, i, k);
            fill(v, whole, &c, all + n);
        }
    ty_tensor *x =
        fault.set ? tensor_fault(&fault) : ty_from(TY_F64, 2, (int64_t[]){v->rows, d->columns}, all);
    mem_free(all);
    return x;
}

/* ---- designs ---- */

/* Set the response: numbers, or 0 and 1 for the first and any other of two categories. */
static bool take_response(struct ty_design *d, struct values *v) {
    const struct learned *l = &d->learned[0];
    if (!d->f.answered) return true;
    if (l->grouped && l->count != 2)
        return fault_set(&d->fault, E_DOMAIN,
                         "formula: the response %.100s has %lld different words; expected 2",
                         d->f.atoms[0].name, (long long)l->count);
    ty_tensor *y = ty_from(TY_F64, 1, &v->rows, v->atoms[0]);
    if (!ty_ok(y)) return fault_tensor(&d->fault, y);
    d->response = ty_retain(y);
    return true;
}

/* Mark the rows without a missing value. */
static bool *whole_rows(const struct values *v) {
    bool *whole = mem_array((size_t)v->rows, sizeof *whole);
    for (int64_t i = 0; i < v->rows && whole; i++) {
        whole[i] = true;
        for (int k = 0; k < v->d->f.natoms && whole[i]; k++) whole[i] = !isnan(v->atoms[k][i]);
    }
    return whole;
}

static bool learn(struct ty_design *d, struct values *v, const bool *whole) {
    for (int i = 0; i < d->f.natoms; i++) {
        enum atom_kind kind = d->f.atoms[i].kind;
        if ((kind == ATOM_COLUMN || kind == ATOM_FACTOR) && !learn_levels(d, i, v, whole)) return false;
        if (kind == ATOM_POLY && !learn_poly(d, i, v, whole)) return false;
    }
    return true;
}

/* Replace categories by their indices; those of rows that are not whole may be unknown, and become missing. */
static bool group_all(struct values *v, const bool *whole, struct fault *fault) {
    for (int i = 0; i < v->d->f.natoms; i++) {
        if (!v->d->learned[i].grouped || !v->atoms[i]) continue;
        for (int64_t k = 0; k < v->rows && whole; k++)
            if (!whole[k]) v->atoms[i][k] = NAN;
        if (!values_group(v, i, fault)) return false;
    }
    return true;
}

static bool build(struct ty_design *d, const char *formula, const struct columns *columns) {
    struct values v = {.d = d};
    bool *whole = NULL;
    bool well = formula_parse(&d->f, formula, columns, &d->fault);
    d->learned = mem_array((size_t)d->f.natoms, sizeof *d->learned);
    if (well && !d->learned) well = fault_memory(&d->fault, (size_t)d->f.natoms * sizeof *d->learned);
    well = well && values_read(&v, d, columns, 0, &d->fault);
    if (well) well = (whole = whole_rows(&v)) || fault_memory(&d->fault, (size_t)v.rows);
    well = well && learn(d, &v, whole) && choose_contrasts(d) && count_columns(d) && name_columns(d) &&
           group_all(&v, whole, &d->fault) && take_response(d, &v);
    if (well) {
        ty_tensor *x = matrix_of(&v, whole);
        well = ty_ok(x) || fault_tensor(&d->fault, x);
        if (well) d->matrix = ty_retain(x);
    }
    d->rows = v.rows;
    mem_free(whole);
    values_free(&v);
    return well;
}

struct ty_design *design_new(const char *formula, const struct columns *columns) {
    struct ty_design *d = mem_alloc(sizeof *d);
    if (!d) return NULL;
    ty_scope *scope = ty_open();
    build(d, formula, columns);
    ty_close(scope);
    return d;
}

/* True if a term has the response, the first atom, as a factor; atoms of terms ascend. */
static bool mentions_response(const struct ty_design *d) {
    for (int i = 0; i < d->f.terms.count; i++)
        if (d->f.terms.items[i].count && !d->f.terms.items[i].atoms[0]) return true;
    return false;
}

ty_tensor *design_apply(const struct ty_design *d, const struct columns *columns) {
    struct fault fault = {0};
    struct values v;
    bool well = values_read(&v, d, columns, d->f.answered && !mentions_response(d), &fault) &&
                group_all(&v, NULL, &fault);
    ty_tensor *x = well ? matrix_of(&v, NULL) : tensor_fault(&fault);
    values_free(&v);
    return x;
}

void design_free(struct ty_design *d) {
    if (!d) return;
    for (int i = 0; i < d->f.natoms && d->learned; i++) {
        struct learned *l = &d->learned[i];
        for (int64_t k = 0; k < l->count; k++) mem_free(l->levels[k]);
        void *all[] = {l->levels, l->numbers, l->centre, l->norm};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    }
    for (int64_t j = 0; j < d->columns && d->names; j++) mem_free(d->names[j]);
    mem_free(d->names);
    mem_free(d->learned);
    mem_free(d->full);
    ty_release(d->matrix);
    ty_release(d->response);
    formula_free(&d->f);
    mem_free(d);
}
