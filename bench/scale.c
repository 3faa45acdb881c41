/*
 * The costs of graphs by their size: nanoseconds per node of recording, differentiating, compiling, running, evaluating
 * and closing, for several shapes of graphs of 10^4, 10^5, 10^6 nodes. Linear costs have equal values down a column;
 * `arena` is the plan's size over the most bytes alive at once. Operands have four elements, except the LSTM's, since
 * the graph itself is timed.
 *
 *   ./dev bench scale --help
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/tyto.h>
#include "bench/support/record.h"

enum { ELEMENTS = 4, LARGEST = 1000000, STEP = 10 };

static struct record *document;

/* Return the processor time of this process, which runs one thread; other processes do not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- graphs ---- */

/* A recorded graph. Arrays have a capacity of one entry per node. */
struct graph {
    int64_t n; /* requested number of nodes */
    int nx, nroots, nupdates;
    ty_tensor **x, **roots; /* variables; outputs, of which the first is differentiated */
    ty_update *updates;
};

static ty_tensor *variable(struct graph *g) {
    return g->x[g->nx++] = ty_var(ty_full(TY_F32, 1, (int64_t[]){ELEMENTS}, 1.25), "");
}
static void output(struct graph *g, ty_tensor *y) { g->roots[g->nroots++] = y; }

/* A generator with the same values on every machine. */
static uint64_t random_state;
static int64_t random_below(int64_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((random_state >> 33) % (uint64_t)n);
}

/* Record sin of sin of sin ... */
static void chain(struct graph *g) {
    ty_tensor *y = variable(g);
    for (int64_t i = 1; i < g->n; i++) y = ty_sin(y);
    output(g, y);
}

/* Record a chain that stays a chain of kernels: nothing fuses across a cumulative sum. */
static void barriers(struct graph *g) {
    ty_tensor *y = variable(g);
    for (int64_t i = 1; i < g->n; i += 2) y = ty_cumsum(ty_sin(y), 0, (ty_running){0});
    output(g, y);
}

/* Record the sum of n/2 variables, pair by pair. */
static void tree(struct graph *g) {
    int64_t width = g->n / 2;
    ty_tensor **level = malloc(sizeof *level * (size_t)width);
    for (int64_t i = 0; i < width; i++) level[i] = variable(g);
    for (; width > 1; width = (width + 1) / 2)
        for (int64_t i = 0; i < width; i += 2)
            level[i / 2] = i + 1 < width ? ty_add(level[i], level[i + 1]) : level[i];
    output(g, level[0]);
    free(level);
}

/* Record one value with n/2 readers, summed one after the other. */
static void fan(struct graph *g) {
    ty_tensor *x = variable(g), *y = x;
    for (int64_t i = 1; i < g->n; i += 2) y = ty_add(ty_mul(x, y), x);
    output(g, y);
}

/* Record nodes that each read two earlier ones; unread nodes are summed. */
static void dag_over(struct graph *g, int64_t window) {
    ty_tensor **made = malloc(sizeof *made * (size_t)g->n);
    bool *read = calloc((size_t)g->n, 1);
    int64_t count = 0;
    random_state = 1;
    while (count < 8) made[count++] = variable(g);
    for (int64_t most = g->n - g->n / 4; count < most; count++) {
        int64_t reach = count < window ? count : window;
        int64_t a = count - 1 - random_below(reach), b = count - 1 - random_below(reach);
        int64_t kind = random_below(5);
        read[a] = true;
        if (kind < 4) read[b] = true;
        made[count] = kind == 0   ? ty_add(made[a], made[b])
                      : kind == 1 ? ty_sub(made[a], made[b])
                      : kind == 2 ? ty_mul(made[a], made[b])
                      : kind == 3 ? ty_max(made[a], made[b])
                                  : ty_tanh(made[a]);
    }
    ty_tensor *y = made[count - 1];
    for (int64_t i = 0; i + 1 < count; i++)
        if (!read[i]) y = ty_add(y, made[i]);
    output(g, y);
    free(made);
    free(read);
}
static void dag_near(struct graph *g) { dag_over(g, 64); }
static void dag_far(struct graph *g) { dag_over(g, g->n); }

/* Record n/2 variables, each with an output of its own. */
static void outputs(struct graph *g) {
    for (int64_t i = 0; i < g->n / 2; i++) output(g, ty_sin(variable(g)));
}

/* Record n/2 variables, each with an update by a common factor. */
static void updates(struct graph *g) {
    ty_tensor *scale = variable(g);
    for (int64_t i = 0; i < g->n / 2; i++) {
        ty_tensor *x = variable(g);
        g->updates[g->nupdates++] = (ty_update){x, ty_mul(x, scale)};
    }
    output(g, ty_sin(scale));
}

/* A training step of an LSTM (Owl's book, "Computation Graph": embedding 40, LSTM 128, linear 512,
   softmax; Adagrad), unrolled to about n nodes. */
