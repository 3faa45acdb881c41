/* Attributes and bodies of operators for the caller, by the tables that files of graphs are written by (field.h). */
#include <stdio.h>
#include <string.h>
#include <tyto/walk.h>
#include "ops/core/structure.h"

/* 1 + the kind of the fields of a type; 0: they are no attributes of the caller's. */
static const int kinds[FIELD_TYPES] = {
    [FIELD_INT] = 1 + TY_ATTRIBUTE_INTEGER,  [FIELD_LONG] = 1 + TY_ATTRIBUTE_INTEGER,
    [FIELD_WORD] = 1 + TY_ATTRIBUTE_INTEGER, [FIELD_BYTE] = 1 + TY_ATTRIBUTE_INTEGER,
    [FIELD_REAL] = 1 + TY_ATTRIBUTE_REAL,    [FIELD_FLAG] = 1 + TY_ATTRIBUTE_FLAG,
    [FIELD_DTYPE] = 1 + TY_ATTRIBUTE_DTYPE,  [FIELD_WIDER] = 1 + TY_ATTRIBUTE_DTYPE,
    [FIELD_NAME] = 1 + TY_ATTRIBUTE_NAME,    [FIELD_AXES] = 1 + TY_ATTRIBUTE_AXES,
    [FIELD_BODY] = 1 + TY_ATTRIBUTE_BODY,
};

/* An attribute as the caller sees it: a field, or a member of each record of a list of records. */
struct part {
    const struct field *field;
    const char *first; /* its first element; the next ones follow in steps of `step` bytes */
    size_t step;
    ty_attribute is;
};

/* Return the number of axes in the set at `at`. */
static int64_t set_size(const struct field *f, const char *at) {
    return __builtin_popcountll((uint64_t)field_number(f, at));
}

/* Describe field f of `count` elements from `first` on in *p, as a member of the list `record` unless that is NULL. */
static void describe(struct part *p, const struct field *f, const char *record, const char *first,
                     size_t step, int64_t count, bool list) {
    *p = (struct part){.field = f, .first = first, .step = step};
    snprintf(p->is.name, sizeof p->is.name, "%s%s%s", record ? record : "", record ? "." : "", f->name);
    p->is.kind = (ty_attribute_kind)(kinds[f->type] - 1);
    p->is.list = list || f->type == FIELD_AXES;
    p->is.count = f->type == FIELD_AXES ? set_size(f, first) : count;
}

/* Put attribute number *i of field number `number` of a table into *p, if the field has so many; else subtract their
   number from *i and return false. */
static bool find_in_field(const struct infer *in, int number, int *i, struct part *p) {
    const struct attributes *a = in->op->attributes;
    const struct field *f = &a->fields[number];
    const struct attributes *parts = f->type == FIELD_RECORD ? f->parts : NULL;
    const char *first = field_first(a, number, in);
    int count = field_count(a, number, in);
    bool list = f->many != FIELD_ONE;
    for (int k = 0; parts && k < parts->n; k++) {
        const struct field *member = &parts->fields[k];
        if (!kinds[member->type] || (*i)--) continue;
        describe(p, member, f->name, first + member->offset, f->size, count, list);
        return true;
    }
    if (!kinds[f->type] || (*i)--) return false;
    describe(p, f, NULL, first, f->size, count, list);
    return true;
}

/* Put attribute i of x into *p; false, with *p all 0, if there is none. */
static bool find_at(const ty_tensor *x, int i, struct part *p) {
    x = tensor_resolve(x);
    struct infer in = infer_of(x, NULL);
    *p = (struct part){0};
    if (i < 0 || !x->op || !x->op->attributes) return false;
    for (int k = 0; k < x->op->attributes->n; k++)
        if (find_in_field(&in, k, &i, p)) return true;
    return false;
}

