/* Weights of few bits with a scale for each block.  Products read the bits in their kernel (ops/contract/few_bits.h).
   If blocks do not run along the depth of the product, they convert a tile of columns at a time, in a loop of the
   graph.  So neither a run nor a compiled program holds all weights as floats. */
#include "onnx/ops/blocks.h"
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"
#include "onnx/run.h"
#include "ops/contract/few_bits.h"
#include "ops/core/storage.h"
#include "ops/shape/arrange.h"

/* ---- numbers of few bits in bytes ---- */

ty_dtype onnx_bits_dtype(struct onnx_call *call, const char *name) {
    int64_t bits = onnx_int(call, name, 4);
    if (bits == 8 || bits == 4 || bits == 2) return bits == 8 ? TY_U8 : bits == 4 ? TY_U4 : TY_U2;
    onnx_refuse(call, E_UNSUPPORTED, "%s is %lld; expected 2, 4 or 8", name, (long long)bits);
    return TY_DTYPES;
}
double onnx_bits_half(ty_dtype dtype) { return (double)(1 << (8 / dtype_share(dtype) - 1)); }
ty_tensor *onnx_bits_numbers(struct onnx_call *call, ty_tensor *bytes, ty_dtype dtype, int64_t m) {
    int rank = ty_rank(bytes);
    int64_t shape[TY_MAX_RANK], share = dtype_share(dtype);
    if (!ty_ok(bytes) || call->fault->set) return bytes;
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(bytes)[i];
    if (ty_dtype_of(bytes) != TY_U8 || rank < 1 || shape[rank - 1] != m / share + (m % share != 0)) {
        onnx_refuse(call, E_SHAPE, "%lld numbers of %s do not fit %s of %d axes, the last of size %lld",
                    (long long)m, ty_dtype_name(dtype), ty_dtype_name(ty_dtype_of(bytes)), rank,
                    (long long)(rank ? shape[rank - 1] : 1));
        return onnx_failed(call);
    }
    shape[rank - 1] *= share;
    if (dtype == TY_U8) return bytes;
    return packed_of_bytes(ty_ravel(bytes), dtype, rank, shape);
}
ty_tensor *onnx_bits_zeros(struct onnx_call *call, ty_tensor *bytes, ty_dtype dtype, int64_t m) {
    return ty_slice(ty_cast(onnx_bits_numbers(call, bytes, dtype, m), TY_F32), -1, 0, m, 1);
}

/* ---- numbers ---- */