enum { NODES_A_TIME = 98, BATCH = 4, WORDS = 56, EMBEDDING = 40, HIDDEN = 128, LINEAR = 512, GATES = 4 };

static ty_tensor *matrix(struct graph *g, int64_t rows, int64_t columns) {
    ty_tensor *value = ty_full(TY_F32, rows ? 2 : 1, rows ? (int64_t[]){rows, columns} : &columns, 0.01);
    return g->x[g->nx++] = ty_var(value, "");
}

static ty_tensor *times(ty_tensor *x, ty_tensor *const *w) { return ty_add(ty_matmul(x, w[0]), w[1]); }

static ty_tensor *lstm_loss(struct graph *g) {
    ty_tensor *embedding = matrix(g, WORDS, EMBEDDING), *gates[GATES][3], *linear[2], *last[2];
    for (int i = 0; i < GATES; i++) {
        gates[i][0] = matrix(g, EMBEDDING, HIDDEN);
        gates[i][1] = matrix(g, 0, HIDDEN);
        gates[i][2] = matrix(g, HIDDEN, HIDDEN);
    }
    linear[0] = matrix(g, HIDDEN, LINEAR), linear[1] = matrix(g, 0, LINEAR);
    last[0] = matrix(g, LINEAR, WORDS), last[1] = matrix(g, 0, WORDS);
    ty_tensor *state = ty_lazy(ty_full(TY_F32, 2, (int64_t[]){BATCH, HIDDEN}, 0)), *y = state;
    ty_tensor *words = ty_var(ty_full(TY_I64, 2, (int64_t[]){g->n / NODES_A_TIME, BATCH}, 3), "");
    for (int64_t t = 0; t < g->n / NODES_A_TIME; t++) {
        ty_tensor *x = ty_take(embedding, ty_get(words, TY_ITEMS(TY_AT(t))), 0), *gate[GATES];
        for (int i = 0; i < GATES; i++) gate[i] = ty_add(times(x, gates[i]), ty_matmul(y, gates[i][2]));
        state = ty_add(ty_mul(ty_sigmoid(gate[0]), state), ty_mul(ty_sigmoid(gate[1]), ty_tanh(gate[2])));
        y = ty_mul(ty_sigmoid(gate[3]), ty_tanh(state));
    }
    ty_tensor *logits = times(ty_relu(times(y, linear)), last);
    return ty_neg(ty_mean(ty_get(ty_log_softmax(logits, 1), TY_ITEMS(TY_DOTS, TY_AT(0))), TY_ALL));
}

static void lstm(struct graph *g) {
    ty_tensor *loss = lstm_loss(g), *slopes[32];
    int n = g->nx;
    if (!ty_grad(loss, n, g->x, slopes)) output(g, slopes[0]);
    for (int i = 0; i < n; i++) {
        ty_tensor *w = g->x[i], *sum = ty_var(ty_zeros(TY_F32, ty_rank(w), ty_shape(w)), "");
        ty_tensor *next = ty_add(sum, ty_square(slopes[i]));
        ty_tensor *step = ty_div(ty_mul(slopes[i], ty_num(0.01)), ty_sqrt(ty_add(next, ty_num(1e-8))));
        g->updates[g->nupdates++] = (ty_update){sum, next};
        g->updates[g->nupdates++] = (ty_update){w, ty_sub(w, step)};
    }
    output(g, loss);
}

