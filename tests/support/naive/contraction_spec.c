/*
 * Computes expected contractions by a loop over labels, independent of dimensions, window strides and guards. For each
 * combination of labels it finds the element of each operand.
 */
#include "tests/support/naive/contraction_spec.h"
#include <string.h>
#include "array/dtype.h"
#include "tests/support/harness.h"

static uint8_t *labels_of(struct spec *s, int side) {
    return s->attr.labels + (side == TY_LEFT ? 0 : side == TY_RIGHT ? s->attr.ra : s->attr.ra + s->attr.rb);
}

static int rank_of(const struct spec *s, int side) {
    return side == TY_LEFT ? s->attr.ra : side == TY_RIGHT ? s->attr.rb : s->attr.ro;
}

static int64_t length_of(const struct spec *s, int label) {
    return label < CONTRACT_WINDOW ? s->size[label] : s->attr.windows[label - CONTRACT_WINDOW].length;
}

void spec_shuffle(int n, uint8_t *list) {
    for (int i = n - 1; i > 0; i--) {
        int j = (int)test_between(0, i);
        uint8_t x = list[i];
        list[i] = list[j];
        list[j] = x;
    }
}

/* Sides get their labels in the order left, right, out. */
void spec_side(struct spec *s, int side, int n, const uint8_t *labels) {
    *(side == TY_LEFT ? &s->attr.ra : side == TY_RIGHT ? &s->attr.rb : &s->attr.ro) = n;
    if (n) memcpy(labels_of(s, side), labels, (size_t)n);
}

/* Choose sizes from the labels; a plain axis of an input is sometimes 1. */
void spec_layout(struct spec *s, int side, bool wild) {
    int rank = rank_of(s, side);
    struct layout *l = layout_room_init(&s->rooms[side], rank);
    int64_t step = 1, mode = wild ? test_between(0, 4) : 0;
    int first = (int)test_between(0, 3);
    for (int i = 0; i < rank; i++) {
        int label = labels_of(s, side)[i];
        l->shape[i] = length_of(s, label);
        if (wild && label < CONTRACT_WINDOW && test_between(0, 9) == 0) l->shape[i] = 1;
    }
    for (int i = rank - 1; i >= 0; i--) {
        int axis = wild ? (first + i) % rank : i;
        l->strides[axis] = mode == 3 && test_between(0, 1) ? test_between(0, 3) : step;
        if (mode >= 2 && test_between(0, 2) == 0)
            l->strides[axis] = test_between(0, 1) ? -l->strides[axis] : 0;
        step *= l->shape[axis] > 0 ? l->shape[axis] + (mode == 1) : 1;
    }
}

/* Fill n elements with small integers, with parts of their own if complex. */
static void fill_small(ty_dtype dtype, char *to, int64_t n) {
    enum { MOST = 3 };
    int least = dtype_is(dtype, CLASS_BOOL | CLASS_UNSIGNED) ? 0 : -MOST, most = dtype == TY_BOOL ? 1 : MOST;
    ty_dtype part = dtype_table[dtype].real;
    size_t size = ty_dtype_size(part);
    char bytes[2 * MOST + 1][sizeof(double)]; /* of least .. most */
    for (int i = least; i <= most; i++)
        element_store(part, bytes[i - least], dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL) ? TY_I64 : TY_C128,
                      (struct element){.i = i, .z = i});
    for (int64_t i = 0, parts = dtype_is(dtype, CLASS_COMPLEX) ? 2 * n : n; i < parts; i++)
        memcpy(to + i * (int64_t)size, bytes[test_between(least, most) - least], size);
}

static void set_memory(struct spec *s, int side, ty_dtype dtype) {
    struct layout *l = &s->rooms[side].layout;
    int64_t low, high;
    l->offset = 0;
    layout_extent(l, &low, &high);
    l->offset = -low + test_between(0, 3);
    s->length[side] = high - low + 5;
    s->memory[side] = test_room((size_t)s->length[side] * ty_dtype_size(dtype));
    fill_small(dtype, s->memory[side], s->length[side]);
    s->operands[side] = (struct contract_operand){dtype, l};
}

static const struct dtypes {
    ty_dtype dtype[SPEC_SIDES];
    int32_t sums;
} dtype_choices[] = {
    {{TY_I32, TY_I32, TY_I32}, 0},        {{TY_F32, TY_F32, TY_F32}, 0},
    {{TY_C64, TY_C64, TY_C64}, 0},        {{TY_BOOL, TY_BOOL, TY_BOOL}, 0},
    {{TY_U8, TY_I8, TY_I32}, 1 + TY_I32}, {{TY_BF16, TY_BF16, TY_F32}, 1 + TY_F32},
    {{TY_F64, TY_F64, TY_F64}, 0},        {{TY_U8, TY_U8, TY_U8}, 0},
};

