/*
 * The cost of derivatives, as ratios of the times of compiled programs run alternately. The programs are: a loss; the
 * loss with its gradient by all parameters; forward mode along one direction of all parameters, where each product
 * becomes three; forward mode along a direction of the input, where each becomes two; and the Hessian times a direction
 * of the parameters.
 *
 *   mlp        three layers, cross entropy          conv       LeNet-like, cross entropy
 *   lstm       a scan of 50 steps                   attention  projections, softmax, output, layer norm
 * Times and ratios are of the least of the rounds.
 *
 *   ./dev bench ad [--filter TEXT] [--rounds N] [--json [FILE]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include "bench/support/record.h"
#include "bench/support/timing.h"

enum { PARAMETERS = 12, ROUNDS = 25, MOST_ROUNDS = 99 };

static struct record *document;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "ad: %s: %s\n", what, why);
    exit(1);
}

/* ---- models ---- */

struct model {
    int n;
    ty_tensor *x[PARAMETERS], *v[PARAMETERS], *input, *input_v;
    ty_tensor *loss;
};

static ty_tensor *numbers(struct model *m, int rank, const int64_t *shape, uint64_t seed, double scale) {
    (void)m;
    return ty_cast(ty_mul(ty_normal(TY_F32, rank, shape, ty_key(seed)), ty_num(scale)), TY_F32);
}

static ty_tensor *parameter(struct model *m, int rank, const int64_t *shape, double scale) {
    ty_tensor *x = ty_var(numbers(m, rank, shape, (uint64_t)m->n + 1, scale), "parameter");
    m->v[m->n] = ty_var(numbers(m, rank, shape, (uint64_t)m->n + 100, 1), "direction");
    return m->x[m->n++] = x;
}

static ty_tensor *input(struct model *m, int rank, const int64_t *shape) {
    m->input_v = ty_var(numbers(m, rank, shape, 78, 1), "direction");
    return m->input = ty_var(numbers(m, rank, shape, 77, 1), "input");
}

static ty_tensor *labels(int64_t n) {
    return ty_var(ty_randint(TY_I64, 1, &n, ty_int(0), ty_int(10), ty_key(5)), "labels");
}

static ty_tensor *dense(struct model *m, ty_tensor *x, int64_t in, int64_t out) {
    ty_tensor *w = parameter(m, TY_SHAPE(in, out), 0.05), *b = parameter(m, TY_SHAPE(out), 0.05);
    return ty_add(ty_matmul(x, w), b);
}

static void mlp(struct model *m) {
    ty_tensor *h = ty_relu(dense(m, input(m, TY_SHAPE(128, 784)), 784, 512));
    h = ty_tanh(dense(m, h, 512, 512));
    m->loss = ty_cross_entropy(dense(m, h, 512, 10), labels(128));
}

static void conv(struct model *m) {
    ty_pool pool = {.size = {2, 2}};
    ty_tensor *x = input(m, TY_SHAPE(64, 28, 28, 1));
    ty_tensor *w = parameter(m, TY_SHAPE(5, 5, 1, 32), 0.1), *b = parameter(m, TY_SHAPE(32), 0.1);
    ty_tensor *h = ty_max_pool2d(ty_relu(ty_add(ty_conv2d(x, w, (ty_conv){.same = true}), b)), pool);
    w = parameter(m, TY_SHAPE(5, 5, 32, 64), 0.05), b = parameter(m, TY_SHAPE(64), 0.1);
    h = ty_max_pool2d(ty_relu(ty_add(ty_conv2d(h, w, (ty_conv){.same = true}), b)), pool);
    h = ty_relu(dense(m, ty_reshape(h, TY_SHAPE(64, 7 * 7 * 64)), 7 * 7 * 64, 256));
    m->loss = ty_cross_entropy(dense(m, h, 256, 10), labels(64));
}

enum { STEPS = 50, BATCH = 64, HIDDEN = 128, GATES = 4 * HIDDEN };

struct cell {
    ty_tensor *h, *bias;
};

static void step(void *context, ty_step *s) {
    const struct cell *l = context;
    ty_tensor *z = ty_add(ty_add(s->x[0], ty_matmul(s->carry[0], l->h)), l->bias), *gate[4];
    for (int i = 0; i < 4; i++) gate[i] = ty_slice(z, 1, i * HIDDEN, (i + 1) * HIDDEN, 1);
    s->next[1] =
        ty_add(ty_mul(ty_sigmoid(gate[0]), s->carry[1]), ty_mul(ty_sigmoid(gate[1]), ty_tanh(gate[2])));
    s->next[0] = ty_mul(ty_sigmoid(gate[3]), ty_tanh(s->next[1]));
}

static void lstm(struct model *m) {
    ty_tensor *w = parameter(m, TY_SHAPE(40, GATES), 0.1), *words = input(m, TY_SHAPE(STEPS, BATCH, 40));
    struct cell l = {.h = parameter(m, TY_SHAPE(HIDDEN, GATES), 0.1),
                     .bias = parameter(m, TY_SHAPE(GATES), 0.1)};
    ty_tensor *zero = ty_zeros(TY_F32, TY_SHAPE(BATCH, HIDDEN)), *first[] = {zero, zero}, *last[2];
    ty_tensor *inputs = ty_matmul(words, w);
    ty_scan_spec loop = {.ncarry = 2, .carry = first, .nx = 1, .x = &inputs};
    if (!ty_scan(step, &l, loop, last, NULL, NULL)) stop("lstm", ty_error(last[0]));
    m->loss = ty_cross_entropy(dense(m, last[0], HIDDEN, 10), labels(BATCH));
}

