/* Settings: contexts, threads of the caller, progress, devices, a page about a program. Lines of docs/contexts.md,
   docs/devices.md, docs/hooks.md and docs/seeing.md are taken from here. */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, bool well) {
    if (well) return;
    printf("%s is not so\n", what);
    all_well = false;
}
#define EXPECT(well) expect(#well, well)

/* A pool of one thread, the caller's, which counts the parts that it runs. */
struct pool {
    int size, parts;
};
static int pool_size(struct pool *pool) { return pool->size; }

static int threads(void *pool) { return pool_size(pool); }
static bool run(void *pool, int parts, void (*part)(void *data, int i), void *data) {
    for (int i = 0; i < parts; i++) part(data, i);
    ((struct pool *)pool)->parts += parts;
    return true;
}

static void with_threads(void) {
    struct pool pool_of_one = {4, 0}, *pool = &pool_of_one;
    ty_context_set_pool(NULL, &(ty_thread_pool){pool, threads, run}, NULL);
    ty_tensor *x = ty_uniform(TY_F32, TY_SHAPE(1 << 20), ty_key(1));
    EXPECT(ty_item(ty_amax(ty_exp(x), TY_ALL)) > 2.7);
    printf("the pool ran parts: %s\n", pool->parts ? "yes" : "no");
    ty_context_set_pool(NULL, NULL, NULL);
}

static bool report(void *data, const ty_progress_state *now) {
    (void)data;
    printf("%s: %lld of %lld after %.1f s\n", now->what, (long long)now->done, (long long)now->total,
           now->seconds);
    return now->seconds < 60; /* false stops the call */
}

static void with_progress(void) {
    ty_context_set_progress(NULL, report, NULL);
    EXPECT(ty_ok(ty_sort(ty_uniform(TY_F32, TY_SHAPE(1 << 16), ty_key(1)), 0, false)));
    ty_context_set_progress(NULL, NULL, NULL);
}

static void with_a_context(void) {
    ty_context *own = ty_context_new((ty_context_options){.threads = 2});
    ty_context *before = ty_context_use(own);
    EXPECT(ty_threads() == 2);
    ty_context_use(before);
    ty_context_free(own);
}

/* Without a device of OpenCL, tensors sent there are poison, which says so. */
static void with_a_device(void) {
    float data[1000] = {0};
    ty_tensor *x = ty_to(ty_from(TY_F32, TY_SHAPE(1000), data), "opencl:0"); /* copied once */
    ty_tensor *y = ty_sum(ty_exp(x), TY_ALL);                                /* computed there */
    double sum = ty_item(y);                                                 /* 4 bytes come home */
    EXPECT(ty_ok(x) ? sum == 1000 : isnan(sum));
}

static void with_a_page(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(64, 64)), "x"),
              *outputs[] = {ty_softmax(ty_matmul(x, x), 1)};
    int n = 1;
    ty_program *p = ty_compile(n, outputs, (ty_compile_options){.keep_graph = true});
    ty_profile_start();
    ty_run(p);
    ty_profile *times = ty_profile_stop();
    char *page =
        ty_program_html(p, times, 500e9, 50e9); /* peaks: operations and bytes a second, 0 where unknown */
    EXPECT(page && strstr(page, "<html"));
    ty_free(page);
    ty_profile_free(times);
    ty_program_free(p);
}

int main(void) {
    ty_scope *scope = ty_open();
    with_threads();
    with_progress();
    with_a_context();
    with_a_device();
    with_a_page();
    ty_close(scope);
    puts(all_well ? "well" : "not well");
    return !all_well;
}