/* Check a scale or zero point: one number, one for each place of the axis, or one for each block of it. */
static bool fits(struct onnx_call *call, const struct blocks *b, ty_tensor *p) {
    int rank = ty_rank(b->q);
    if (!p || !ty_ok(p) || !ty_ok(b->q) || (ty_size(p) == 1 && !b->block)) return true;
    if (!b->block)
        return ty_rank(p) <= 1 || onnx_refuse(call, E_SHAPE,
                                              "a scale or zero point has %d axes; expected at most 1 without "
                                              "block_size",
                                              ty_rank(p));
    int64_t size = ty_shape(b->q)[b->axis];
    bool good = ty_rank(p) == rank && b->block >= 1;
    for (int i = 0; i < rank && good; i++)
        good = i != b->axis ? ty_shape(p)[i] == ty_shape(b->q)[i]
                            : ty_shape(p)[i] == size / b->block + (size % b->block != 0);
    return good || onnx_refuse(call, E_SHAPE,
                               "block_size %lld and a scale or zero point of %d axes do not fit axis %d of "
                               "size %lld",
                               (long long)b->block, ty_rank(p), b->axis, (long long)size);
}
ty_tensor *onnx_spread(struct onnx_call *call, const struct blocks *b, ty_tensor *p) {
    if (!fits(call, b, p)) return onnx_failed(call);
    if (!b->block) return ty_size(p) == 1 ? ty_reshape(p, 0, NULL) : along_axis(p, ty_rank(b->q), b->axis);
    if (b->groups) return ty_gather(p, b->groups, b->axis);
    int64_t size = ty_shape(b->q)[b->axis]; /* blocks may be longer */
    return ty_slice(ty_repeat(p, b->block < size ? b->block : size, b->axis), b->axis, 0, size, 1);
}
/* Cut the axis of x into blocks and places in them: two axes. */
static ty_tensor *in_blocks(const struct blocks *b, ty_tensor *x) {
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(x);
    for (int i = 0; i < rank; i++) shape[i + (i > b->axis)] = ty_shape(x)[i];
    shape[b->axis] = ty_shape(x)[b->axis] / b->block, shape[b->axis + 1] = b->block;
    return ty_reshape(x, rank + 1, shape);
}
ty_tensor *onnx_blocks_numbers(struct onnx_call *call, const struct blocks *b) {
    ty_tensor *y = ty_cast(b->q, TY_F32), *scale = ty_cast(b->scale, TY_F32);
    ty_tensor *zero = b->zero ? ty_cast(b->zero, TY_F32) : NULL;
    int rank = ty_rank(y);
    if (!fits(call, b, scale) || !fits(call, b, zero)) return onnx_failed(call);
    bool whole = ty_ok(y) && ty_ok(scale) && b->block && !b->groups && rank < TY_MAX_RANK &&
                 ty_shape(y)[b->axis] >= b->block && ty_shape(y)[b->axis] % b->block == 0;
    if (whole) { /* scales broadcast within blocks, without a copy of theirs */
        y = in_blocks(b, y), scale = ty_expand(scale, b->axis + 1);
        if (zero) zero = ty_expand(zero, b->axis + 1);
    } else {
        scale = onnx_spread(call, b, scale);
        if (zero) zero = onnx_spread(call, b, zero);
    }
    if (zero) y = ty_sub(y, zero);
    if (b->offset != 0) y = ty_sub(y, ty_num(b->offset));
    y = ty_mul(y, scale);
    return ty_cast(whole ? ty_reshape(y, rank, ty_shape(b->q)) : y, b->dtype);
}

/* ---- products that read bits ---- */

