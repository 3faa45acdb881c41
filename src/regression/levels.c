/* Learning of atoms: categories and orthogonal polynomials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "regression/design.h"

static int64_t column_of(const struct values *v, int atom, struct fault *fault) {
    const struct step *s = &v->d->f.steps[v->d->f.atoms[atom].first];
    return columns_find(v->columns, v->d->f.names[s->column], fault);
}

/* ---- categories ---- */

/* A category: its name, and the value that stands for it in the data. */
struct level {
    const char *name;
    double number;
};
static int by_name(const void *a, const void *b) {
    return strcmp(((const struct level *)a)->name, ((const struct level *)b)->name);
}
static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool add_level(struct learned *l, const char *name, double number, struct fault *fault) {
    l->levels[l->count] = mem_copy_text(name);
    l->numbers[l->count] = number;
    return l->levels[l->count++] || fault_memory(fault, strlen(name));
}

static bool reserve_levels(struct learned *l, int64_t count, const char *name, struct fault *fault) {
    if (count > DESIGN_LEVELS)
        return fault_set(fault, E_LIMIT,
                         "formula: %.100s has more than %d different values; categories have fewer", name,
                         DESIGN_LEVELS);
    l->levels = mem_array((size_t)count, sizeof *l->levels);
    l->numbers = mem_array((size_t)count, sizeof *l->numbers);
    return (l->levels && l->numbers) || fault_memory(fault, (size_t)count * 2 * sizeof(double));
}

/* Learn the words that occur in whole rows, in ascending order of their bytes. */
static bool learn_words(struct ty_design *d, int atom, const struct values *v, const bool *whole,
                        int64_t column) {
    struct learned *l = &d->learned[atom];
    const struct columns *c = v->columns;
    int64_t all = c->words(c->table, column), count = 0;
    bool *seen = mem_array((size_t)all, sizeof *seen);
    struct level *levels = mem_array((size_t)all, sizeof *levels);
    bool well = (seen && levels) || fault_memory(&d->fault, (size_t)all * sizeof *levels);
    for (int64_t i = 0; i < v->rows && well; i++) {
        double code = v->atoms[atom][i];
        if (whole[i] && code < (double)all) seen[(int64_t)code] = true;
    }
    for (int64_t code = 0; code < all && well; code++)
        if (seen[code]) levels[count++] = (struct level){c->word(c->table, column, code), (double)code};
    well = well && reserve_levels(l, count, d->f.atoms[atom].name, &d->fault);
    if (well) qsort(levels, (size_t)count, sizeof *levels, by_name);
    for (int64_t i = 0; i < count && well; i++)
        well = add_level(l, levels[i].name, levels[i].number, &d->fault);
    mem_free(seen);
    mem_free(levels);
    return well;
}

/* Learn the distinct numbers of whole rows; truth values are named as in R. */
static bool learn_numbers(struct ty_design *d, int atom, const struct values *v, const bool *whole,
                          bool truth) {
    struct learned *l = &d->learned[atom];
    double *all = mem_array((size_t)v->rows, sizeof *all);
    int64_t n = 0, count = 0;
    if (!all) return fault_memory(&d->fault, (size_t)v->rows * sizeof *all);
    for (int64_t i = 0; i < v->rows; i++)
        if (whole[i]) all[n++] = v->atoms[atom][i] + 0.0; /* -0 is 0 */
    qsort(all, (size_t)n, sizeof *all, by_number);
    for (int64_t i = 0; i < n; i++)
        if (!i || all[i] != all[count - 1]) all[count++] = all[i];
    bool well = reserve_levels(l, count, d->f.atoms[atom].name, &d->fault);
    for (int64_t i = 0; i < count && well; i++) {
        char word[32];
        text_print(word, sizeof word, "%.15g", all[i]);
        well = add_level(l, truth ? (all[i] != 0 ? "TRUE" : "FALSE") : word, all[i], &d->fault);
    }
    mem_free(all);
    return well;
}

bool learn_levels(struct ty_design *d, int atom, const struct values *v, const bool *whole) {
    int64_t column = column_of(v, atom, &d->fault);
    if (column < 0) return false;
    int64_t words = v->columns->words(v->columns->table, column);
    struct learned *l = &d->learned[atom];
    l->grouped = words != -1 || d->f.atoms[atom].kind == ATOM_FACTOR;
    l->words = words >= 0;
    if (!l->grouped) return true;
    return l->words ? learn_words(d, atom, v, whole, column) : learn_numbers(d, atom, v, whole, words == -2);
}