/* Put the attribute of this name into *p; false if there is none. */
static bool find_named(const ty_tensor *x, const char *name, struct part *p) {
    for (int i = 0; name && find_at(x, i, p); i++)
        if (!strcmp(p->is.name, name)) return true;
    return false;
}

int ty_attributes(const ty_tensor *x) {
    struct part p;
    int n = 0;
    while (find_at(x, n, &p)) n++;
    return n;
}

bool ty_attribute_at(const ty_tensor *x, int i, ty_attribute *attribute) {
    struct part p;
    bool found = find_at(x, i, &p);
    if (attribute) *attribute = p.is;
    return found;
}

/* ---- values ---- */

/* Return axis number k, from 0, of a set. */
static int64_t axis_of(uint64_t set, int64_t k) {
    for (; k > 0; k--) set &= set - 1;
    return __builtin_ctzll(set);
}

/* Return value k of an attribute that is not real. */
static int64_t integer_of(const struct part *p, int64_t k) {
    const struct field *f = p->field;
    if (f->type == FIELD_AXES) return axis_of((uint64_t)field_number(f, p->first), k);
    if (f->type == FIELD_BODY) return k;
    return field_number(f, p->first + p->step * (size_t)k) - (f->type == FIELD_WIDER);
}

static double real_of(const struct part *p, int64_t k) {
    double real;
    if (p->field->type != FIELD_REAL) return (double)integer_of(p, k);
    memcpy(&real, p->first + p->step * (size_t)k, sizeof real);
    return real;
}

int64_t ty_attribute_integers(const ty_tensor *x, const char *name, int64_t capacity, int64_t *values) {
    struct part p;
    if (!find_named(x, name, &p) || p.is.kind == TY_ATTRIBUTE_REAL) return -1;
    for (int64_t k = 0; values && k < p.is.count && k < capacity; k++) values[k] = integer_of(&p, k);
    return p.is.count;
}

int64_t ty_attribute_reals(const ty_tensor *x, const char *name, int64_t capacity, double *values) {
    struct part p;
    if (!find_named(x, name, &p)) return -1;
    for (int64_t k = 0; values && k < p.is.count && k < capacity; k++) values[k] = real_of(&p, k);
    return p.is.count;
}

const char *ty_attribute_word(const ty_tensor *x, const char *name, int64_t i) {
    struct part p;
    if (!find_named(x, name, &p) || i < 0 || i >= p.is.count) return "";
    if (p.is.kind != TY_ATTRIBUTE_NAME && p.is.kind != TY_ATTRIBUTE_DTYPE) return "";
    int64_t number = integer_of(&p, i);
    if (number < 0) return "";
    return p.field->type == FIELD_NAME ? p.field->named((int)number) : ty_dtype_name((ty_dtype)number);
}

/* ---- bodies ---- */

/* Set *roots to the outputs of body i of x, and return their number; 0 if there is no such body. */
static int outputs_of(const ty_tensor *x, int i, ty_tensor *const **roots) {
    uint64_t id;
    x = tensor_resolve(x);
    return i >= 0 && x->op && x->op->body ? x->op->body(x->attr, i, roots, &id) : 0;
}

int ty_bodies(const ty_tensor *x) {
    ty_tensor *const *roots;
    int n = 0;
    while (outputs_of(x, n, &roots)) n++;
    return n;
}

int ty_body_outputs(const ty_tensor *x, int i) {
    ty_tensor *const *roots;
    return outputs_of(x, i, &roots);
}

ty_tensor *ty_body_output(const ty_tensor *x, int i, int k) {
    ty_tensor *const *roots;
    int n = outputs_of(x, i, &roots);
    if (k >= 0 && k < n) return tensor_share(roots[k]);
    x = tensor_resolve(x);
    if (!ty_ok(x)) return tensor_share(tensor_of(x));
    return ty_poison_code(E_INDEX, "body_output: there is no output %d of body %d; %s has %d bodies", k, i,
                          x->op ? x->op->name : "a value", ty_bodies(x));
}