static const struct shape {
    const char *name;
    void (*build)(struct graph *g);
    bool gradient; /* the first output is also differentiated */
} shapes[] = {
    {"chain of sin", chain, false},
    {"its gradient", chain, true},
    {"chain of running sums", barriers, false},
    {"its gradient", barriers, true},
    {"wide tree", tree, false},
    {"its gradient", tree, true},
    {"one value, many readers", fan, false},
    {"its gradient", fan, true},
    {"random, of 64 before", dag_near, false},
    {"its gradient", dag_near, true},
    {"random, of all before", dag_far, false},
    {"its gradient", dag_far, true},
    {"many outputs", outputs, false},
    {"many updates", updates, false},
    {"LSTM, a training step", lstm, false},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- measurement ---- */

enum column { RECORD, GRAD, COMPILE, FIRST, RUN, EVAL, CLOSE, COLUMNS };
static const char *const columns[COLUMNS] = {"record", "grad", "compile", "first run",
                                             "run",    "eval", "close"};

static int64_t count_nodes(const struct graph *g, int nvalues, ty_tensor **roots) {
    int64_t nodes = 0, edges;
    for (int i = 0; i < g->nupdates; i++) roots[nvalues + i] = g->updates[i].value;
    ty_count(nvalues + g->nupdates, roots, &nodes, &edges, NULL);
    return nodes;
}

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* Compile, run twice and evaluate; writes the seconds. Returns the arena's size over its lower bound. */
static double measure_program(const struct graph *g, double *seconds) {
    double start = now();
    ty_program *program =
        ty_compile(g->nroots, g->roots, (ty_compile_options){.updates = g->updates, .nupdates = g->nupdates});
    seconds[COMPILE] = now() - start;
    ty_report report;
    ty_program_report(program, &report);
    for (int run = FIRST; run <= RUN; run++) {
        start = now();
        if (!ty_run(program)) stop("run", ty_program_error(program));
        seconds[run] = now() - start;
    }
    start = now();
    ty_program_free(program);
    seconds[CLOSE] += now() - start;
    ty_scope *scope = ty_open();
    ty_tensor **values = malloc(sizeof *values * (size_t)g->nroots);
    start = now();
    if (!ty_eval_all(g->nroots, g->roots, values)) stop("eval", ty_error(values[0]));
    seconds[EVAL] = now() - start;
    start = now();
    free(values);
    ty_close(scope);
    ty_trim();
    seconds[CLOSE] += now() - start;
    return report.live_bound ? (double)report.arena_bytes / (double)report.live_bound : 1;
}

/* Measure one shape: nanoseconds per node, 0 for steps that it lacks. Returns the number of nodes. */
static int64_t measure(const struct shape *s, int64_t n, double *ns, double *packed) {
    size_t room = (size_t)n + 8;
    struct graph g = {.n = n};
    double seconds[COLUMNS] = {0};
    g.x = malloc(room * sizeof *g.x);
    g.roots = malloc(2 * room * sizeof *g.roots);
    g.updates = malloc(room * sizeof *g.updates);
    if (!g.x || !g.roots || !g.updates) stop("scale", "out of memory");
    ty_scope *scope = ty_open();
    double start = now();
    s->build(&g);
    seconds[RECORD] = now() - start;
    int64_t nodes = count_nodes(&g, g.nroots, g.roots), recorded = nodes;
    if (s->gradient) {
        start = now();
        if (!ty_grad(g.roots[0], g.nx, g.x, g.roots + g.nroots)) stop("grad", ty_error(g.roots[g.nroots]));
        seconds[GRAD] = now() - start;
        g.nroots += g.nx;
        nodes = count_nodes(&g, g.nroots, g.roots);
    }
    *packed = measure_program(&g, seconds);
    start = now();
    ty_close(scope);
    seconds[CLOSE] += now() - start;
    for (int i = 0; i < COLUMNS; i++) ns[i] = 1e9 * seconds[i] / (double)(i == RECORD ? recorded : nodes);
    free(g.x);
    free(g.roots);
    free(g.updates);
    return nodes;
}

static void tell(const struct shape *s, int64_t n, int64_t nodes, const double *ns, double packed) {
    char name[128];
    struct record_row row = {.name = name, .dtype = "f32", .threads = 1};
    snprintf(name, sizeof name, "%s%s, %lld", s->gradient ? "gradient of " : "", (s - s->gradient)->name,
             (long long)n);
    printf("%-24s %8lld", s->name, (long long)nodes);
    for (int i = 0; i < COLUMNS; i++) {
        if (ns[i] > 0)
            printf(" %9.1f", ns[i]);
        else
            printf(" %9s", "-");
        row.numbers[i].name = columns[i];
        row.numbers[i].value = ns[i];
    }
    printf(" %9.3f\n", packed);
    row.numbers[COLUMNS].name = "arena over bound";
    row.numbers[COLUMNS].value = packed;
    fflush(stdout);
    record_row(document, &row);
}

static const char help[] =
    "./dev bench scale: nanoseconds a node for graphs of 10^4, 10^5, 10^6 nodes, on one thread\n"
    "  --quick        up to 10^5\n"
    "  --most N       up to N nodes\n"
    "  --filter TEXT  shapes whose name has it, and their gradients\n"
    "  --json [FILE]  the same as a document\n";

int main(int argc, char **argv) {
    const char *filter = "";
    int64_t most = LARGEST;
    if (!record_open(&document, &argc, argv)) return 2;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--quick"))
            most = LARGEST / STEP;
        else if (!strcmp(argv[i], "--most") && i + 1 < argc)
            most = atoll(argv[++i]);
        else if (!strcmp(argv[i], "--filter") && i + 1 < argc)
            filter = argv[++i];
        else {
            bool asked = !strcmp(argv[i], "--help");
            fputs(help, stdout);
            return asked ? 0 : 2;
        }
    ty_set_threads(1);
    printf("%-24s %8s", "ns a node", "nodes");
    for (int i = 0; i < COLUMNS; i++) printf(" %9s", columns[i]);
    printf(" %9s\n", "arena");
    for (int i = 0; i < SHAPES; i++)
        for (int64_t n = LARGEST / STEP / STEP; n <= most; n *= STEP) {
            double ns[COLUMNS], packed;
            const struct shape *s = &shapes[i];
            if (!strstr((s - s->gradient)->name, filter)) continue;
            int64_t nodes = measure(s, n, ns, &packed);
            tell(s, n, nodes, ns, packed);
        }
    return !record_close(document);
}
