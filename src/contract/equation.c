/*
 * Parses "mk,kn->mn" and three operands into a contract_attr and layouts. The grammar is einsum's
 * (ops/einsum/equation.h) with two operands, an output and no '...'. A letter twice in an operand means its
 * diagonal: the strides are added.
 */
#include "contract/equation.h"
#include <string.h>
#include "ops/einsum/equation.h"

static const char *const side_names[] = {"left", "right", "out"};

/* Parse an equation such as "mk,kn->mn". Set terms[side] to the labels of left, right and out, and count[side]
   to how many there are. False, with the fault set, if it is invalid. */
static bool read_terms(const char *text, int count[3], uint8_t terms[3][TY_MAX_RANK], struct arena *arena,
                       struct fault *fault) {
    struct equation *e = arena_alloc(arena, sizeof *e);
    struct fault why = {0};
    if (!e) return fault_memory(fault, sizeof *e);
    if (!equation_read(e, text, arena, &why))
        return fault_set(fault, why.code, "contraction \"%.100s\": %s; expected a form like \"mk,kn->mn\"",
                         text, why.text);
    const struct term *of[] = {e->operands, e->operands + 1, &e->output};
    bool well = e->noperands == 2 && e->has_output;
    for (int side = 0; side < 3 && well; side++) {
        well = of[side]->ellipsis < 0;
        count[side] = of[side]->count;
        memcpy(terms[side], of[side]->labels, (size_t)of[side]->count);
    }
    return well || fault_set(fault, E_FORMAT,
                             "contraction \"%.100s\": expected two operands separated by ',', then '->' and "
                             "the output, without '...'",
                             text);
}

static bool has(const uint8_t *letters, int n, int letter) { return n && memchr(letters, letter, (size_t)n); }

/* Check that each letter of the output is in it once, and in an operand. terms[side] has count[side] labels.
   False, with the fault set, if not. */
static bool check_terms(const int count[3], uint8_t terms[3][TY_MAX_RANK], struct fault *fault) {
    for (int i = 0; i < count[TY_OUT]; i++) {
        int letter = terms[TY_OUT][i];
        if (has(terms[TY_OUT], i, letter))
            return fault_set(fault, E_ARGUMENT, "contraction: letter %c occurs twice in the output",
                             equation_letter(letter));
        if (!has(terms[TY_LEFT], count[TY_LEFT], letter) && !has(terms[TY_RIGHT], count[TY_RIGHT], letter))
            return fault_set(fault, E_ARGUMENT, "contraction: letter %c of the output is not in any operand",
                             equation_letter(letter));
    }
    return true;
}

/* Fill in the layout and labels of operand `side` from x and its n letters, with repeated letters merged.
   False, with the fault set, if they disagree. */
static bool read_operand(struct contract_equation *e, int side, const ty_contraction_operand *x, int n,
                         const uint8_t *letters, struct fault *fault) {
    struct layout *l = layout_room_init(&e->rooms[side], 0);
    int64_t row_major[TY_MAX_RANK];
    if (!dtype_valid(x->dtype))
        return fault_set(fault, E_ARGUMENT, "contraction: %s has the unknown dtype %d", side_names[side],
                         (int)x->dtype);
    if (x->rank != n)
        return fault_set(fault, E_SHAPE, "contraction: %s has %d axes but %d letters", side_names[side],
                         x->rank, n);
    if (n && !x->shape) return fault_set(fault, E_SHAPE, "contraction: %s has no shape", side_names[side]);
    int64_t size;
    if (!shape_check(n, x->shape, dtype_table[x->dtype].size, &size))
        return fault_set(fault, E_MEMORY,
                         "contraction: %s has a negative size or more elements than fit memory",
                         side_names[side]);
    shape_row_major(n, x->shape, row_major);
    uint8_t *labels = e->attr.labels + (side == TY_LEFT    ? 0
                                        : side == TY_RIGHT ? e->attr.ra
                                                           : e->attr.ra + e->attr.rb);
    for (int i = 0; i < n; i++) {
        int64_t stride = x->strides ? x->strides[i] : row_major[i];
        uint8_t *found = l->rank ? memchr(labels, letters[i], (size_t)l->rank) : NULL;
        int at = found ? (int)(found - labels) : l->rank++;
        if (found && l->shape[at] != x->shape[i])
            return fault_set(fault, E_SHAPE,
                             "contraction: letter %c is %lld and %lld in %s: a diagonal needs equal sizes",
                             equation_letter(letters[i]), (long long)l->shape[at], (long long)x->shape[i],
                             side_names[side]);
        labels[at] = letters[i];
        l->shape[at] = x->shape[i];
        if (!found) l->strides[at] = 0;
        if (__builtin_add_overflow(l->strides[at], stride, &l->strides[at]))
            return fault_set(fault, E_ARGUMENT, "contraction: strides of %s are beyond 64 bits",
                             side_names[side]);
    }
    l->offset = x->offset;
    e->operands[side] = (struct contract_operand){x->dtype, l};
    *(side == TY_LEFT ? &e->attr.ra : side == TY_RIGHT ? &e->attr.rb : &e->attr.ro) = l->rank;
    return true;
}

