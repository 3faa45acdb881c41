/* Random numbers as a pure function of a key, a stream and the element's index (ops/random/random.h has the
   generator).  Stream 0 draws numbers; stream n + 1 makes the n-th key derived from a key; the last stream makes
   keys all at once. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "base/machine/floating.h"
#include "ops/core/attributes.h"
#include "ops/core/structure.h"
#include "ops/random/random.h"

/* Attributes of a draw; the kernel reads only `random`. */
struct draw_attr {
    struct random_attr random;
    struct shape_attr of;
};

/* Set the result of a draw in *in: dtype and shape of the attributes. False, with the fault set, if they or
   the key are invalid. */
static bool infer(struct infer *in) {
    const struct draw_attr *attr = in->attr;
    const ty_tensor *key = in->inputs[0];
    if (key->dtype != TY_U64 || key->layout.rank != 1 || key->layout.shape[0] != 2)
        return infer_fault(in, E_DTYPE, "a key is u64[2]; ty_key makes one from a seed");
    if (!infer_shape(in, &attr->of)) return false;
    if (attr->random.kind == RANDOM_BITS)
        return dtype_is(in->dtype, CLASS_BOOL | CLASS_INTEGER) ||
               infer_fault(in, E_DTYPE, "random bits need an integer dtype, not %s",
                           ty_dtype_name(in->dtype));
    return dtype_is(in->dtype, CLASS_FLOAT) ||
           infer_fault(in, E_DTYPE, "expected dtype f16, bf16, f32 or f64, not %s", ty_dtype_name(in->dtype));
}

static const char *kind_name(int i) {
    static const char *const names[] = {"bits", "uniform", "normal"};
    return i >= 0 && i < 3 ? names[i] : NULL;
}

ATTRIBUTES(attributes, sizeof(struct draw_attr),
           FIELD_AT(struct draw_attr, random.kind, "kind", FIELD_NAME, .named = kind_name),
           FIELD_AT(struct draw_attr, random.stream, "stream", FIELD_WORD),
           FIELD(struct draw_attr, of, FORM, .tail = true));

const struct op op_random = {.name = "random",
                             .kind = KERNEL_RANDOM,
                             .arity = 1,
                             .infer = infer,
                             .attributes = &attributes,
                             .row = -1,
                             .no_gradient = {"a key is not a number to differentiate by"},
                             .onnx = "",
                             .doc = "random bits, uniform or normal numbers as a function of a key"};

/* Return a draw of `kind` from a stream of the key, with this dtype and shape[rank]. Poison, in the name of
   function `name`, on failure. */
static ty_tensor *draw(const char *name, enum random_kind kind, uint64_t stream, ty_dtype dtype, int rank,
                       const int64_t *shape, ty_tensor *key) {
    struct draw_attr attr = {.random = {.kind = (int32_t)kind, .stream = stream}};
    shape_attr_fill(&attr.of, dtype, rank, shape);
    ty_scope *scope = ty_open();
    ty_tensor *x =
        record(&op_random, &attr, shape_attr_bytes(&attr.of, offsetof(struct draw_attr, of)), 1, &key);
    return leave_as(name, scope, key, x);
}

ty_tensor *ty_key(uint64_t seed) { return ty_from(TY_U64, TY_SHAPE(2), (uint64_t[]){seed, 0}); }

ty_tensor *ty_fold(ty_tensor *key, uint64_t n) {
    if (n >= UINT64_MAX - 1)
        return refuse("fold", 1, &key, E_LIMIT, "numbers from 2^64-2 on are reserved; use a smaller one");
    return draw("fold", RANDOM_BITS, n + 1, TY_U64, TY_SHAPE(2), key);
}

/* Return the key of stream n of `key`; n is a 0-d integer, else the result is poison. The stream is an offset
   to the second word of the key (random.h). */
ty_tensor *ty_fold_by(ty_tensor *key, ty_tensor *n) {
    if (ty_ok(key) && ty_ok(n) && (!dtype_is(ty_dtype_of(n), CLASS_INTEGER) || ty_rank(n)))
        return refuse("fold_by", 2, (ty_tensor *[]){key, n}, E_SHAPE,
                      "the number must be an integer of shape []");
    ty_scope *scope = ty_open();
    ty_tensor *step = ty_from(TY_U64, TY_SHAPE(2), (uint64_t[]){0, RANDOM_STREAM_STEP});
    ty_tensor *stream = ty_add(stored_as(NULL, n, TY_U64), ty_scalar(TY_U64, 1));
    return leave_as("fold_by", scope, key,
                    draw("fold_by", RANDOM_BITS, 0, TY_U64, TY_SHAPE(2), ty_add(key, ty_mul(stream, step))));
}

ty_tensor *ty_split_key(ty_tensor *key, int64_t n) {
    return draw("split_key", RANDOM_BITS, UINT64_MAX, TY_U64, TY_SHAPE(n, 2), key);
}

ty_tensor *ty_uniform(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key) {
    return draw("uniform", RANDOM_UNIFORM, 0, dtype, rank, shape, key);
}

ty_tensor *ty_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key) {
    return draw("normal", RANDOM_NORMAL, 0, dtype, rank, shape, key);
}

ty_tensor *ty_bernoulli(int rank, const int64_t *shape, double p, ty_tensor *key) {
    FLOATING_DEFAULT;
    if (!ty_ok(key)) return tensor_share(key);
    if (!(p >= 0 && p <= 1))
        return refuse("bernoulli", 1, &key, E_ARGUMENT, "probability %g is out of range; expected 0..1", p);
    ty_scope *scope = ty_open();
    ty_tensor *x = draw("bernoulli", RANDOM_UNIFORM, 0, TY_F32, rank, shape, key);
    return leave(scope, ty_lt(x, ty_num(p)));
}