/* Return the values of all codes of a dtype less `offset`, f32. */
static ty_tensor *table_of(ty_dtype dtype, double offset) {
    int64_t share = dtype_share(dtype), codes = 1 << (8 / share);
    uint8_t bytes[256] = {0};
    for (int64_t i = 0; i < codes; i++) bytes[i / share] |= (uint8_t)(i << (i % share * 8 / share));
    ty_tensor *line = ty_from(TY_U8, TY_SHAPE(codes / share), (const void *)bytes);
    ty_tensor *values =
        dtype_stored(dtype) ? packed_of_bytes(line, dtype, 1, &codes) : ty_view_as(line, dtype);
    values = ty_cast(values, TY_F32);
    return offset != 0 ? ty_sub(values, ty_num(offset)) : values;
}
/* Return numbers (..) of few bits as bytes along the last axis, which has whole bytes. */
static ty_tensor *bytes_of(ty_tensor *q) {
    int64_t share = dtype_share(ty_dtype_of(q)), shape[TY_MAX_RANK];
    if (!dtype_stored(ty_dtype_of(q))) return ty_view_as(q, TY_U8);
    for (int i = 0; i < ty_rank(q); i++) shape[i] = ty_shape(q)[i];
    shape[ty_rank(q) - 1] /= share;
    return ty_reshape(bytes_of_packed(q), ty_rank(q), shape);
}
/* Return scales or zero points (n,blocks), f32, of one number, one for each row, or one for each block. */
static ty_tensor *of_rows(ty_tensor *p, int64_t n, int64_t blocks) {
    p = ty_cast(p, TY_F32);
    if (ty_rank(p) < 2) p = ty_reshape(p, 2, (int64_t[]){ty_size(p), 1});
    return ty_broadcast(p, 2, (int64_t[]){n, blocks});
}
/* True if a kernel multiplies by the rows of the numbers as they are stored. */
static bool reads_bits(const struct blocks *b, int64_t depth) {
    int64_t share = dtype_share(ty_dtype_of(b->q));
    if (ty_rank(b->q) != 2 || ty_shape(b->q)[1] % share || b->groups) return false;
    if (!b->block) return b->axis == 0 || ty_size(b->scale) == 1;
    return b->axis == 1 && few_bits_block_fits((int)(8 / share), b->block, depth);
}
/* Return a (..,K) times the rows of the numbers, which may be longer than K. */
static ty_tensor *product_of_bits(ty_tensor *a, const struct blocks *b) {
    int rank = ty_rank(a);
    int64_t shape[TY_MAX_RANK], depth = ty_shape(a)[rank - 1], n = ty_shape(b->q)[0];
    int64_t block = b->block ? b->block : depth ? depth : 1, blocks = depth / block + (depth % block != 0);
    ty_dtype dtype = ty_dtype_of(b->q);
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(a)[i];
    struct few_bits p = {.codes = bytes_of(b->q),
                         .table = table_of(dtype, b->zero ? 0 : b->offset),
                         .a = ty_cast(ty_reshape(a, 2, (int64_t[]){product(a, 0, rank - 1), depth}), TY_F32),
                         .scale = of_rows(b->scale, n, blocks),
                         .zero = b->zero ? of_rows(b->zero, n, blocks) : NULL,
                         .bits = (int)(8 / dtype_share(dtype)),
                         .block = block};
    shape[rank - 1] = n;
    return ty_cast(ty_reshape(few_bits_record(&p), rank, shape), b->dtype);
}

/* ---- products in tiles ---- */

/* Bytes of a tile of f32: with its source and the operand it stays in a cache L2 of 1 MiB or more. */
enum { TILE_BYTES = 512 << 10 };

/* A product in tiles of columns of the result, along axis `along` of the matrix. */
struct tiled {
    struct onnx_call *call;
    struct blocks of; /* q: u8, the bytes; scale and zero: those that all tiles share */
    ty_tensor *a;
    ty_dtype stored; /* of the numbers in q */
    int along;
    bool scales, zeros; /* these are operands of a step: they differ from tile to tile */
};

/* Return the product with the numbers of a tile: bytes (n,..) or (..,n / share). */
static ty_tensor *tile_product(const struct tiled *t, ty_tensor *bytes, ty_tensor *scale, ty_tensor *zero) {
    struct blocks tile = t->of;
    int64_t shape[] = {ty_shape(bytes)[0], ty_shape(bytes)[1] * dtype_share(t->stored)};
    tile.q = t->stored == TY_U8 || t->stored == TY_I8 ? ty_view_as(bytes, t->stored)
                                                      : packed_of_bytes(ty_ravel(bytes), t->stored, 2, shape);
    tile.scale = tile.block ? scale : ty_ravel(scale);
    tile.zero = tile.block || !zero ? zero : ty_ravel(zero);
    ty_tensor *w = onnx_blocks_numbers(t->call, &tile);
    return ty_matmul(t->a, t->along ? w : ty_transpose(w));
}
static void step(void *context, ty_step *s) {
    const struct tiled *t = context;
    ty_tensor *scale = t->scales ? s->x[1] : t->of.scale;
    ty_tensor *zero = t->zeros ? s->x[1 + t->scales] : t->of.zero;
    s->y[0] = tile_product(t, s->x[0], scale, zero);
}