static void attention(struct model *m) {
    enum { LINES = 8, LENGTH = 128, WIDTH = 256, HEADS = 4, PART = WIDTH / HEADS };
    ty_tensor *x = input(m, TY_SHAPE(LINES, LENGTH, WIDTH)), *part[3];
    for (int i = 0; i < 3; i++) {
        ty_tensor *all = ty_matmul(x, parameter(m, TY_SHAPE(WIDTH, WIDTH), 0.06));
        part[i] = ty_permute(ty_reshape(all, TY_SHAPE(LINES, LENGTH, HEADS, PART)), (int[]){0, 2, 1, 3});
    }
    ty_tensor *scores = ty_mul(ty_matmul(part[0], ty_permute(part[1], (int[]){0, 1, 3, 2})), ty_num(0.125));
    ty_tensor *mixed = ty_permute(ty_matmul(ty_softmax(scores, -1), part[2]), (int[]){0, 2, 1, 3});
    ty_tensor *y = ty_matmul(ty_reshape(mixed, TY_SHAPE(LINES, LENGTH, WIDTH)),
                             parameter(m, TY_SHAPE(WIDTH, WIDTH), 0.06));
    y = ty_add(x, y);
    ty_axes last = ty_axes_of(1, (int[]){-1}, true);
    y = ty_sub(y, ty_mean(y, last));
    y = ty_mul(y, ty_rsqrt(ty_add(ty_mean(ty_square(y), last), ty_num(1e-5))));
    m->loss = ty_mean(ty_mul(y, ty_tanh(x)), TY_ALL);
}

static const struct {
    const char *name;
    void (*record)(struct model *m);
} models[] = {{"mlp", mlp}, {"conv", conv}, {"lstm", lstm}, {"attention", attention}};

/* ---- programs ---- */

enum kind { LOSS, GRADIENT, TANGENT, TANGENT_OF_INPUT, PRODUCT, KINDS };
static const char *const kind_names[KINDS] = {"loss", "gradient", "jvp", "jvp by input", "hvp"};

static ty_program *compile(struct model *m, enum kind kind) {
    ty_tensor *outputs[1 + PARAMETERS] = {m->loss}, **more = outputs + 1;
    bool done = true;
    int n = 1;
    if (kind == GRADIENT) done = ty_grad(m->loss, m->n, m->x, more);
    if (kind == TANGENT) done = ty_jvp(1, &m->loss, m->n, m->x, m->v, more);
    if (kind == TANGENT_OF_INPUT) done = ty_jvp(1, &m->loss, 1, &m->input, &m->input_v, more);
    if (kind == PRODUCT) done = ty_hvp(m->loss, m->n, m->x, m->v, more);
    if (!done) stop(kind_names[kind], ty_error(*more));
    n += kind == LOSS ? 0 : kind == TANGENT || kind == TANGENT_OF_INPUT ? 1 : m->n;
    ty_program *p = ty_compile(n, outputs, (ty_compile_options){0});
    if (*ty_program_error(p)) stop(kind_names[kind], ty_program_error(p));
    return p;
}

static void run(ty_program *p) {
    if (!ty_run(p)) stop("run", ty_error(ty_output(p, 0)));
}

static void measure(const char *name, void (*record)(struct model *m), int rounds) {
    static double seconds[KINDS][MOST_ROUNDS];
    ty_scope *scope = ty_open();
    struct model m = {0};
    ty_program *programs[KINDS];
    struct record_time time[KINDS];
    record(&m);
    if (!ty_ok(m.loss)) stop(name, ty_error(m.loss));
    for (int k = 0; k < KINDS; k++) run(programs[k] = compile(&m, (enum kind)k));
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < KINDS; k++) {
            double start = timing_now();
            run(programs[k]);
            seconds[k][r] = timing_now() - start;
        }
    printf("%-10s", name);
    for (int k = 0; k < KINDS; k++) {
        time[k] = timing_summary(seconds[k], rounds);
        ty_report report;
        ty_program_report(programs[k], &report);
        struct record_row row = {.name = name, .dtype = "f32", .threads = ty_threads(), .ours = time[k]};
        static char names[KINDS][64];
        snprintf(names[k], sizeof names[k], "%s, %s", name, kind_names[k]);
        row.name = names[k];
        row.numbers[0].name = k == PRODUCT ? "times the gradient" : "times the loss";
        row.numbers[0].value = time[k].least / time[k == PRODUCT ? GRADIENT : LOSS].least;
        row.numbers[1].name = "arena bytes";
        row.numbers[1].value = (double)report.arena_bytes;
        record_row(document, &row);
        printf("  %s %8.3f ms", kind_names[k], 1e3 * time[k].least);
        if (k) printf(" %5.2fx", row.numbers[0].value);
        ty_program_free(programs[k]);
    }
    printf("\n");
    fflush(stdout);
    ty_close(scope);
}

int main(int argc, char **argv) {
    int rounds = ROUNDS;
    const char *filter = "";
    if (!record_open(&document, &argc, argv)) return 1;
    record_least(document);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
            rounds = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--filter") && i + 1 < argc) {
            filter = argv[++i];
        } else {
            fprintf(stderr, "usage: ad [--filter TEXT] [--rounds N] [--json [FILE]]\n");
            return 2;
        }
    }
    if (rounds < 1 || rounds > MOST_ROUNDS) rounds = ROUNDS;
    printf("jvp is of the loss and its tangent, hvp of the loss and the product; times the loss, hvp: the "
           "gradient\n");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strstr(models[i].name, filter)) measure(models[i].name, models[i].record, rounds);
    return !record_close(document);
}
