/* Graphs: the program of docs/graph.md, whose lines of code are taken from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/call.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, bool well, const ty_tensor *reason) {
    if (well) return;
    printf("%s: %s\n", what, reason ? ty_error(reason) : "is not so");
    all_well = false;
}
#define EXPECT(well, reason) expect(#well, well, reason)

static ty_tensor *numbers(int64_t n) { return ty_iota(TY_F64, 1, &n, 0); }

/* ---- promises, functions ---- */

static void promises(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(100, 8, 64)), "x");
    ty_tensor *y = ty_mean(ty_square(x), TY_ALL), *g;
    ty_grad(y, 1, &x, &g); /* more promises: d y / d x */
    ty_print(stdout, g);   /* compiled, planned, run; the program is cached */
    EXPECT(fabs(ty_item(ty_sum(g, TY_ALL)) - 2) < 1e-4, NULL);
}

static void net(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *const *w = context;
    y[0] = ty_softmax(ty_matmul(ty_relu(ty_matmul(x[0], w[0])), w[1]), 1);
}

static void functions(void) {
    ty_tensor *w[] = {ty_uniform(TY_F32, TY_SHAPE(8, 16), ty_key(1)),
                      ty_uniform(TY_F32, TY_SHAPE(16, 4), ty_key(2))};
    ty_tensor *batch = ty_uniform(TY_F32, TY_SHAPE(5, 8), ty_key(3)), *result;
    ty_function *f = ty_function_new(net, w, 1, 1, (ty_compile_options){0});
    ty_function_call(f, 1, &batch, 1, &result); /* any number of rows */
    EXPECT(fabs(ty_item(ty_sum(result, TY_ALL)) - 5) < 1e-5, result);
    ty_function_bound(f, 0, 0, 4096, NULL); /* axis 0 of operand 0 has at most 4096 rows */
    batch = ty_uniform(TY_F32, TY_SHAPE(9, 8), ty_key(3));
    ty_function_call(f, 1, &batch, 1, &result);
    EXPECT(ty_ok(result) && ty_shape(result)[0] == 9, result);
    ty_function_free(f);
}

/* ---- rewrites ---- */

/* log(exp(x)) is x, where I know that exp does not overflow */
static ty_tensor *log_of_exp(void *context, ty_tensor *y) {
    (void)context;
    ty_tensor *x = ty_operand(y, 0);
    return strcmp(ty_operator(x), "exp") ? NULL : ty_operand(x, 0);
}

static void rewrites(void) {
    ty_tensor *x = ty_var(ty_from(TY_F32, TY_SHAPE(3), (float[]){200, 0, 0}), "x");
    ty_tensor *y = ty_log(ty_exp(x));
    ty_rewrite row = {.name = "log_of_exp", .op = "log", .act = log_of_exp};
    ty_program *p = ty_compile(1, &y, (ty_compile_options){.rewrites = &row, .nrewrites = 1, .shadow = true});
    printf("%s\n", ty_program_error(p)); /* exp(200) overflows */
    ty_program_free(p);
}

/* ---- files and memory ---- */

static void saved(void) {
    ty_tensor *x = ty_var(numbers(100), "x"), *batch = ty_ones(TY_F64, TY_SHAPE(100));
    int n = 1;
    {
        ty_tensor *loss = ty_sum(ty_square(x), TY_ALL), *gradient;
        ty_grad(loss, 1, &x, &gradient);
        const ty_update updates[] = {{x, ty_sub(x, ty_mul(gradient, ty_num(0.25)))}};
        /* a training step: the loss and the updates of variables */
        ty_graph_options options = {.updates = updates, .nupdates = n};
        ty_graph_save("step.safetensors", 1, (const char *[]){"loss"}, &loss, options, NULL);
    }
    ty_graph *g = ty_graph_load("step.safetensors", (ty_file_options){0}); /* in another process, say */
    ty_tensor *loss = ty_graph_get(g, "loss");     /* a promise, which ty_grad accepts */
    ty_assign(ty_graph_find(g, "x"), batch, NULL); /* its variables, by name */
    int count;
    const ty_update *updates = ty_graph_updates(g, &count);
    ty_program *p = ty_compile(1, &loss, (ty_compile_options){.updates = updates, .nupdates = count});
    EXPECT(ty_run(p) && ty_item(ty_output(p, 0)) == 100, NULL);
    EXPECT(ty_item(ty_sum(ty_graph_find(g, "x"), TY_ALL)) == 50, NULL); /* after the step */
    ty_program_free(p);
    ty_graph_free(g);
    remove("step.safetensors");
}