/* Compute the output's shape[n], for its n letters, from the operands in e. False, with the fault set, if sizes
   disagree. */
static bool find_shape(const struct contract_equation *e, int n, const uint8_t *letters, int64_t *shape,
                       struct fault *fault) {
    int64_t sizes[LETTERS];
    for (int i = 0; i < LETTERS; i++) sizes[i] = 1;
    for (int side = TY_LEFT; side < TY_OUT; side++) {
        const struct layout *l = e->operands[side].layout;
        const uint8_t *labels = e->attr.labels + (side == TY_RIGHT ? e->attr.ra : 0);
        for (int i = 0; i < l->rank; i++) {
            int64_t *size = &sizes[labels[i]];
            if (*size != 1 && l->shape[i] != 1 && *size != l->shape[i])
                return fault_set(
                    fault, E_SHAPE,
                    "contraction: letter %c is %lld in left and %lld in right; sizes must match or be 1",
                    equation_letter(labels[i]), (long long)*size, (long long)l->shape[i]);
            if (l->shape[i] != 1) *size = l->shape[i];
        }
    }
    for (int i = 0; i < n; i++) shape[i] = sizes[letters[i]];
    return true;
}

/* Check that the sizes given for out agree with the computed shape[n]; letters[n] are for the message. Ranks are
   not compared. False, with the fault set, if a size differs. */
static bool same_shape(const ty_contraction_operand *out, int n, const int64_t *shape, const uint8_t *letters,
                       struct fault *fault) {
    for (int i = 0; i < n && i < out->rank && out->shape; i++)
        if (out->shape[i] != shape[i])
            return fault_set(fault, E_SHAPE, "contraction: letter %c is %lld in out and %lld in the operands",
                             equation_letter(letters[i]), (long long)out->shape[i], (long long)shape[i]);
    return true;
}

bool contract_equation_read(struct contract_equation *e, const char *text, const ty_contraction_operand *left,
                            const ty_contraction_operand *right, const ty_contraction_operand *out,
                            struct arena *arena, struct fault *fault) {
    int count[3];
    uint8_t terms[3][TY_MAX_RANK];
    int64_t shape[TY_MAX_RANK];
    *e = (struct contract_equation){0};
    if (!read_terms(text, count, terms, arena, fault) || !check_terms(count, terms, fault) ||
        !read_operand(e, TY_LEFT, left, count[TY_LEFT], terms[TY_LEFT], fault) ||
        !read_operand(e, TY_RIGHT, right, count[TY_RIGHT], terms[TY_RIGHT], fault) ||
        !find_shape(e, count[TY_OUT], terms[TY_OUT], shape, fault))
        return false;
    ty_contraction_operand made = {ty_promote(left->dtype, right->dtype), count[TY_OUT], shape, NULL, 0};
    if (out && !same_shape(out, count[TY_OUT], shape, terms[TY_OUT], fault)) return false;
    return read_operand(e, TY_OUT, out ? out : &made, count[TY_OUT], terms[TY_OUT], fault);
}
