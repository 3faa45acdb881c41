/* A saved network seen from outside: its operators are counted, its weights stored in 8 bits, and the result of each
   product is watched by a function of our own. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

/* Return a small network as the bytes of a saved graph. */
static void *save_network(size_t *size, ty_tensor **error) {
    ty_tensor *x = ty_var(ty_normal(TY_F32, TY_SHAPE(4, 16), ty_key(1)), "x"),
              *w1 = ty_var(ty_normal(TY_F32, TY_SHAPE(16, 64), ty_key(2)), "hidden.weight"),
              *w2 = ty_var(ty_normal(TY_F32, TY_SHAPE(64, 3), ty_key(3)), "out.weight"),
              *y = ty_softmax(ty_matmul(ty_relu(ty_matmul(x, w1)), w2), 1);
    return ty_graph_bytes(1, (const char *const[]){"y"}, &y, (ty_graph_options){0}, size, error);
}

static bool is(const ty_tensor *x, const char *operator_name) {
    return !strcmp(ty_operator(x), operator_name);
}

/* Print the products of a graph: operands, equation of axes, readers. */
static bool list_products(ty_tensor *y) {
    ty_walk *walk = ty_walk_new(1, &y);
    for (int64_t k = 0; k < ty_walk_nodes(walk); k++) {
        ty_tensor *x = ty_walk_node(walk, k), *w = ty_operand(x, 1);
        int64_t labels[4];
        if (!is(x, "contract")) continue;
        int64_t n = ty_attribute_integers(x, "out", 4, labels), reader = ty_walk_consumer(walk, k, 0, NULL);
        printf("product with %s: %d axes, read by %s\n", *ty_name(w) ? ty_name(w) : ty_operator(w), (int)n,
               ty_operator(ty_walk_node(walk, reader)));
    }
    bool well = !*ty_walk_error(walk);
    ty_walk_free(walk);
    return well;
}

/* Replace each weight by a product of whole numbers in 8 bits and a scale for each column. */
static ty_tensor *quantise(void *context, ty_tensor *x, ty_tensor *y) {
    const char *dot = strrchr(ty_name(x), '.');
    (void)y;
    if (!is(x, "variable") || !dot || strcmp(dot, ".weight")) return NULL;
    ty_tensor *value = ty_eval(x), *largest = ty_amax(ty_abs(value), ty_axes_of(1, (int[]){0}, true));
    ty_tensor *scale = ty_div(largest, ty_num(127)), *whole = ty_cast(ty_round(ty_div(value, scale)), TY_I8);
    ++*(int *)context;
    return ty_mul(ty_cast(ty_var(whole, ty_name(x)), TY_F32), ty_var(scale, "scale"));
}

/* Refuse numbers that are not finite, and pass on all others. */
static void check_finite(void *context, ty_called *call) {
    const float *x = ty_data(call->x[0]);
    float *y = call->data[0];
    for (int64_t i = 0; i < ty_size(call->x[0]); i++) {
        if (!isfinite(x[i]) && !call->y[0])
            call->y[0] = ty_poison_code(TY_ERROR_DOMAIN, "element %d is not finite", (int)i);
        y[i] = x[i];
    }
    ++*(int *)context;
}

/* Insert the check behind each product. */
static ty_tensor *watch(void *context, ty_tensor *x, ty_tensor *y) {
    ty_form form = {ty_dtype_of(y), ty_rank(y), ty_shape(y)};
    ty_tensor *checked;
    if (!is(x, "contract")) return NULL;
    ty_call((ty_callee){.f = check_finite, .context = context}, 1, &y, 1, &form, &checked);
    return checked;
}

int main(void) {
    ty_scope *scope = ty_open();
    size_t size = 0;
    int weights = 0, checks = 0;
    ty_tensor *error = NULL, *y, *small = NULL, *watched = NULL;
    void *bytes = save_network(&size, &error);
    ty_graph *graph = ty_graph_parse(bytes, size, (ty_file_options){0});
    y = ty_graph_get(graph, "y");

    bool done = bytes && list_products(y) && ty_transform(quantise, &weights, 1, &y, &small) &&
                ty_transform(watch, &checks, 1, &small, &watched);
    double apart = done ? ty_item(ty_amax(ty_abs(ty_sub(watched, y)), TY_ALL)) : NAN;
    printf("%d weights in 8 bits: results change by %s; %d checks ran\n", weights,
           apart < 0.1 ? "less than 0.1" : "too much", checks);

    /* The old graph is as it was. On an operand that is not finite, the new one fails. */
    ty_tensor *x = ty_graph_find(graph, "x"), *bad;
    ty_assign(x, ty_full(TY_F32, TY_SHAPE(4, 16), INFINITY), NULL);
    bad = ty_eval(watched);
    bool noticed = !ty_ok(bad);
    printf("%s\n", noticed ? ty_error(bad) : "nothing was noticed");
    ty_graph_free(graph);
    ty_free(bytes);
    ty_close(scope);
    return done && apart < 0.1 && weights == 2 && checks >= 2 && noticed ? 0 : 1;
}
