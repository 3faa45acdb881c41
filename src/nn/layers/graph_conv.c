/*
 * Graph convolution (Kipf and Welling 2017): features times weight, then for each node the weighted sum over
 * its neighbours. For a dense matrix the sum is a product. For a list of edges it is a gather and a scatter,
 * which need no memory of nodes squared.
 */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "array/dtype.h"
#include "base/machine/floating.h"
#include "nn/layers/options.h"

typedef ty_graph_conv_layer options_of;

/* Return 1 / sqrt(degree), or 0 where the degree is not positive. */
static ty_tensor *by_root(ty_tensor *degree) {
    ty_tensor *some = ty_gt(degree, ty_num(0));
    return ty_where(some, ty_rsqrt(ty_where(some, degree, ty_num(1))), ty_num(0));
}

/* Return features [.., nodes, C] summed over neighbours by the adjacency matrix `graph` [.., nodes, nodes];
   with self-loops and normalised by degrees unless the options say otherwise. */
static ty_tensor *by_matrix(const options_of *o, ty_tensor *features, ty_tensor *graph) {
    graph = ty_cast(graph, ty_dtype_of(features));
    if (!o->no_self) graph = ty_add(graph, ty_eye(ty_dtype_of(graph), size_from_end(graph, 1)));
    if (o->no_normalise) return ty_matmul(graph, features);
    ty_tensor *root = ty_expand(by_root(ty_sum(graph, ty_axis(-1))), -1);
    return ty_mul(root, ty_matmul(graph, ty_mul(root, features)));
}

/* Return features [.., nodes, C] summed along edges [2, count], from row 0 to row 1, times weights [count]
   (NULL: 1); with self-loops and normalised by degrees unless the options say otherwise. */
static ty_tensor *by_edges(const options_of *o, ty_tensor *features, ty_tensor *edges, ty_tensor *weights) {
    if (!ty_ok(features)) return features;
    int axis = ty_rank(features) - 2;
    int64_t nodes = ty_shape(features)[axis], count = ty_shape(edges)[1];
    ty_tensor *from = ty_squeeze(ty_slice(edges, 0, 0, 1, 1), 0),
              *to = ty_squeeze(ty_slice(edges, 0, 1, 2, 1), 0);
    ty_dtype dtype = ty_dtype_of(features);
    weights = weights ? ty_cast(weights, dtype) : ty_ones(dtype, 1, &count);
    ty_tensor *root = NULL;
    if (!o->no_normalise) {
        ty_tensor *degree = ty_scatter_add(weights, to, 0, nodes);
        root = ty_expand(by_root(o->no_self ? degree : ty_add(degree, ty_num(1))), -1);
        features = ty_mul(root, features);
    }
    ty_tensor *sent = ty_mul(ty_gather(features, from, axis), ty_expand(weights, -1));
    ty_tensor *sum = ty_scatter_add(sent, to, axis, nodes);
    if (!o->no_self) sum = ty_add(sum, features);
    return root ? ty_mul(root, sum) : sum;
}

/* Check features x[0], graph x[1] (edges or a matrix) and the optional weights of edges x[2]. Return
   poison, or NULL if they fit. */
static ty_tensor *refuse(ty_layer *self, const options_of *o, int n, ty_tensor *const *x) {
    if (n < 2 || n > 3)
        return layer_refuse(self, E_SHAPE,
                            "%d tensors, expected features, a graph, and perhaps weights of edges", n);
    int rank = ty_rank(x[0]), of_graph = ty_rank(x[1]);
    if ((rank != 2 && rank != 3) || !is_real(x[0]))
        return layer_refuse(
            self, E_DTYPE,
            "the features are %s with %d axes, expected floats (nodes, channels) or (batch, nodes, channels)",
            ty_dtype_name(ty_dtype_of(x[0])), rank);
    if (o->units < 1)
        return layer_refuse(self, E_ARGUMENT, "%lld units, expected at least 1", (long long)o->units);
    int64_t nodes = size_from_end(x[0], 2);
    bool edges = is_whole(x[1]) && of_graph == 2 && ty_shape(x[1])[0] == 2;
    bool matrix = is_real(x[1]) && (of_graph == 2 || (of_graph == 3 && rank == 3)) &&
                  size_from_end(x[1], 1) == nodes && size_from_end(x[1], 2) == nodes &&
                  (of_graph == 2 || ty_shape(x[1])[0] == ty_shape(x[0])[0]);
    if (!edges && !matrix)
        return layer_refuse(
            self, E_DTYPE,
            "the graph is %s with %d axes, expected edges, integers [2,edges], or a matrix of floats "
            "[%lld,%lld]",
            ty_dtype_name(ty_dtype_of(x[1])), of_graph, (long long)nodes, (long long)nodes);
    bool weighted = n > 2 && !is_absent(x[2]);
    if (weighted && (!edges || ty_rank(x[2]) != 1 || ty_shape(x[2])[0] != ty_shape(x[1])[1]))
        return layer_refuse(self, E_SHAPE, "weights with %d axes, expected one number for each edge",
                            ty_rank(x[2]));
    if (weighted && dtype_is(ty_dtype_of(x[2]), CLASS_COMPLEX))
        return layer_refuse(self, E_DTYPE, "the weights of edges are %s, expected real numbers",
                            ty_dtype_name(ty_dtype_of(x[2])));
    return NULL;
}

/* Set y[0] [.., nodes, units] to the graph convolution: features x[0] times the weight, summed over
   neighbours in x[1], plus bias, activated. Poison on failure. */
static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    const options_of *o = options;
    if ((y[0] = refuse(self, o, n, x))) return;
    int64_t shape[] = {size_from_end(x[0], 1), o->units};
    ty_parameter form = {.rank = 2, .shape = shape, .init = init_or(o->weight, ty_init_glorot_uniform)};
    form.fan_in = (double)shape[0], form.fan_out = (double)shape[1];
    form.pytorch[0] = 1;
    form.keras = "kernel";
    ty_tensor *h = ty_matmul(x[0], ty_layer_parameter(self, "weight", form));
    ty_layer_count(self, 2 * (double)shape[0] * (double)ty_size(h));
    h = is_whole(x[1]) ? by_edges(o, h, x[1], operand_or_null(n, x, 2)) : by_matrix(o, h, x[1]);
    if (!o->no_bias) {
        ty_parameter bias = {.rank = 1, .shape = shape + 1, .init = init_or(o->bias, ty_init_zeros)};
        bias.fan_in = form.fan_in, bias.fan_out = form.fan_out;
        h = ty_add(h, ty_layer_parameter(self, "bias", bias));
    }
    y[0] = activation_apply(o->activation, h);
}

#define AT(member, what) OPTION(options_of, member, what)
static const ty_option options[] = {AT(units, INT),
                                    AT(no_self, FLAG),
                                    AT(no_normalise, FLAG),
                                    AT(no_bias, FLAG),
                                    AT(activation, ACTIVATION),
                                    AT(weight, INIT),
                                    AT(bias, INIT),
                                    {0}};
const ty_layer_kind ty_kind_graph_conv = {.name = "graph_conv",
                                          .prefix = "graph",
                                          .doc = "sums of the features of neighbours in a graph",
                                          .bytes = sizeof(options_of),
                                          .options = options,
                                          .operands = -1,
                                          .forward = forward};
