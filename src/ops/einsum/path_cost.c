/*
 * Cost of contracting two tensors.
 *
 *   flops    as in opt_einsum: the product of all sizes, doubled if something is summed, times the cost of an operation
 *            of the dtype.  The contraction compiler counts with the same function.
 *   bytes    both operands and the result, once.
 *   seconds  call + max(arithmetic, caches) + memory, for one fixed core.  Never of this machine or its load, because
 *            the path, and with it the bits of the result, must be equal in each run and for any number of threads.
 *
 * Arithmetic runs at `rate` if rows, columns and depth of the matrix product are long.  Short ones leave lanes and
 * registers of the micro-kernel empty (n / (n + half) of the rate); an outer product has depth 1.  A product without
 * rows or columns is a matrix-vector or elementwise product: each element is read for one operation, so bytes decide.
 * Batches of small products pay for entering the kernel for each product.
 */
#include "ops/einsum/path.h"

static const struct {
    double rate;      /* operations per second of long matrix products, f32 */
    double half_rows; /* length of the longer of rows and columns, of the shorter, and depth, at which
                         half the rate is reached */
    double half_columns;
    double half_depth;
    double cached; /* bytes per second from caches, up to `cache` bytes */
    double memory; /* bytes per second from memory */
    double cache;
    double call;  /* seconds to record and launch one contraction */
    double batch; /* seconds to start one product of a batch */
} machine = {
    .rate = 150e9,  /* an AVX-512 core sustains 177 GFLOP/s; the compiler reaches 0.85 to 0.9 of it */
    .half_rows = 4, /* a tile is 32 rows high and 12 columns wide; masked tiles cost as much as full ones */
    .half_columns = 6,
    .half_depth = 12, /* each tile is loaded and stored once, whatever its depth */
    .cached = 40e9,   /* L2 streams 90 GB/s, L3 28 GB/s */
    .memory = 15e9,   /* ordinary stores; STREAM's triad */
    .cache = 2 << 20, /* L2 of 2 MiB */
    .call = 1.2e-6,   /* measured on 2x2 matrices */
    .batch = 100e-9,  /* measured on batches of 4x4 and 16x16 matrices */
};

/* Return the estimated time of a multiply-add in `dtype` relative to f32, from vector lanes and conversion
   costs. */
static double dtype_factor(ty_dtype dtype) {
    double size = (double)dtype_table[dtype].size;
    if (dtype_is(dtype, CLASS_COMPLEX)) return size / 2; /* 4 multiply-adds of size/2 bytes each */
    if (dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL)) return size < 8 ? 2 : 4;
    return size < 4 ? 1.5 : size / 4;
}

double path_size(const struct einsum_network *net, struct label_set labels) {
    double size = 1;
    for (int w = 0; w < PATH_WORDS; w++)
        for (uint64_t bits = labels.words[w]; bits; bits &= bits - 1)
            size *= net->sizes[64 * w + __builtin_ctzll(bits)];
    return size;
}

double path_flops(double products, double depth, ty_dtype dtype) {
    bool parts = dtype_valid(dtype) && dtype_is(dtype, CLASS_COMPLEX);
    return products * (depth == 1 ? 1 : 2) * (parts ? 4 : 1);
}

static double fill(double n, double half) { return n / (n + half); }

struct einsum_pair path_pair(const struct einsum_network *net, struct label_set a, struct label_set b,
                             struct label_set result) {
    struct label_set both = set_common(a, b), all = set_union(a, b);
    double batch = path_size(net, set_common(both, result)), depth = path_size(net, set_without(all, result));
    double m = path_size(net, set_common(set_without(a, b), result));
    double n = path_size(net, set_common(set_without(b, a), result));
    bool sums = !set_is_empty(set_without(all, result));
    double element = (double)dtype_table[net->dtype].size;
    struct einsum_pair p = {.size = batch * m * n};
    double products = p.size * depth;
    p.flops = path_flops(products, depth, net->dtype);
    p.bytes = element * (path_size(net, a) + path_size(net, b) + p.size);
    double traffic = p.bytes / machine.cached;
    if (p.bytes > machine.cache) traffic += (p.bytes - machine.cache) / machine.memory;
    double arithmetic = 0;
    if (m > 1 && n > 1) {
        double longer = m > n ? m : n, shorter = m > n ? n : m;
        double efficiency = fill(longer, machine.half_rows) * fill(shorter, machine.half_columns) *
                            fill(depth, machine.half_depth);
        arithmetic = 2 * products * dtype_factor(net->dtype) / (machine.rate * efficiency) +
                     (batch - 1) * machine.batch;
    } else if (sums && batch > 1 && depth < machine.half_depth) {
        arithmetic = batch * m * n / 3e8; /* short sums, computed one by one */
    }
    p.seconds = machine.call + (p.bytes > machine.cache ? arithmetic + traffic : fmax(arithmetic, traffic));
    return p;
}