static void limited(void) {
    ty_tensor *x = ty_var(ty_uniform(TY_F32, TY_SHAPE(64, 64), ty_key(1)), "x"), *loss = x, *gradient;
    for (int i = 0; i < 6; i++) loss = ty_tanh(ty_matmul(loss, x));
    loss = ty_sum(loss, TY_ALL);
    ty_grad(loss, 1, &x, &gradient);
    const ty_update updates[] = {{x, ty_sub(x, ty_mul(gradient, ty_num(1e-3)))}};
    int n = 1;
    ty_program *p =
        ty_compile(1, &loss, (ty_compile_options){.updates = updates, .nupdates = n, .max_bytes = 100 << 20});
    ty_report r;
    ty_program_report(p, &r); /* r.recomputed kernels run twice, which saves r.saved_bytes */
    EXPECT(r.arena_bytes > 0 && r.arena_bytes <= 100 << 20, NULL);
    void *memory = aligned_alloc(64, (size_t)r.arena_bytes);   /* arena_bytes is a multiple of 64 */
    ty_program_memory(p, memory, (size_t)r.arena_bytes, NULL); /* the next run allocates no arena */
    EXPECT(ty_run(p), NULL);
    ty_program_free(p);
    free(memory);
}

static void in_place(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, TY_SHAPE(10, 10)), "x"), *value = ty_num(5);
    ty_update update = {x, ty_set_at(x, "7, 3", value)}; /* one element of x, whatever its size */
    ty_program *p = ty_compile(0, NULL, (ty_compile_options){.updates = &update, .nupdates = 1});
    EXPECT(ty_run(p) && ty_item(ty_at(x, "7, 3")) == 5 && ty_item(ty_sum(x, TY_ALL)) == 5, NULL);
    ty_program_free(p);
}

static void shifted(void) {
    ty_tensor *x = ty_var(ty_uniform(TY_F32, TY_SHAPE(16, 16), ty_key(4)), "x"), *g;
    ty_tensor *dy = ty_sub(ty_slice(x, 0, 1, TY_END, 1), ty_slice(x, 0, 0, -1, 1));
    ty_tensor *dx = ty_sub(ty_slice(x, 1, 1, TY_END, 1), ty_slice(x, 1, 0, -1, 1));
    ty_grad(ty_add(ty_sum(ty_square(dy), TY_ALL), ty_sum(ty_square(dx), TY_ALL)), 1, &x, &g);
    EXPECT(fabs(ty_item(ty_sum(g, TY_ALL))) < 1e-4, g); /* a constant changes no difference */
}

static void incremental(void) {
    ty_tensor *x = ty_var(numbers(1000), "x"), *y = ty_exp(ty_neg(x)),
              *more = ty_ones(TY_F64, TY_SHAPE(1000));
    ty_program *p =
        ty_compile(1, &y, (ty_compile_options){.incremental = true, .changing = &x, .nchanging = 1});
    ty_run(p); /* all kernels */
    ty_assign(x, more, NULL);
    ty_run(p); /* the kernels that depend on x */
    ty_report r;
    ty_program_report(p,
                      &r); /* r.launched kernels ran; r.stays_bytes of the arena are kept for the next run */
    EXPECT(r.launched >= 1, NULL);
    more = ty_num(3);
    ty_assign_at(x, "100:110", more, NULL); /* as ty_set_at; ty_assign_items takes ranges as structs */
    ty_run(p);                              /* r.computed elements were computed */
    ty_program_report(p, &r);
    EXPECT(r.computed < 1000, NULL);
    EXPECT(ty_item(ty_at(ty_output(p, 0), "105")) == exp(-3), NULL);
    ty_program_free(p);
}

/* ---- functions of the caller ---- */

static void lookup(void *context, ty_called *call) {
    const double *table = context, *x = ty_data(call->x[0]);
    double *y = call->data[0];
    for (int64_t i = 0; i < ty_size(call->x[0]); i++) y[i] = table[(int)x[i]];
}

static void called(void) {
    static double table[100];
    for (int i = 0; i < 100; i++) table[i] = i * i;
    ty_tensor *x = numbers(100), *y;
    ty_form form = {TY_F64, 1, (int64_t[]){100}}; /* dtype and shape of the result */
    ty_call((ty_callee){.f = lookup, .context = table}, 1, &x, 1, &form, &y);
    EXPECT(ty_item(ty_at(y, "-1")) == 99 * 99, y);
}