/* Return the index of a value's category, -1 if it is unknown. */
static int64_t level_of(const struct learned *l, const char *word, double number) {
    int64_t low = 0, high = l->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int order = word ? strcmp(l->levels[middle], word) : by_number(&l->numbers[middle], &number);
        if (order == 0) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

bool values_group(struct values *v, int atom, struct fault *fault) {
    const struct learned *l = &v->d->learned[atom];
    const struct columns *c = v->columns;
    int64_t column = column_of(v, atom, fault);
    if (column < 0) return false;
    if ((c->words(c->table, column) >= 0) != l->words)
        return fault_set(fault, E_DTYPE, "formula: %.100s has %s here, and had %s in the model",
                         v->d->f.atoms[atom].name, l->words ? "numbers" : "words",
                         l->words ? "words" : "numbers");
    double last = NAN, index = NAN;
    for (int64_t i = 0; i < v->rows; i++) {
        double *x = &v->atoms[atom][i];
        if (isnan(*x)) continue;
        if (*x != last) {
            const char *word = l->words ? c->word(c->table, column, (int64_t)*x) : NULL;
            int64_t found = l->words && !word ? -1 : level_of(l, word, *x);
            if (found < 0 && word)
                return fault_set(fault, E_DOMAIN,
                                 "formula: %.100s is \"%.100s\" in row %lld; the model has not seen it",
                                 v->d->f.atoms[atom].name, word, (long long)i);
            if (found < 0)
                return fault_set(fault, E_DOMAIN,
                                 "formula: %.100s is %g in row %lld; the model has not seen it",
                                 v->d->f.atoms[atom].name, *x, (long long)i);
            last = *x;
            index = (double)found;
        }
        *x = index;
    }
    return true;
}

/* ---- polynomials ---- */

/* Three-term recurrence of polynomials orthogonal over the whole rows (W. Kennedy and J. Gentle, "Statistical
   computing", 1980, section 8.3): p[k+1] = (x - centre[k]) p[k] - norm[k] / norm[k-1] p[k-1]. */
bool learn_poly(struct ty_design *d, int atom, const struct values *v, const bool *whole) {
    const struct atom *a = &d->f.atoms[atom];
    struct learned *l = &d->learned[atom];
    if (a->raw) return true;
    size_t degree = (size_t)a->degree, rows = (size_t)v->rows;
    double *now = mem_array(rows, sizeof *now), *before = mem_array(rows, sizeof *before), last = 1;
    l->centre = mem_array(degree, sizeof *l->centre);
    l->norm = mem_array(degree + 1, sizeof *l->norm);
    bool well = (now && before && l->centre && l->norm) || fault_memory(&d->fault, 2 * rows * sizeof *now);
    for (size_t i = 0; i < rows && well; i++) now[i] = 1;
    for (size_t k = 0; k <= degree && well; k++) {
        double norm = 0, moment = 0;
        for (size_t i = 0; i < rows; i++) {
            if (!whole[i]) continue;
            norm += now[i] * now[i];
            moment += now[i] * now[i] * v->atoms[atom][i];
        }
        l->norm[k] = norm;
        /* rounding leaves about eps^2 of the first norm where fewer values differ than the degree needs */
        well = norm > 1e-28 * last ||
               fault_set(&d->fault, E_DOMAIN, "formula: %.100s needs more than %d different values", a->name,
                         a->degree);
        last = norm;
        if (!well || k == degree) break;
        l->centre[k] = moment / norm;
        for (size_t i = 0; i < rows; i++) {
            double ratio = k ? norm / l->norm[k - 1] : 0;
            double next = (v->atoms[atom][i] - l->centre[k]) * now[i] - ratio * before[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    mem_free(now);
    mem_free(before);
    return well;
}

/* Return the normed polynomial of degree k + 1 at x. */
static double poly_value(const struct learned *l, int64_t k, double x) {
    double now = 1, before = 0;
    for (int64_t i = 0; i <= k; i++) {
        double next = (x - l->centre[i]) * now - (i ? l->norm[i] / l->norm[i - 1] * before : 0);
        before = now;
        now = next;
    }
    return now / sqrt(l->norm[k + 1]);
}

/* ---- columns of atoms ---- */

int64_t atom_columns(const struct ty_design *d, int atom, bool full) {
    const struct learned *l = &d->learned[atom];
    if (l->grouped) return l->count - !full;
    return d->f.atoms[atom].kind == ATOM_POLY ? d->f.atoms[atom].degree : 1;
}

double atom_value(const struct ty_design *d, int atom, bool full, int64_t k, double value) {
    const struct atom *a = &d->f.atoms[atom];
    const struct learned *l = &d->learned[atom];
    if (isnan(value)) return value;
    if (l->grouped) return value == (double)(k + !full);
    if (a->kind != ATOM_POLY) return value;
    if (!a->raw) return poly_value(l, k, value);
    double power = value;
    for (int64_t i = 0; i < k; i++) power *= value;
    return power;
}

void atom_name(const struct ty_design *d, int atom, bool full, int64_t k, struct text *name) {
    const struct learned *l = &d->learned[atom];
    text_add(name, "%s", d->f.atoms[atom].name);
    if (l->grouped)
        text_add(name, "%s", l->levels[k + !full]);
    else if (d->f.atoms[atom].kind == ATOM_POLY)
        text_add(name, "%lld", (long long)(k + 1));
}
