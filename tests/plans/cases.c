/* Cases of golden plans: the shapes of the benchmarks, and others that these lack. */
#include <stdlib.h>
#include <string.h>
#include "array/dtype.h"
#include "bench/support/shapes.h"
#include "contract/equation.h"
#include "tests/plans/plans.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

struct giving {
    bool (*take)(void *context, const struct plan_case *c);
    void *context;
    bool ok;
};

static void give(struct giving *g, const struct plan_case *c) { g->ok = g->ok && g->take(g->context, c); }

/* ---- equations ---- */

/* Write the shape of the letters up to `end`, with sizes as in bench_equation; sizes "": all 2. */
static void read_shape(const char *sizes, const char *letters, const char *end, int64_t *shape, int *rank) {
    for (*rank = 0; letters < end; letters++) {
        const char *at = strchr(sizes, *letters);
        shape[(*rank)++] = at ? atoll(at + 1) : 2;
    }
}

/* Add an equation, with out in the dtype of sums; constant: bit mask of left and right. */
static void equation(struct giving *g, const char *text, const char *sizes, const ty_dtype dtype[3],
                     unsigned constant) {
    const char *comma = strchr(text, ','), *arrow = strchr(text, '-'), *end = text + strlen(text);
    const char *begins[] = {text, comma + 1, arrow + 2}, *ends[] = {comma, arrow, end};
    ty_contraction_operand operands[3];
    int64_t shape[3][TY_MAX_RANK];
    struct contract_equation e;
    struct plan_case c = {.constant = {constant & 1, constant >> 1 & 1}};
    struct arena arena = {0};
    struct fault fault = {0};
    for (int i = 0; i < 3; i++) {
        int rank;
        read_shape(sizes, begins[i], ends[i], shape[i], &rank);
        operands[i] = (ty_contraction_operand){dtype[i], rank, shape[i], NULL, 0};
    }
    bool read = contract_equation_read(&e, text, &operands[0], &operands[1], &operands[2], &arena, &fault);
    if (!read) fprintf(stderr, "plans: %s\n", fault.text);
    snprintf(c.name, sizeof c.name, "%s%s%s%s %s %s%s%s", ty_dtype_name(dtype[0]),
             dtype[1] != dtype[0] ? " x " : "", dtype[1] != dtype[0] ? ty_dtype_name(dtype[1]) : "",
             dtype[2] != dtype[0] ? " wide" : "", text, sizes, constant & 1 ? ", left constant" : "",
             constant & 2 ? ", right constant" : "");
    c.attr = e.attr;
    for (int i = 0; read && i < 3; i++) {
        const struct layout *from = e.operands[i].layout;
        struct layout *to = layout_room_init(&c.rooms[i], from->rank);
        memcpy(to->shape, from->shape, (size_t)from->rank * sizeof *to->shape);
        memcpy(to->strides, from->strides, (size_t)from->rank * sizeof *to->strides);
        c.dtype[i] = dtype[i];
    }
    arena_drop(&arena);
    g->ok = g->ok && read;
    if (read) give(g, &c);
}

static void alike(struct giving *g, const char *text, const char *sizes, ty_dtype dtype, unsigned constant) {
    equation(g, text, sizes, (ty_dtype[]){dtype, dtype, dtype}, constant);
}

static void product(struct giving *g, const char *text, int64_t m, int64_t n, int64_t k,
                    const ty_dtype dtype[3], unsigned constant) {
    char sizes[64];
    snprintf(sizes, sizeof sizes, "m%lld n%lld k%lld", (long long)m, (long long)n, (long long)k);
    equation(g, text, sizes, dtype, constant);
}

static void products(struct giving *g, ty_dtype dtype) {
    static const char *const turned[] = {"mk,nk->mn", "km,kn->mn", "km,nk->mn"};
    const ty_dtype dtypes[] = {dtype, dtype, dtype};
    for (size_t i = 0; i < COUNT(bench_squares); i++)
        product(g, "mk,kn->mn", bench_squares[i], bench_squares[i], bench_squares[i], dtypes, 0);
    for (size_t i = 0; i < 3 * COUNT(bench_turned); i++) {
        int64_t n = bench_turned[i / 3];
        product(g, turned[i % 3], n, n, n, dtypes, 0);
    }
    for (size_t i = 0; i < COUNT(bench_products); i++)
        product(g, "mk,kn->mn", bench_products[i][0], bench_products[i][1], bench_products[i][2], dtypes, 0);
    for (size_t i = 0; i < COUNT(bench_tccg); i++)
        alike(g, bench_tccg[i].equation, bench_tccg[i].sizes, dtype, 0);
}

