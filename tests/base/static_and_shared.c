/*
 * A program that contains the static library and loads the shared one: both compute at once, train, and the shared one
 * is unloaded while the static one goes on.  The program exports its own functions to the loader, which must not take
 * the place of those of the shared library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include <tyto/layers.h>
#include <tyto/tyto.h>

static struct {
    ty_scope *(*open)(void);
    void (*close)(ty_scope *scope);
    ty_tensor *(*expression)(const char *text, int n, const char *const *names, ty_tensor *const *values);
    ty_tensor *(*ones)(ty_dtype dtype, int rank, const int64_t *shape);
    ty_tensor *(*matmul)(ty_tensor *x, ty_tensor *y);
    double (*item)(ty_tensor *x);
    int (*threads)(void);
    void (*set_threads)(int n);
} shared;

static bool find(void *library) {
    const struct {
        const char *name;
        void *at;
    } names[] = {{"ty_open", &shared.open},
                 {"ty_close", &shared.close},
                 {"ty_expression", &shared.expression},
                 {"ty_ones", &shared.ones},
                 {"ty_matmul", &shared.matmul},
                 {"ty_item", &shared.item},
                 {"ty_threads", &shared.threads},
                 {"ty_set_threads", &shared.set_threads}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *symbol = dlsym(library, names[i].name);
        if (!symbol) return false;
        memcpy(names[i].at, &symbol, sizeof symbol);
    }
    return true;
}

/* True if the table of layers in the shared library has its own entries, not those of the program, which has some. */
static bool is_itself(void *library) {
    void *const *kinds = dlsym(library, "ty_layer_kinds");
    Dl_info table, entry;
    return kinds && kinds[0] != ty_layer_kinds[0] && dladdr(kinds, &table) && dladdr(kinds[0], &entry) &&
           table.dli_fbase == entry.dli_fbase;
}

static void *use_shared(void *wrong) {
    for (int i = 0; i < 20; i++) {
        ty_scope *scope = shared.open();
        ty_tensor *x = shared.ones(TY_F32, 2, (int64_t[]){200, 200}), *y = shared.matmul(x, x);
        ty_tensor *sum = shared.expression("sum(exp(y * 0))", 1, (const char *[]){"y"}, &y);
        *(bool *)wrong |= shared.item(sum) != 40000;
        shared.close(scope);
    }
    return NULL;
}

static bool use_static(int rounds) {
    bool well = true;
    for (int i = 0; i < rounds; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(200, 200));
        well = well && ty_item(ty_sum(ty_matmul(x, x), TY_ALL)) == 8e6;
        ty_close(scope);
    }
    return well;
}

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    bool wrong = false;
    pthread_t thread;
    if (!library || !find(library))
        return fprintf(stderr, "%s\n", library ? "a function is missing" : dlerror()), 1;
    if (!is_itself(library)) return fprintf(stderr, "the shared library uses tables of the program\n"), 1;
    ty_set_threads(2);
    shared.set_threads(3);
    if (ty_threads() != 2 || shared.threads() != 3)
        return fprintf(stderr, "the libraries share their settings\n"), 1;
    if (pthread_create(&thread, NULL, use_shared, &wrong)) return 1;
    bool well = use_static(20);
    pthread_join(thread, NULL);
    well = well && !wrong && !dlclose(library) && use_static(5);
    if (!well) fprintf(stderr, "a result is wrong, or dlclose failed\n");
    return !well;
}