/* Return columns from .. to, in units of which x has one each on the axis of the tiles; the last one may be in part. */
static ty_tensor *part(const struct tiled *t, ty_tensor *x, int64_t unit, int64_t from, int64_t to) {
    return ty_slice(x, t->along, from / unit, to / unit + (to % unit != 0), 1);
}
/* Cut x, (..), into tiles along an axis in front: (n,..). */
static ty_tensor *tiles(const struct tiled *t, ty_tensor *x, int64_t n) {
    int64_t shape[3] = {ty_shape(x)[0], ty_shape(x)[1], 0};
    if (t->along == 0) {
        shape[2] = shape[1], shape[1] = shape[0] / n, shape[0] = n;
        return ty_reshape(x, 3, shape);
    }
    shape[2] = shape[1] / n, shape[1] = n;
    return ty_swap(ty_reshape(x, 3, shape), 0, 1);
}
/* True if a scale or zero point differs along the axis of the tiles. */
static bool varies(const struct tiled *t, ty_tensor *p) {
    return p && ty_rank(p) == 2 && ty_shape(p)[t->along] > 1;
}
/* Return the number of columns of a tile: a multiple of blocks and of numbers that share a byte. */
static int64_t tile_columns(const struct tiled *t, int64_t depth) {
    int64_t unit = t->of.block && t->of.axis == t->along ? t->of.block : 1;
    while (unit % dtype_share(t->stored)) unit *= 2;
    int64_t room = TILE_BYTES / (int64_t)sizeof(float) / (depth ? depth : 1);
    return room < unit ? unit : room / unit * unit;
}
/* Return the product of a (M,K) with all tiles. */
static ty_tensor *product_in_tiles(struct tiled *t, ty_tensor *bytes, int64_t columns, int64_t each) {
    int64_t share = t->along ? dtype_share(t->stored) : 1, n = columns / each, whole = n * each;
    int64_t block = t->of.block && t->of.axis == t->along ? t->of.block : 1;
    ty_tensor *x[3], *y, *scale = t->of.scale, *zero = t->of.zero, *parts[2];
    int nx = 0;
    x[nx++] = tiles(t, part(t, bytes, share, 0, whole), n);
    if (t->scales) x[nx++] = tiles(t, part(t, scale, block, 0, whole), n);
    if (t->zeros) x[nx++] = tiles(t, part(t, zero, block, 0, whole), n);
    ty_scan_spec loop = {.nx = nx, .x = x, .ny = 1};
    if (!ty_scan(step, t, loop, NULL, &y, NULL)) return y;
    const int64_t *s = ty_shape(y); /* (n,M,each) */
    parts[0] = ty_reshape(ty_swap(y, 0, 1), 2, (int64_t[]){s[1], whole});
    if (whole == columns) return parts[0];
    parts[1] = tile_product(t, part(t, bytes, share, whole, columns),
                            t->scales ? part(t, scale, block, whole, columns) : scale,
                            t->zeros ? part(t, zero, block, whole, columns) : zero);
    return ty_concat(2, parts, 1);
}
/* Give a vector along the axis of the tiles a second axis, so that it is cut like a matrix. */
static ty_tensor *as_matrix(const struct tiled *t, ty_tensor *p) {
    return p && ty_rank(p) == 1 && ty_size(p) > 1 && t->of.axis == t->along ? along_axis(p, 2, t->along) : p;
}
ty_tensor *onnx_blocks_product(struct onnx_call *call, ty_tensor *a, const struct blocks *b, bool rows) {
    int rank = ty_rank(a), along = rows ? 0 : 1;
    struct tiled t = {.call = call, .of = *b, .stored = ty_dtype_of(b->q), .along = along};
    if (!fits(call, b, b->scale) || !fits(call, b, b->zero) || call->fault->set) return onnx_failed(call);
    int64_t columns = ty_shape(b->q)[along], depth = ty_shape(b->q)[1 - along];
    int64_t share = dtype_share(t.stored), shape[TY_MAX_RANK], each = tile_columns(&t, depth);
    bool tiled = rank && columns > each && ty_shape(b->q)[1] % share == 0;
    t.of.dtype = TY_F32;
    if (rank && ty_shape(a)[rank - 1] != depth) {
        onnx_refuse(call, E_SHAPE, "an operand with a last axis of %lld does not fit weights [%lld,%lld]",
                    (long long)ty_shape(a)[rank - 1], (long long)ty_shape(b->q)[0],
                    (long long)ty_shape(b->q)[1]);
        return onnx_failed(call);
    }
    if (rows && rank && reads_bits(b, depth)) return product_of_bits(a, b);
    if (!tiled) {
        ty_tensor *w = onnx_blocks_numbers(call, &t.of);
        return ty_cast(ty_matmul(ty_cast(a, TY_F32), rows ? ty_transpose(w) : w), b->dtype);
    }
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(a)[i];
    t.a = ty_cast(ty_reshape(a, 2, (int64_t[]){product(a, 0, rank - 1), shape[rank - 1]}), TY_F32);
    ty_tensor *bytes = dtype_stored(t.stored) ? bytes_of_packed(b->q) : ty_view_as(b->q, TY_U8);
    bytes = ty_reshape(bytes, 2, (int64_t[]){ty_shape(b->q)[0], ty_shape(b->q)[1] / share});
    t.of.scale = as_matrix(&t, b->scale), t.of.zero = as_matrix(&t, b->zero);
    if (b->zero) t.of.zero = ty_cast(t.of.zero, dtype_widened(ty_dtype_of(b->zero)));
    t.scales = varies(&t, t.of.scale), t.zeros = varies(&t, t.of.zero);
    ty_tensor *y = product_in_tiles(&t, bytes, columns, each);
    shape[rank - 1] = columns;
    return ty_cast(ty_reshape(y, rank, shape), b->dtype);
}