/* Add layers with constant weights for inference, on either side. */
static void constants(struct giving *g) {
    static const int64_t sizes[][3] = {{1, 1000, 2048},  {8, 4096, 1024},    {128, 512, 512},
                                       {512, 768, 3072}, {1024, 1024, 1024}, {3136, 64, 64}};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (unsigned side = 1; side <= 2; side++)
            product(g, side == 1 ? "nk,mk->mn" : "mk,nk->mn", sizes[i][0], sizes[i][1], sizes[i][2],
                    (ty_dtype[]){TY_F32, TY_F32, TY_F32}, side);
}

static void other_dtypes(struct giving *g) {
    static const ty_dtype square[] = {TY_C64, TY_C128, TY_F16, TY_BF16, TY_I16, TY_I32, TY_I64, TY_I8};
    static const ty_dtype wide[][3] = {
        {TY_U8, TY_I8, TY_I32}, {TY_I8, TY_I8, TY_I32}, {TY_BF16, TY_BF16, TY_F32}};
    for (size_t i = 0; i < COUNT(square); i++)
        for (int64_t n = 32; n <= 512; n *= 16)
            product(g, "mk,kn->mn", n, n, n, (ty_dtype[]){square[i], square[i], square[i]}, 0);
    for (size_t i = 0; i < COUNT(wide); i++)
        for (int64_t n = 128; n <= 1024; n *= 2) product(g, "mk,kn->mn", n, n, n, wide[i], 0);
    for (ty_dtype dtype = TY_C64; dtype <= TY_C128; dtype++) {
        alike(g, "bij,bjk->bik", "b16 i64 j64 k64", dtype, 0);
        alike(g, "efbad,cf->abcde", "a16 b12 c8 d12 e16 f12", dtype, 0);
        alike(g, "ij,j->i", "i1000 j1000", dtype, 0);
    }
}

static void batches(struct giving *g) {
    static const struct bench_equation list[] = {
        {"bij,bjk->bik", "b64 i32 j32 k32"},
        {"bij,bjk->bik", "b8 i256 j256 k256"},
        {"bij,bkj->bik", "b96 i128 j64 k128"},
        {"bhid,bhjd->bhij", "b2 h12 i384 j384 d64"},
        {"bhij,bhjd->bhid", "b2 h12 i384 j384 d64"},
        {"bihd,bjhd->bhij", "b2 h12 i384 j384 d64"},
        {"bij,jk->bik", "b32 i128 j768 k768"},
        {"ijb,jkb->ikb", "b256 i3 j3 k3"},
        {"ijb,jkb->ikb", "b256 i16 j16 k16"},
        {"bi,bj->bij", "b64 i100 j100"},
        {"bij,bj->bi", "b32 i500 j500"},
        {"bij,bij->b", "b100 i30 j40"},
        {"i,j->ij", "i2000 j3000"},
        {"ij,ij->ij", "i1000 j1000"},
        {"i,i->", "i1000000"},
    };
    for (size_t i = 0; i < COUNT(list); i++) alike(g, list[i].equation, list[i].sizes, TY_F32, 0);
}

static void tiny(struct giving *g) {
    static const int64_t sizes[][3] = {{1, 1, 1},  {2, 2, 2},  {3, 3, 3},  {4, 4, 4},   {8, 8, 8},
                                       {3, 16, 5}, {16, 3, 5}, {7, 13, 1}, {13, 7, 31}, {16, 16, 16},
                                       {1, 8, 8},  {8, 1, 8},  {32, 4, 4}, {4, 32, 4},  {5, 5, 64}};
    for (size_t i = 0; i < COUNT(sizes); i++)
        product(g, "mk,kn->mn", sizes[i][0], sizes[i][1], sizes[i][2], (ty_dtype[]){TY_F32, TY_F32, TY_F32},
                0);
    alike(g, "abc,cbd->dab", "a2 b3 c4 d5", TY_F32, 0);
    alike(g, "mk,kn->mn", "m3 k0 n4", TY_F32, 0);
    alike(g, "abcde,de->abc", "a2 b3 c4 d5 e6", TY_F32, 0);
}

/* ---- convolutions ---- */

enum { LABEL_N, LABEL_G, LABEL_C, LABEL_K, LABEL_PLACE, LABEL_TAP = LABEL_PLACE + 3 };
enum { IMAGE, KERNEL, RESULT };

/* Axes of image, kernel or result, in order. */
struct axes {
    int n;
    uint8_t labels[TY_MAX_RANK];
    int64_t shape[TY_MAX_RANK];
};

static void add_axis(struct axes *a, int label, int64_t size) {
    a->labels[a->n] = (uint8_t)label;
    a->shape[a->n++] = size;
}

static int64_t result_size(const struct bench_layer *l, int i) {
    int64_t reach = l->dilation * (l->kernel - 1) + 1;
    return l->transposed ? (l->size[i] - 1) * l->stride + reach - 2 * l->low
                         : (l->size[i] + 2 * l->low - reach) / l->stride + 1;
}

