/* Embeddings of integers and of positions in a sequence. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "base/machine/floating.h"
#include "nn/layers/options.h"
#include "ops/index/index.h"

/* Check the options, and that x has an integer dtype, or is floats with a last axis of o->units. Return
   poison, or NULL if they are valid. */
static ty_tensor *refuse_embedding(ty_layer *self, const ty_embedding_layer *o, const ty_tensor *x) {
    if (o->rows < 1 || o->units < 1)
        return layer_refuse(self, E_ARGUMENT, "%lld rows of %lld units, expected at least 1 of each",
                            (long long)o->rows, (long long)o->units);
    if (o->padded && (o->padding >= o->rows || o->padding < -o->rows))
        return layer_refuse(self, E_INDEX, "padding row %lld is out of bounds for %lld rows",
                            (long long)o->padding, (long long)o->rows);
    if (is_real(x) && (ty_rank(x) < 1 || size_from_end(x, 1) != o->units))
        return layer_refuse(self, E_DTYPE, "floats of %lld units, expected %lld, or integer row indices",
                            ty_rank(x) ? (long long)size_from_end(x, 1) : 0LL, (long long)o->units);
    if (!is_real(x) && !is_whole(x))
        return layer_refuse(self, E_DTYPE, "the input is %s, expected integers",
                            ty_dtype_name(ty_dtype_of(x)));
    return NULL;
}

/* Set y[0] [.., units] to rows of the weight [rows, units] at indices x[0], times the scale; zeros for the
   padding index. For floats x[0] [.., units] set y[0] [.., rows] to the product with the transposed
   weight. Poison on failure. */
static void embed(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const ty_embedding_layer *o = options;
    (void)n;
    if ((y[0] = refuse_embedding(self, o, x[0]))) return;
    int64_t shape[] = {o->rows, o->units};
    ty_tensor *weight = ty_layer_parameter(self, "weight",
                                           (ty_parameter){.rank = 2,
                                                          .shape = shape,
                                                          .init = init_or_of(o->weight, ty_init_normal, 0, 1),
                                                          .fan_in = (double)o->rows,
                                                          .fan_out = (double)o->units,
                                                          .keras = "embeddings"});
    if (is_real(x[0])) {
        y[0] = ty_matmul(x[0], ty_transpose(weight));
        ty_layer_count(self, 2 * (double)o->units * (double)ty_size(y[0]));
        return;
    }
    ty_tensor *rows = rows_numbered(weight, x[0]);
    if (o->padded) {
        int64_t padding = o->padding < 0 ? o->padding + o->rows : o->padding;
        ty_tensor *is_padding = ty_eq(x[0], ty_int(padding));
        rows = ty_where(ty_expand(is_padding, -1), ty_num(0), rows);
    }
    y[0] = o->scale != 0 ? ty_mul(rows, ty_num(o->scale)) : rows;
}

/* Return NULL if x is floating [.., positions, channels], else poison. */
static ty_tensor *refuse_places(ty_layer *self, const ty_tensor *x) {
    if (ty_rank(x) < 2 || !is_real(x))
        return layer_refuse(self, E_DTYPE,
                            "the input is %s with %d axes, expected floats (..., positions, channels)",
                            ty_dtype_name(ty_dtype_of(x)), ty_rank(x));
    return NULL;
}

/* Set y[0] to x[0] [.., T, C] plus one trained vector per position, of at most o->rows. x[1], an integer [], is the
   position of the first one; without it that is 0. Poison on failure. */
