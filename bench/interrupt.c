/*
 * Time from ty_interrupt to the failure of the call in progress, for long calls of every kind.  A thread runs the
 * call again and again in a context of its own; another one interrupts it at moments spread over its duration.  Prints
 * the duration, the longest and the median delay in milliseconds.
 *
 *   ./dev bench interrupt [NAME] [--times N] [--threads N]
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/data.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

enum { MOST_TIMES = 1000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- calls: each returns true if it came to its end ---- */

static ty_tensor *operand; /* made before the call is measured */

static ty_tensor *normal(ty_dtype dtype, int rank, const int64_t *shape) {
    ty_tensor *x = ty_normal(dtype, rank, shape, ty_key(1));
    ty_data(x);
    return x;
}
static ty_tensor *square(ty_dtype dtype, int64_t n) { return normal(dtype, 2, (int64_t[]){n, n}); }

static ty_tensor *of_product(void) { return square(TY_F32, 4096); }
static bool product(void) { return ty_ok(ty_matmul(operand, operand)); }
static ty_tensor *of_products(void) { return square(TY_F64, 3000); }
static ty_tensor *of_small(void) { return square(TY_F64, 1500); }
static ty_tensor *of_eig(void) { return square(TY_F64, 700); }
static bool svd(void) { return ty_ok(ty_svd(operand, false).u); }
static bool eigh(void) { return ty_ok(ty_eigh(operand).vectors); }
static bool eig(void) { return ty_ok(ty_eig(operand).vectors); }
static bool lu(void) { return ty_ok(ty_lu(operand).u); }
static bool qr(void) { return ty_ok(ty_qr(operand, false).q); }
static bool inverse(void) { return ty_ok(ty_inv(operand)); }
static ty_tensor *of_definite(void) {
    ty_tensor *a = square(TY_F64, 4000);
    return ty_add(ty_matmul(a, ty_transpose(a)), ty_eye(TY_F64, 4000));
}
static bool cholesky(void) { return ty_ok(ty_cholesky(operand)); }
static bool logarithm(void) { return ty_ok(ty_logm(operand)); }
static ty_tensor *of_sort(void) { return normal(TY_F64, 1, (int64_t[]){20000000}); }
static bool sort(void) { return ty_ok(ty_sort(operand, 0, false)); }
static bool argsort(void) { return ty_ok(ty_argsort(operand, 0, false)); }
static bool median(void) { return ty_ok(ty_median(operand, TY_ALL)); }
static bool cumsum(void) { return ty_ok(ty_cumsum(operand, 0, (ty_running){0})); }
static bool special(void) { return ty_ok(ty_digamma(operand)); }
static bool sum(void) { return ty_ok(ty_sum(operand, TY_ALL)); }
static ty_tensor *of_fft(void) { return ty_cast(normal(TY_F64, 1, (int64_t[]){1 << 24}), TY_C128); }
static bool fft(void) { return ty_ok(ty_fft(operand, TY_FFT_WHOLE, 0, 0)); }
static ty_tensor *of_chirp(void) { return ty_cast(normal(TY_F64, 1, (int64_t[]){9999991}), TY_C128); }
static ty_tensor *of_rfft(void) { return normal(TY_F64, 1, (int64_t[]){1 << 24}); }
static bool rfft(void) { return ty_ok(ty_rfft(operand, TY_FFT_WHOLE, 0, 0)); }

static ty_tensor *of_nothing(void) { return NULL; }

static ty_model *model;
static ty_trainer *trainer;
static ty_tensor *of_lenet(void) {
    const ty_network *net = ty_network_named("lenet");
    model = ty_network_model(net, (ty_network_options){0}, (ty_model_options){.lazy = true});
    ty_tensor *x = ty_keep(ty_network_input(net, 500)), *y = ty_zeros(TY_I64, 1, (int64_t[]){500});
    trainer = ty_trainer_new(model, (ty_trainer_options){.inputs = x, .targets = y, .batch = 500});
    ty_trainer_step(trainer);
    return x;
}
static ty_tensor *of_resnet(void) {
    const ty_network *net = ty_network_named("resnet18");
    model = ty_network_model(net, (ty_network_options){0}, (ty_model_options){.lazy = true});
    ty_tensor *x = ty_network_input(net, 2), *y = ty_zeros(TY_I64, 1, (int64_t[]){2});
    trainer = ty_trainer_new(model, (ty_trainer_options){.inputs = x, .targets = y, .batch = 2});
    ty_trainer_step(trainer);
    return x;
}
static bool step(void) { return !isnan(ty_trainer_step(trainer)); }

