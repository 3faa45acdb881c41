/* Draws by rejection with parameters that differ between elements: bounded integers, gamma, beta, Poisson,
   binomial, hypergeometric, von Mises.  Operands are the key and the parameters, broadcast to the shape.
   ops/random/sampler.c draws, with equal bits on all engines. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "ops/random/order.h"
#include "ops/random/sampler.h"
#include "ops/core/structure.h"

/* Attributes of a draw; the kernel reads only `sample`. */
struct draw_attr {
    struct sample_attr sample;
    struct shape_attr of;
};

/* Set the result of a draw by rejection in *in: dtype and shape of the attributes. False, with the fault set,
   if key or parameters do not fit. */
static bool infer(struct infer *in) {
    const struct draw_attr *attr = in->attr;
    if (in->ninputs < 1) return infer_fault(in, E_ARGUMENT, "the key is missing");
    const ty_tensor *key = in->inputs[0];
    const struct sampler *sampler = &sampler_table[attr->sample.kind];
    if (key->dtype != TY_U64 || key->layout.rank != 1 || key->layout.shape[0] != 2)
        return infer_fault(in, E_DTYPE, "a key is u64[2]; ty_key makes one from a seed");
    if (!infer_shape(in, &attr->of)) return false;
    for (int i = 0; i < SAMPLE_PARAMETERS; i++) {
        const ty_tensor *p = i + 1 < in->ninputs ? in->inputs[i + 1] : NULL;
        if (!p != !sampler->parameters[i] || in->ninputs > 1 + SAMPLE_PARAMETERS)
            return infer_fault(in, E_ARGUMENT, "wrong number of parameters for %s", sampler->name);
        if (p && (p->dtype != sampler->takes ||
                  !shape_equal(in->rank, in->shape, p->layout.rank, p->layout.shape)))
            return infer_fault(in, E_SHAPE, "the %s must be %s and of the result's shape",
                               sampler->parameters[i], ty_dtype_name(sampler->takes));
    }
    if (dtype_is(in->dtype, sampler->classes)) return true;
    const char *words = !(sampler->classes & CLASS_FLOAT)  ? "integers"
                        : sampler->classes & CLASS_INTEGER ? "integers or f16, bf16, f32, f64"
                                                           : "f16, bf16, f32 or f64";
    return infer_fault(in, E_DTYPE, "expected dtype %s, not %s", words, ty_dtype_name(in->dtype));
}

/* Gradient rule of a draw by rejection: return poison for a parameter (i > 0), which has no gradient; NULL
   for the key (i = 0). */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct draw_attr *attr = y->attr;
    (void)g;
    if (i == 0) return NULL;
    return refuse(sampler_table[attr->sample.kind].name, y->ninputs, y->inputs, E_UNSUPPORTED,
                  "a draw by rejection has no gradient by its parameters here; ty_detach them");
}

static const char *kind_name(int i) { return i >= 0 && i < SAMPLE_KINDS ? sampler_table[i].name : NULL; }

ATTRIBUTES(attributes, sizeof(struct draw_attr),
           FIELD_AT(struct draw_attr, sample.kind, "kind", FIELD_NAME, .named = kind_name),
           FIELD_AT(struct draw_attr, sample.stream, "stream", FIELD_WORD),
           FIELD(struct draw_attr, of, FORM, .tail = true));

const struct op op_sample = {.name = "sample",
                             .kind = KERNEL_SAMPLE,
                             .arity = -1,
                             .infer = infer,
                             .vjp = vjp,
                             .attributes = &attributes,
                             .row = -1,
                             .no_gradient = {"a key is not a number to differentiate by",
                                             "a draw by rejection does not follow its parameters smoothly"},
                             .onnx = "",
                             .doc = "numbers of a distribution with parameters, as a function of a key"};

/* Return a draw of `kind` with this dtype and shape[rank]. The parameters, as many as the sampler has, are
   cast and broadcast to it. Poison on failure, in the name of the sampler. */
static ty_tensor *draw(enum sample_kind kind, ty_dtype dtype, int rank, const int64_t *shape,
                       ty_tensor *const *parameters, ty_tensor *key) {
    const struct sampler *sampler = &sampler_table[kind];
    struct draw_attr attr = {.sample = {.kind = (int32_t)kind}};
    shape_attr_fill(&attr.of, dtype, rank, shape);
    ty_tensor *inputs[1 + SAMPLE_PARAMETERS] = {key};
    int n = 1;
    ty_scope *scope = ty_open();
    for (int i = 0; i < SAMPLE_PARAMETERS && sampler->parameters[i]; i++) {
        ty_tensor *p = parameters[i];
        if (ty_ok(p) && dtype_is(ty_dtype_of(p), CLASS_COMPLEX))
            return leave(
                scope, refuse(sampler->name, 1, &p, E_DTYPE, "the %s must be real", sampler->parameters[i]));
        inputs[n++] = ty_broadcast(stored_as(NULL, p, sampler->takes), rank, shape);
    }
    ty_tensor *x =
        record(&op_sample, &attr, shape_attr_bytes(&attr.of, offsetof(struct draw_attr, of)), n, inputs);
    return leave_as(sampler->name, scope, key, x);
}

ty_tensor *ty_randint(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low, ty_tensor *high,
                      ty_tensor *key) {
    return draw(dtype == TY_U64 ? SAMPLE_NATURAL : SAMPLE_INTEGER, dtype, rank, shape,
                (ty_tensor *[]){low, high}, key);
}

ty_tensor *random_order(int64_t n, int64_t first, int64_t count, ty_tensor *key) {
    return draw(SAMPLE_PERMUTED, TY_I64, 1, &count, (ty_tensor *[]){ty_int(n), ty_int(first)}, key);
}

ty_tensor *ty_random_gamma(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a, ty_tensor *key) {
    return draw(SAMPLE_GAMMA, dtype, rank, shape, &a, key);
}

ty_tensor *ty_random_beta(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a, ty_tensor *b,
                          ty_tensor *key) {
    return draw(SAMPLE_BETA, dtype, rank, shape, (ty_tensor *[]){a, b}, key);
}

ty_tensor *ty_poisson(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *rate, ty_tensor *key) {
    return draw(SAMPLE_POISSON, dtype, rank, shape, &rate, key);
}

ty_tensor *ty_binomial(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *n, ty_tensor *p,
                       ty_tensor *key) {
    return draw(SAMPLE_BINOMIAL, dtype, rank, shape, (ty_tensor *[]){n, p}, key);
}

ty_tensor *ty_hypergeometric(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *good, ty_tensor *bad,
                             ty_tensor *drawn, ty_tensor *key) {
    return draw(SAMPLE_HYPERGEOMETRIC, dtype, rank, shape, (ty_tensor *[]){good, bad, drawn}, key);
}

ty_tensor *ty_von_mises(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *concentration,
                        ty_tensor *key) {
    return draw(SAMPLE_VON_MISES, dtype, rank, shape, &concentration, key);
}