/* Fill y with the angle between a row and the one vector of the second operand. */
static bool angle(void *context, ty_visit *v) {
    const double *x = v->x[0], *w = v->x[1];
    double product = 0, square = 0;
    for (int64_t k = 0; k < v->size[0]; k++) {
        product += x[k] * w[k];
        square += x[k] * x[k];
    }
    if (square == 0) v->error = ty_poison_code(TY_ERROR_DOMAIN, "a row of zeros");
    *(double *)v->y = acos(product / sqrt(square));
    (void)context;
    return !v->error;
}

static void visited(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){0, 0, 2, 0, 3, 0});
    ty_tensor *direction = ty_from(TY_F64, TY_SHAPE(3), (double[]){0, 0, 1}), *operands[] = {x, direction};
    ty_slicing slicing = {.f = angle, .axes = ty_axis(-1), .threads = true};
    ty_tensor *angles = ty_map_slices(2, operands, (ty_form){TY_F64, 0, NULL}, slicing);
    ty_print(stdout, angles);
}

/* ---- walks and passes ---- */

static void walked(void) {
    ty_tensor *y = ty_relu(ty_add(ty_var(ty_ones(TY_F32, TY_SHAPE(2)), "weight"), ty_num(1)));
    ty_walk *w = ty_walk_new(1, &y);
    for (int64_t k = 0; k < ty_walk_nodes(w); k++) {
        ty_tensor *x = ty_walk_node(w, k);             /* the walk owns it */
        printf("%s %s\n", ty_operator(x), ty_name(x)); /* "" for a plain value; "" without a name */
    }
    int64_t weight = ty_walk_find(w, "weight", 0); /* -1: none; search on from weight + 1 */
    int64_t first =
        ty_walk_consumer(w, weight, 0, NULL); /* the first of ty_walk_consumers(w, weight) readers */
    EXPECT(!strcmp(ty_operator(ty_walk_node(w, first)), "add"), NULL);
    ty_walk_free(w);
}

static ty_tensor *gelu_for_relu(void *context, ty_tensor *x, ty_tensor *y) { /* y: x on its new operands */
    (void)context;
    return strcmp(ty_operator(x), "relu") ? NULL : ty_gelu(ty_operand(y, 0)); /* NULL: y */
}

static void changed(void) {
    ty_tensor *x = ty_var(ty_from(TY_F32, TY_SHAPE(2), (float[]){9, -1}), "x"), *a = ty_mul(x, ty_num(1)),
              *y = ty_relu(a);
    {
        ty_tensor *bounded =
            ty_clip(a, ty_num(0), ty_num(6)); /* a node below y; its replacement may use it */
        ty_tensor *z;
        ty_replace(1, &a, &bounded, 1, &y, &z); /* false: z is poison, with the reason */
        EXPECT(ty_item(ty_amax(z, TY_ALL)) == 6, z);
    }
    ty_tensor *z;
    ty_transform(gelu_for_relu, NULL, 1, &y, &z);
    EXPECT(ty_item(ty_amin(y, TY_ALL)) == 0 && ty_item(ty_amin(z, TY_ALL)) < 0, z);
}

/* ---- loops ---- */

static void step(void *context, ty_step *s) {
    ty_tensor *w = context;
    s->next[0] = s->y[0] = ty_tanh(ty_add(ty_matmul(s->carry[0], w), s->x[0]));
}

static void looped(void) {
    ty_tensor *weights = ty_uniform(TY_F32, TY_SHAPE(64, 64), ty_key(1));
    ty_tensor *inputs = ty_uniform(TY_F32, TY_SHAPE(10, 8, 64), ty_key(2));
    ty_tensor *w = ty_var(weights, "w"), *x = ty_var(inputs, "x"), *h = ty_zeros(TY_F32, TY_SHAPE(8, 64)),
              *last, *y, *g;
    ty_scan(step, w, (ty_scan_spec){.ncarry = 1, .carry = &h, .nx = 1, .x = &x, .ny = 1}, &last, &y, NULL);
    ty_grad(ty_mean(ty_square(y), TY_ALL), 1, &w, &g);
    EXPECT(ty_ok(ty_eval(g)) && ty_shape(g)[0] == 64, ty_eval(g));
}

int main(void) {
    void (*const parts[])(void) = {promises,    functions, rewrites, saved,  limited, in_place, shifted,
                                   incremental, called,    visited,  walked, changed, looped};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ty_scope *scope = ty_open();
        parts[i]();
        ty_close(scope);
    }
    puts(all_well ? "well" : "not well");
    return !all_well;
}