static void add_places(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_position_embedding_layer *o = options;
    if ((y[0] = refuse_count(self, n, 2)) || (y[0] = refuse_places(self, x[0]))) return;
    if (n > 1 && (!is_whole(x[1]) || ty_rank(x[1]))) {
        y[0] = layer_refuse(self, E_DTYPE, "the first position is %s with %d axes, expected one integer",
                            ty_dtype_name(ty_dtype_of(x[1])), ty_rank(x[1]));
        return;
    }
    int64_t places = size_from_end(x[0], 2), shape[] = {o->rows, size_from_end(x[0], 1)};
    if (o->rows < 1 || places > o->rows) {
        y[0] = layer_refuse(self, E_SHAPE, "%lld positions, expected at most the %lld rows",
                            (long long)places, (long long)o->rows);
        return;
    }
    ty_tensor *weight =
        ty_layer_parameter(self, "weight",
                           (ty_parameter){.rank = 2,
                                          .shape = shape,
                                          .init = init_or_of(o->weight, ty_init_normal, 0, 0.02),
                                          .fan_in = (double)shape[0],
                                          .fan_out = (double)shape[1],
                                          .keras = "embeddings"});
    ty_tensor *numbers = n > 1 ? ty_add(ty_iota(TY_I64, 1, &places, 0), x[1]) : NULL;
    y[0] = ty_add(x[0], numbers ? rows_numbered(weight, numbers) : ty_slice(weight, 0, 0, places, 1));
}

ty_tensor *ty_sinusoids(ty_dtype dtype, int64_t places, int64_t units, double base) {
    FLOATING_DEFAULT;
    if (places < 0 || units < 1 || units == INT64_MAX || !(base >= 0))
        return ty_poison_code(
            E_ARGUMENT,
            "sinusoids: %lld positions of %lld units with base %g; expected 0 or more, 1 to "
            "2^63 - 2, and a positive base",
            (long long)places, (long long)units, base);
    if (dtype < TY_F16 || dtype > TY_F64)
        return ty_poison_code(E_DTYPE, "sinusoids: dtype %s; expected a floating-point dtype",
                              ty_dtype_name(dtype));
    /* angle of column c: t base^(-(c - c mod 2) / C); odd columns are cosines */
    int64_t half[] = {units / 2 + units % 2};
    ty_tensor *power = ty_mul(ty_iota(TY_F64, 1, half, 0), ty_num(-2.0 / (double)units));
    ty_tensor *rates = ty_pow(ty_scalar(TY_F64, real_or(base, 10000)), power);
    ty_tensor *angles = ty_mul(ty_expand(ty_iota(TY_F64, 1, &places, 0), 1), rates);
    ty_tensor *both[] = {ty_sin(angles), ty_cos(angles)};
    int64_t shape[] = {places, 2 * half[0]};
    return ty_cast(ty_slice(ty_reshape(ty_stack(2, both, 2), 2, shape), 1, 0, units, 1), dtype);
}

/* Set y[0] to x[0] [.., T, C] plus sinusoids of the positions. Poison on failure. */
static void add_sinusoids(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_sinusoidal_layer *o = options;
    (void)n;
    if ((y[0] = refuse_places(self, x[0]))) return;
    y[0] = ty_add(x[0],
                  ty_sinusoids(ty_dtype_of(x[0]), size_from_end(x[0], 2), size_from_end(x[0], 1), o->base));
}

#define AT(member, what) OPTION(ty_embedding_layer, member, what)
static const ty_option options[] = {AT(rows, INT),
                                    AT(units, INT),
                                    AT(padded, FLAG),
                                    AT(padding, INT),
                                    AT(scale, REAL),
                                    AT(weight, INIT),
                                    {0}};
static const ty_option place_options[] = {
    OPTION(ty_position_embedding_layer, rows, INT), OPTION(ty_position_embedding_layer, weight, INIT), {0}};
static const ty_option sinusoid_options[] = {OPTION(ty_sinusoidal_layer, base, REAL), {0}};

const ty_layer_kind ty_kind_embedding = {.name = "embedding",
                                         .doc = "rows of a matrix, selected by integers",
                                         .bytes = sizeof(ty_embedding_layer),
                                         .options = options,
                                         .forward = embed};
const ty_layer_kind ty_kind_position_embedding = {.name = "position_embedding",
                                                  .prefix = "places",
                                                  .doc = "adds a learned vector for each position",
                                                  .bytes = sizeof(ty_position_embedding_layer),
                                                  .options = place_options,
                                                  .operands = -1,
                                                  .forward = add_places};
const ty_layer_kind ty_kind_sinusoidal = {.name = "sinusoidal",
                                          .prefix = "places",
                                          .doc = "adds sines and cosines of each position",
                                          .bytes = sizeof(ty_sinusoidal_layer),
                                          .options = sinusoid_options,
                                          .forward = add_sinusoids};