/* Choose layouts and memory for all sides; out is dense, with the labels' sizes after broadcasting. */
void spec_operands(struct spec *s, bool wild) {
    enum { CHOICES = sizeof dtype_choices / sizeof *dtype_choices };
    const struct dtypes *d = &dtype_choices[test_between(0, 1) ? 0 : test_between(0, CHOICES - 1)];
    int64_t met[SPEC_LABELS];
    for (int i = 0; i < SPEC_LABELS; i++) met[i] = 1;
    for (int side = TY_LEFT; side <= TY_RIGHT; side++) {
        spec_layout(s, side, wild);
        for (int i = 0; i < rank_of(s, side); i++) {
            int label = labels_of(s, side)[i];
            if (label < CONTRACT_WINDOW && s->rooms[side].layout.shape[i] != 1) met[label] = s->size[label];
        }
    }
    for (int i = 0; i < s->attr.nwindows; i++) {
        const struct contract_window *w = &s->attr.windows[i];
        met[w->outer] = w->outer_size, met[w->inner] = w->inner_size;
    }
    memcpy(s->size, met, sizeof met);
    spec_layout(s, TY_OUT, false);
    for (int side = 0; side < SPEC_SIDES; side++) set_memory(s, side, d->dtype[side]);
    s->attr.sums = d->sums;
}

/* ---- the reference ---- */

/* Return the offset of a side's element at the index of labels; -1: padding. */
static int64_t place_of(struct spec *s, int side, const int64_t *index) {
    const struct layout *l = &s->rooms[side].layout;
    int64_t at = l->offset;
    for (int i = 0; i < l->rank; i++) {
        int label = labels_of(s, side)[i];
        const struct contract_window *w =
            &s->attr.windows[label < CONTRACT_WINDOW ? 0 : label - CONTRACT_WINDOW];
        int64_t place = label < CONTRACT_WINDOW
                            ? l->shape[i] == 1 ? 0 : index[label]
                            : index[w->outer] * w->stride + index[w->inner] * w->dilation - w->low;
        if (label >= CONTRACT_WINDOW && (place < 0 || place >= w->length)) return -1;
        at += place * l->strides[i];
    }
    return at;
}

static struct element element_of(const struct spec *s, int side, int64_t at) {
    ty_dtype dtype = s->operands[side].dtype;
    struct element e = {0};
    return at < 0 ? e : element_load(dtype, (char *)s->memory[side] + at * (int64_t)ty_dtype_size(dtype));
}

static void multiply_add(ty_dtype dtype, struct element *to, struct element a, struct element b) {
    to->i =
        dtype == TY_BOOL ? to->i | (a.i & b.i) : (int64_t)((uint64_t)to->i + (uint64_t)a.i * (uint64_t)b.i);
    to->z += a.z * b.z;
}

static bool next(const struct spec *s, int64_t *index) {
    for (int i = 0; i < SPEC_LABELS; i++) {
        if (++index[i] < s->size[i]) return true;
        index[i] = 0;
    }
    return false;
}

/* Return the expected bytes of out, including those that it leaves untouched. */
void *spec_expected(struct spec *s) {
    ty_dtype dtype = s->operands[TY_OUT].dtype;
    const struct layout *l = &s->rooms[TY_OUT].layout;
    int64_t size = (int64_t)ty_dtype_size(dtype), n = s->length[TY_OUT], index[SPEC_LABELS] = {0};
    struct element *sums = test_room((size_t)n * sizeof *sums);
    char *bytes = test_room((size_t)(n * size));
    bool empty = false;
    for (int i = 0; i < SPEC_LABELS; i++) empty |= s->size[i] == 0;
    if (!empty) do {
            int64_t left = place_of(s, TY_LEFT, index), right = place_of(s, TY_RIGHT, index);
            int64_t out = place_of(s, TY_OUT, index);
            if (out >= 0)
                multiply_add(dtype, &sums[out], element_of(s, TY_LEFT, left), element_of(s, TY_RIGHT, right));
        } while (next(s, index));
    memcpy(bytes, s->memory[TY_OUT], (size_t)(n * size));
    bool whole = dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL);
    for (int64_t i = 0; i < shape_size(l->rank, l->shape); i++)
        element_store(dtype, bytes + (l->offset + i) * size, whole ? TY_I64 : TY_C128, sums[l->offset + i]);
    return bytes;
}
