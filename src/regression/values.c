/* Values of the atoms of a formula. */
#include <math.h>
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "base/math/scalar.h"
#include "base/nearest.h"
#include "regression/design.h"

bool columns_refuse(const struct columns *c, const char *name, struct fault *fault) {
    return nearest_refuse(fault, "formula: the data", name, "", c->count, c->name, c->table);
}

int64_t columns_find(const struct columns *c, const char *name, struct fault *fault) {
    for (int64_t i = 0; i < c->count; i++)
        if (!strcmp(c->name(c->table, i), name)) return i;
    columns_refuse(c, name, fault);
    return -1;
}

/* Read a column to a new array [rows], codes of -1 as NaN. */
static double *read_column(const struct columns *c, int64_t i, struct fault *fault) {
    double *all = mem_array((size_t)c->rows, sizeof *all);
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_eval(c->values(c->table, i));
    if (!ty_ok(x))
        fault_tensor(fault, x);
    else if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        fault_set(fault, E_DTYPE, "formula: column %.100s has complex numbers", c->name(c->table, i));
    else if (ty_rank(x) != 1 || ty_shape(x)[0] != c->rows)
        fault_set(fault, E_SHAPE, "formula: column %.100s is not a vector of %lld elements",
                  c->name(c->table, i), (long long)c->rows);
    else if (!all || !ty_read(x, TY_F64, all))
        fault_memory(fault, (size_t)c->rows * sizeof *all);
    ty_close(scope);
    if (c->words(c->table, i) >= 0 && !fault->set)
        for (int64_t k = 0; k < c->rows; k++)
            if (all[k] < 0) all[k] = NAN;
    if (!fault->set) return all;
    mem_free(all);
    return NULL;
}

/* Compute the steps of an atom in row i; stack has FORMULA_STACK values. */
static double compute(const struct values *v, const struct atom *a, int64_t i, double *stack) {
    int n = 0;
    for (int k = 0; k < a->count; k++) {
        const struct step *s = &v->d->f.steps[a->first + k];
        double right = n ? stack[n - 1] : 0;
        bool leaf = s->op == 'n' || s->op == 'v', unary = s->op == 'm' || s->op == 'f';
        if (!leaf && !unary) n--;
        double left = n ? stack[n - 1] : 0;
        double value = s->op == 'n'   ? s->number
                       : s->op == 'v' ? v->named[s->column][i]
                       : s->op == 'm' ? -right
                       : s->op == 'f' ? s->function(right)
                       : s->op == '+' ? left + right
                       : s->op == '-' ? left - right
                       : s->op == '*' ? left * right
                       : s->op == '/' ? left / right
                                      : math_pow(left, right);
        if (leaf) n++;
        stack[n - 1] = value;
    }
    return stack[0];
}

/* True if arithmetic mentions a column of words, with the fault set. */
static bool refuse_words(const struct values *v, const struct atom *a, struct fault *fault) {
    for (int k = 0; k < a->count; k++) {
        const struct step *s = &v->d->f.steps[a->first + k];
        int64_t column = s->op == 'v' ? columns_find(v->columns, v->d->f.names[s->column], fault) : -1;
        if (column < 0 || v->columns->words(v->columns->table, column) < 0) continue;
        fault_set(fault, E_DTYPE, "formula: %.100s is a column of words, which has no arithmetic",
                  v->d->f.names[s->column]);
    }
    return fault->set;
}

/* Read the columns that an atom mentions. */
static bool read_named(struct values *v, const struct atom *a, struct fault *fault) {
    for (int k = 0; k < a->count; k++) {
        const struct step *s = &v->d->f.steps[a->first + k];
        if (s->op != 'v' || v->named[s->column]) continue;
        int64_t column = columns_find(v->columns, v->d->f.names[s->column], fault);
        v->named[s->column] = column < 0 ? NULL : read_column(v->columns, column, fault);
        if (!v->named[s->column]) return false;
    }
    return true;
}

static bool read_atom(struct values *v, int i, struct fault *fault) {
    const struct atom *a = &v->d->f.atoms[i];
    double stack[FORMULA_STACK];
    bool arithmetic = a->kind == ATOM_VALUE || a->kind == ATOM_POLY;
    if (!read_named(v, a, fault) || (arithmetic && refuse_words(v, a, fault))) return false;
    v->atoms[i] = mem_array((size_t)v->rows, sizeof **v->atoms);
    if (!v->atoms[i]) return fault_memory(fault, (size_t)v->rows * sizeof **v->atoms);
    for (int64_t k = 0; k < v->rows; k++) v->atoms[i][k] = compute(v, a, k, stack);
    return true;
}

bool values_read(struct values *v, const struct ty_design *d, const struct columns *columns, int first,
                 struct fault *fault) {
    *v = (struct values){d, columns, columns->rows, NULL, NULL};
    v->named = mem_array((size_t)d->f.nnames, sizeof *v->named);
    v->atoms = mem_array((size_t)d->f.natoms, sizeof *v->atoms);
    if (!v->named || !v->atoms) return fault_memory(fault, (size_t)d->f.natoms * sizeof *v->atoms);
    for (int i = first; i < d->f.natoms; i++)
        if (!read_atom(v, i, fault)) return false;
    return true;
}

void values_free(struct values *v) {
    for (int i = 0; i < v->d->f.nnames && v->named; i++) mem_free(v->named[i]);
    for (int i = 0; i < v->d->f.natoms && v->atoms; i++) mem_free(v->atoms[i]);
    mem_free(v->named);
    mem_free(v->atoms);
}