/* Return the axes of an image or result: channels in groups, before or after the n spatial axes, which are
   windowed for the one that windows slide over. */
static struct axes image_axes(const struct bench_layer *l, bool first, int which) {
    bool windows = (which == IMAGE) != l->transposed;
    int64_t channels = which == IMAGE ? l->channels : l->filters;
    struct axes a = {0};
    add_axis(&a, LABEL_N, l->batch);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == first) {
            for (int i = 0; i < l->n; i++)
                add_axis(&a, (windows ? CONTRACT_WINDOW : LABEL_PLACE) + i,
                         which == IMAGE ? l->size[i] : result_size(l, i));
        } else {
            add_axis(&a, LABEL_G, l->groups);
            add_axis(&a, which == IMAGE ? LABEL_C : LABEL_K, channels / l->groups);
        }
    }
    return a;
}

/* Return the axes of a kernel as in conv_in and conv_out (ops/contract/conv.h): filters in groups, or
   channels of a transposed one. */
static struct axes kernel_axes(const struct bench_layer *l, bool first) {
    struct axes a = {0};
    bool out_first = first && !l->transposed;
    for (int turn = 0; turn < 2; turn++) {
        if (turn == first) {
            for (int i = 0; i < l->n; i++) add_axis(&a, LABEL_TAP + i, l->kernel);
            continue;
        }
        if (l->transposed || out_first) add_axis(&a, LABEL_G, l->groups);
        if (out_first) add_axis(&a, LABEL_K, l->filters / l->groups);
        add_axis(&a, LABEL_C, l->channels / l->groups);
        if (!l->transposed && !out_first) add_axis(&a, LABEL_G, l->groups);
        if (!out_first) add_axis(&a, LABEL_K, l->filters / l->groups);
    }
    return a;
}

static void set_windows(const struct bench_layer *l, struct contract_attr *attr) {
    attr->nwindows = l->n;
    for (int i = 0; i < l->n; i++)
        attr->windows[i] =
            (struct contract_window){.outer_size = l->transposed ? l->size[i] : result_size(l, i),
                                     .inner_size = l->kernel,
                                     .stride = l->stride,
                                     .dilation = l->dilation,
                                     .low = l->low,
                                     .length = l->transposed ? result_size(l, i) : l->size[i],
                                     .outer = (uint8_t)(LABEL_PLACE + i),
                                     .inner = (uint8_t)(LABEL_TAP + i)};
}

/* Add a convolution in one direction. All directions are one contraction with different result tensors
   (ops/contract/contract_gradient.c); kernels are constant in forward direction. */
static void layer(struct giving *g, const struct bench_layer *l, bool first, int direction) {
    static const char *const words[] = {"forward", "input gradient", "kernel gradient"};
    static const int order[][3] = {{IMAGE, KERNEL, RESULT}, {RESULT, KERNEL, IMAGE}, {IMAGE, RESULT, KERNEL}};
    struct plan_case c = {.constant = {false, direction == 0}, .dtype = {TY_F32, TY_F32, TY_F32}};
    const struct axes all[] = {image_axes(l, first, IMAGE), kernel_axes(l, first),
                               image_axes(l, first, RESULT)};
    char name[48];
    uint8_t *labels = c.attr.labels;
    bench_layer_name(l, name, sizeof name);
    snprintf(c.name, sizeof c.name, "%s %s %s", first ? "first" : "last", words[direction], name);
    set_windows(l, &c.attr);
    for (int side = 0; side < 3; side++) {
        const struct axes *a = &all[order[direction][side]];
        struct layout *to = layout_room_init(&c.rooms[side], a->n);
        memcpy(to->shape, a->shape, (size_t)a->n * sizeof *to->shape);
        shape_row_major(a->n, to->shape, to->strides);
        memcpy(labels, a->labels, (size_t)a->n);
        labels += a->n;
        *(side == 0 ? &c.attr.ra : side == 1 ? &c.attr.rb : &c.attr.ro) = a->n;
    }
    give(g, &c);
}

static void layers(struct giving *g, const struct bench_layer *list, size_t n, int directions) {
    for (int first = 0; first < 2; first++)
        for (int direction = 0; direction < directions; direction++)
            for (size_t i = 0; i < n; i++) layer(g, &list[i], first, direction);
}

bool plans_cases(bool (*take)(void *context, const struct plan_case *c), void *context) {
    struct giving g = {take, context, true};
    products(&g, TY_F32);
    products(&g, TY_F64);
    other_dtypes(&g);
    constants(&g);
    batches(&g);
    tiny(&g);
    layers(&g, bench_resnet50, COUNT(bench_resnet50), 3);
    layers(&g, bench_depthwise, COUNT(bench_depthwise), 3);
    layers(&g, bench_other_layers, COUNT(bench_other_layers), 1);
    return g.ok;
}