static ty_tensor *of_compile(void) {
    const ty_network *net = ty_network_named("resnet50");
    model = ty_network_model(net, (ty_network_options){0}, (ty_model_options){.lazy = true});
    ty_tensor *x = ty_lazy(ty_network_input(net, 4)), *y = ty_model_forward(model, x, NULL);
    return ty_sum(ty_mul(y, y), TY_ALL);
}
static bool compile(void) {
    int n = ty_model_parameters(model);
    ty_tensor **x = calloc((size_t)n, sizeof *x), **g = calloc((size_t)n, sizeof *g);
    for (int i = 0; i < n; i++) x[i] = ty_model_parameter(model, i);
    ty_grad(operand, n, x, g);
    ty_program *p = ty_compile(n, g, (ty_compile_options){.max_bytes = 400 << 20});
    bool done = !strstr(ty_program_error(p), "interrupted");
    ty_program_free(p);
    free(x), free(g);
    return done;
}

/* Find the order of a product of 40 operands.  Each call has other sizes, since orders are cached. */
static bool einsum(void) {
    enum { N = 40 };
    static int64_t calls;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";
    ty_tensor *x[N];
    char equation[4 * N + 3] = "";
    calls++;
    for (int i = 0; i < N; i++) {
        int labels[] = {i, (i * 7 + 1) % N, (i * 11 + 5) % N};
        int64_t shape[3];
        for (int k = 0; k < 3; k++) {
            equation[4 * i + k] = letters[labels[k]];
            shape[k] = 2 + (labels[k] * calls + calls / 7) % 7;
        }
        equation[4 * i + 3] = ',';
        x[i] = ty_lazy(ty_full(TY_F32, 3, shape, 1));
    }
    strcpy(equation + 4 * N - 1, "->");
    ty_tensor *y = ty_einsum_of(equation, N, x, (ty_einsum_options){0});
    if (!ty_ok(y) && !strstr(ty_error(y), "interrupted")) puts(ty_error(y));
    return ty_ok(y) || !strstr(ty_error(y), "interrupted");
}

static ty_tensor *slope(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sub(ty_mul(x[1], ty_num(-0.1)), ty_sin(x[1]));
}
static bool ode(void) {
    ty_tensor *y = ty_full(TY_F64, 1, (int64_t[]){3}, 1), *times = ty_arange(TY_F64, 0, 3000, 1);
    return ty_ok(
        ty_odeint(slope, NULL, y, times, 0, NULL, (ty_ode_options){.longest = 0.01, .steps = 10000}));
}

static ty_tensor *density(void *context, ty_tensor *x) {
    (void)context;
    return ty_neg(ty_sum(ty_mul(x, x), TY_ALL));
}
static bool mcmc(void) {
    ty_samples s = ty_hmc(density, NULL, ty_zeros(TY_F64, 2, (int64_t[]){4, 5}), ty_key(1),
                          (ty_sampler_options){.draws = 3000});
    return ty_ok(s.draws);
}
static bool nuts(void) {
    ty_samples s = ty_nuts(density, NULL, ty_zeros(TY_F64, 2, (int64_t[]){4, 5}), ty_key(1),
                           (ty_sampler_options){.draws = 1000});
    return ty_ok(s.draws);
}

static ty_tensor *of_points(void) { return normal(TY_F64, 2, (int64_t[]){400000, 3}); }
static bool tree(void) {
    ty_tree *t = ty_tree_new(operand, (ty_distance_options){0});
    ty_neighbours n = ty_tree_nearest(t, operand, 8);
    ty_tree_free(t);
    return ty_ok(n.indices);
}

static const char csv_path[] = "/tmp/tyto_bench_interrupt.csv";
static ty_tensor *of_csv(void) {
    FILE *f = fopen(csv_path, "w");
    for (int i = 0; f && i < 2000000; i++)
        fprintf(f, "%d,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f\n", i, i * 0.1, i * 0.2, i * 0.3, i * 0.4, i * 0.5,
                i * 0.6, i * 0.7);
    if (f) fclose(f);
    return NULL;
}
static bool csv(void) { return ty_ok(ty_load(csv_path)); }

