/* Lists of terms: sums, differences and products. */
#include <string.h>
#include "base/list.h"
#include "regression/formula.h"

static bool same(const struct term *a, const struct term *b) {
    return a->count == b->count && !memcmp(a->atoms, b->atoms, (size_t)a->count * sizeof *a->atoms);
}

static int find(const struct terms *t, const struct term *term) {
    int i = 0;
    while (i < t->count && !same(&t->items[i], term)) i++;
    return i;
}

bool terms_append(struct parser *p, struct terms *to, const struct term *term) {
    if (find(to, term) < to->count) return true;
    if (to->count >= FORMULA_TERMS)
        return fault_set(p->fault, E_LIMIT, "formula: more than %d terms", FORMULA_TERMS);
    struct term copy = *term;
    return list_append(to->items, to->count, to->capacity, copy) || fault_memory(p->fault, sizeof copy);
}

bool terms_add(struct parser *p, struct terms *to, const struct terms *more) {
    static const struct term constant = {0};
    for (int i = 0; i < more->count; i++)
        if (!terms_append(p, to, &more->items[i])) return false;
    int at = find(to, &constant);
    if (more->zero && at < to->count) {
        memmove(to->items + at, to->items + at + 1, (size_t)(to->count - at - 1) * sizeof *to->items);
        to->count--;
    }
    return true;
}

void terms_remove(struct terms *from, const struct terms *less) {
    int left = 0;
    for (int i = 0; i < from->count; i++)
        if (find(less, &from->items[i]) == less->count) from->items[left++] = from->items[i];
    from->count = left;
}

/* Set *out to the union of two terms' atoms, ascending. */
static bool join(struct parser *p, const struct term *a, const struct term *b, struct term *out) {
    int i = 0, j = 0;
    out->count = 0;
    while (i < a->count || j < b->count) {
        if (out->count == FORMULA_ORDER)
            return fault_set(p->fault, E_LIMIT, "formula: a term has more than %d factors", FORMULA_ORDER);
        bool first = j == b->count || (i < a->count && a->atoms[i] <= b->atoms[j]);
        int16_t next = first ? a->atoms[i] : b->atoms[j];
        if (i < a->count && a->atoms[i] == next) i++;
        if (j < b->count && b->atoms[j] == next) j++;
        out->atoms[out->count++] = next;
    }
    return true;
}

bool terms_cross(struct parser *p, const struct terms *a, const struct terms *b, struct terms *out) {
    *out = (struct terms){0};
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            struct term both;
            if ((p->work += out->count + 1) > FORMULA_WORK)
                return fault_set(p->fault, E_LIMIT, "formula: products of too many terms");
            if (!join(p, &a->items[i], &b->items[j], &both) || !terms_append(p, out, &both)) return false;
        }
    return true;
}

void terms_order(struct formula *f) {
    struct terms *t = &f->terms;
    static const struct term constant = {0};
    f->constant = find(t, &constant) < t->count;
    terms_remove(t, &(struct terms){1, 1, (struct term[]){constant}, false});
    /* insertion: stable, and texts are nearly in order */
    for (int i = 1; i < t->count; i++) {
        struct term held = t->items[i];
        int k = i;
        for (; k > 0 && t->items[k - 1].count > held.count; k--) t->items[k] = t->items[k - 1];
        t->items[k] = held;
    }
}