/* ---- values with operands ---- */

/* Operands in the list of a value. */
struct operands {
    struct onnx_list list;
    struct onnx_value items[3];
    struct blocks blocks;
};

/* True if products should convert the numbers: they are a matrix of more than a tile, and operands stay as they are. */
static bool stays_packed(const struct onnx_call *call, const struct blocks *b) {
    bool constant =
        !ty_is_promise(b->q) && (call->run->mode == ONNX_RECORD ||
                                 (!ty_is_promise(b->scale) && !(b->zero && ty_is_promise(b->zero))));
    return ty_rank(b->q) == 2 && dtype_stored(ty_dtype_of(b->q)) && constant &&
           ty_size(b->q) > TILE_BYTES / (int64_t)sizeof(float);
}
bool onnx_blocks_output(struct onnx_call *call, const struct blocks *b) {
    if (call->fault->set || !stays_packed(call, b)) return onnx_output(call, 0, onnx_blocks_numbers(call, b));
    struct operands *o = arena_alloc(call->arena, sizeof *o);
    if (!o) return fault_memory(call->fault, sizeof *o);
    *o = (struct operands){.list = {3, o->items, NULL}, .blocks = *b};
    ty_tensor *const of[] = {b->q, b->scale, b->zero ? b->zero : b->scale};
    for (int i = 0; i < 3; i++) o->items[i] = onnx_value_tensor(of[i]);
    struct blocks lazy = *b;
    lazy.q = ty_lazy(b->q), lazy.scale = ty_lazy(b->scale);
    if (b->zero) lazy.zero = ty_lazy(b->zero);
    struct onnx_value y = onnx_value_tensor(onnx_blocks_numbers(call, &lazy));
    if (ty_is_promise(y.tensor)) y.list = &o->list;
    return onnx_output_value(call, 0, y);
}
const struct blocks *onnx_blocks_input(struct onnx_call *call, int i, const ty_tensor *a) {
    const struct onnx_value *x = i < call->ninputs ? &call->inputs[i] : NULL;
    if (!x || x->kind != ONNX_TENSOR || !x->list) return NULL;
    const struct operands *o = (const struct operands *)(const void *)x->list;
    return o->blocks.dtype == ty_dtype_of(a) ? &o->blocks : NULL;
}