static const struct row {
    const char *name;
    ty_tensor *(*prepare)(void);
    bool (*run)(void);
} rows[] = {{"product 4096", of_product, product},
            {"product f64", of_products, product},
            {"svd 1500", of_small, svd},
            {"eigh 1500", of_small, eigh},
            {"eig 700", of_eig, eig},
            {"lu 3000", of_products, lu},
            {"qr 3000", of_products, qr},
            {"inverse 3000", of_products, inverse},
            {"cholesky 4000", of_definite, cholesky},
            {"logm 700", of_eig, logarithm},
            {"sort 2e7", of_sort, sort},
            {"argsort 2e7", of_sort, argsort},
            {"median 2e7", of_sort, median},
            {"cumsum 2e7", of_sort, cumsum},
            {"digamma 2e7", of_sort, special},
            {"sum 2e7", of_sort, sum},
            {"fft 2^24", of_fft, fft},
            {"fft 9999991", of_chirp, fft},
            {"rfft 2^24", of_rfft, rfft},
            {"lenet step", of_lenet, step},
            {"resnet18 step", of_resnet, step},
            {"compile resnet50", of_compile, compile},
            {"einsum order", of_nothing, einsum},
            {"ode", of_nothing, ode},
            {"hmc", of_nothing, mcmc},
            {"nuts", of_nothing, nuts},
            {"k-d tree", of_points, tree},
            {"csv 200 MB", of_csv, csv}};

/* ---- measuring ---- */

struct run {
    const struct row *row;
    ty_context *context;
    int threads;
    atomic_int state; /* 0: preparing, 1: begun, 2: ended */
    atomic_bool go, ends, came_to_end;
    double ended;
};

static void *work(void *context) {
    struct run *r = context;
    ty_context_use(r->context);
    if (r->threads) ty_set_threads(r->threads);
    ty_scope *scope = ty_open();
    operand = r->row->prepare();
    atomic_store(&r->state, 2);
    while (!atomic_load(&r->ends)) {
        while (!atomic_load(&r->go) && !atomic_load(&r->ends)) sched_yield();
        if (atomic_load(&r->ends)) break;
        ty_scope *inner = ty_open();
        atomic_store(&r->state, 1);
        bool end = r->row->run();
        r->ended = now();
        atomic_store(&r->came_to_end, end);
        atomic_store(&r->go, false);
        atomic_store(&r->state, 2);
        ty_close(inner);
    }
    ty_close(scope);
    return NULL;
}

static void wait_for(struct run *r, int state) {
    struct timespec little = {0, 50000};
    while (atomic_load(&r->state) != state) nanosleep(&little, NULL);
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct row *row, int times, int threads) {
    struct run r = {.row = row, .context = ty_context_new((ty_context_options){0}), .threads = threads};
    double delays[MOST_TIMES], duration = 0;
    pthread_t thread;
    int n = 0;
    if (pthread_create(&thread, NULL, work, &r)) return;
    wait_for(&r, 2);
    for (int i = 0; i < 2; i++) { /* the second is warm */
        double begin = now();
        atomic_store(&r.state, 0);
        atomic_store(&r.go, true);
        wait_for(&r, 2);
        duration = r.ended - begin;
    }
    for (int i = 0; i < times; i++) {
        double pause = duration * (0.01 + 0.98 * i / times);
        struct timespec t = {(time_t)pause, (long)((pause - floor(pause)) * 1e9)};
        atomic_store(&r.state, 0);
        atomic_store(&r.go, true);
        nanosleep(&t, NULL);
        double asked = now();
        ty_interrupt(r.context);
        wait_for(&r, 2);
        ty_resume(r.context);
        if (!atomic_load(&r.came_to_end)) delays[n++] = 1e3 * (r.ended - asked);
    }
    atomic_store(&r.ends, true);
    pthread_join(thread, NULL);
    ty_context_free(r.context);
    qsort(delays, (size_t)n, sizeof *delays, order);
    printf("%-18s %9.1f %9.2f %9.2f %6d of %d\n", row->name, 1e3 * duration, n ? delays[n - 1] : NAN,
           n ? delays[n / 2] : NAN, n, times);
    fflush(stdout);
    if (trainer) ty_trainer_free(trainer), trainer = NULL;
    if (model) ty_model_free(model), model = NULL;
}

int main(int n, char **arguments) {
    const char *name = "";
    int times = 30, threads = 0;
    for (int i = 1; i < n; i++)
        if (!strcmp(arguments[i], "--times") && i + 1 < n)
            times = atoi(arguments[++i]);
        else if (!strcmp(arguments[i], "--threads") && i + 1 < n)
            threads = atoi(arguments[++i]);
        else
            name = arguments[i];
    if (times > MOST_TIMES) times = MOST_TIMES;
    printf("%-18s %9s %9s %9s  stopped\n", "call", "ms", "longest", "median");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].name, name)) measure(&rows[i], times, threads);
    remove(csv_path);
    return 0;
}
