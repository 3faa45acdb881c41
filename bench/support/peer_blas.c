/*
 * OpenBLAS, BLIS and oneDNN behind one C interface each. They are opened with dlopen, so that equal symbol names do not
 * clash and the benchmark builds without them. All three recognise few CPUs and choose slow kernels for others, so
 * environment variables, read when they are opened, name a CPU that they support.
 */
#define _GNU_SOURCE
#include "bench/support/peer_blas.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, PLAIN = 111, TURNED = 112 };
typedef void sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                   const float *b, int ldb, float beta, float *c, int ldc);
typedef void dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                   const double *b, int ldb, double beta, double *c, int ldc);
typedef int dnnl_gemm(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                      int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
typedef int dnnl_gemm_bytes(char ta, char tb, char offset, int64_t m, int64_t n, int64_t k, float alpha,
                            const uint8_t *a, int64_t lda, uint8_t a_zero, const int8_t *b, int64_t ldb,
                            int8_t b_zero, float beta, int32_t *c, int64_t ldc, const int32_t *c_offset);
typedef void set_threads(int n);

struct library {
    char name[32];
    sgemm *single;
    dgemm *twice;
    dnnl_gemm *dnnl;
    dnnl_gemm_bytes *bytes; /* product of u8 by i8 */
    set_threads *threads;
};
static struct library libraries[3]; /* OpenBLAS, BLIS, oneDNN */

struct product {
    const struct library *library;
    const struct bench_product *sizes;
    ty_dtype dtype;
    const void *a, *b;
    void *c;
};

static void run(void *context) {
    const struct product *p = context;
    int m = (int)p->sizes->m, n = (int)p->sizes->n, k = (int)p->sizes->k;
    const bool *turned = p->sizes->turned;
    int lda = turned[0] ? m : k, ldb = turned[1] ? k : n;
    int ta = turned[0] ? TURNED : PLAIN, tb = turned[1] ? TURNED : PLAIN;
    char a = turned[0] ? 'T' : 'N', b = turned[1] ? 'T' : 'N';
    static const int32_t nothing;
    if (p->dtype == TY_U8)
        p->library->bytes(a, b, 'F', m, n, k, 1, p->a, lda, 0, p->b, ldb, 0, 0, p->c, n, &nothing);
    else if (p->dtype == TY_F64)
        p->library->twice(ROW_MAJOR, ta, tb, m, n, k, 1, p->a, lda, p->b, ldb, 0, p->c, n);
    else if (p->library->dnnl)
        p->library->dnnl(a, b, m, n, k, 1, p->a, lda, p->b, ldb, 0, p->c, n);
    else
        p->library->single(ROW_MAJOR, ta, tb, m, n, k, 1, p->a, lda, p->b, ldb, 0, p->c, n);
}

static void *open_product(const struct library *library, const struct bench_case *c, ty_tensor *const *x,
                          int threads) {
    const struct bench_product *sizes = c->detail;
    ty_dtype dtype = c->inputs[0].dtype;
    bool bytes = dtype == TY_U8 && c->inputs[1].dtype == TY_I8;
    bool able = dtype == TY_F32 || (dtype == TY_F64 && library->twice) || (bytes && library->bytes);
    struct product *p = sizes && able ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    *p = (struct product){library, sizes, dtype, ty_data(x[0]), ty_data(x[1]), NULL};
    size_t element = bytes ? sizeof(int32_t) : ty_dtype_size(dtype);
    p->c = aligned_alloc(64, ((size_t)(sizes->m * sizes->n) * element / 64 + 1) * 64);
    library->threads(threads);
    if (p->c) return p;
    free(p);
    return NULL;
}

static void close_product(void *context) {
    struct product *p = context;
    free(p->c);
    free(p);
}

static void *open_openblas(const struct bench_case *c, ty_tensor *const *x, int threads) {
    return open_product(&libraries[0], c, x, threads);
}
static void *open_blis(const struct bench_case *c, ty_tensor *const *x, int threads) {
    return open_product(&libraries[1], c, x, threads);
}
static void *open_dnnl(const struct bench_case *c, ty_tensor *const *x, int threads) {
    return open_product(&libraries[2], c, x, threads);
}

static const struct bench_native natives[] = {{"OpenBLAS", open_openblas, run, close_product},
                                              {"BLIS", open_blis, run, close_product},
                                              {"oneDNN", open_dnnl, run, close_product}};

static void find_openblas(struct library *l) {
    void *handle =
        dlopen("/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    char *(*config)(void) = (char *(*)(void))dlsym(handle, "openblas_get_config");
    char *(*core)(void) = (char *(*)(void))dlsym(handle, "openblas_get_corename");
    l->single = (sgemm *)dlsym(handle, "cblas_sgemm");
    l->twice = (dgemm *)dlsym(handle, "cblas_dgemm");
    l->threads = (set_threads *)dlsym(handle, "openblas_set_num_threads");
    snprintf(l->name, sizeof l->name, "%.15s %s", config ? config() : "OpenBLAS", core ? core() : "");
}

/* BLIS takes a 64-bit count. */
static void (*blis_threads)(int64_t n);
static void set_blis_threads(int n) { blis_threads(n); }

static void find_blis(struct library *l) {
    void *handle = dlopen("/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle) handle = dlopen("libblis.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    char *(*version)(void) = (char *(*)(void))dlsym(handle, "bli_info_get_version_str");
    l->single = (sgemm *)dlsym(handle, "cblas_sgemm");
    l->twice = (dgemm *)dlsym(handle, "cblas_dgemm");
    blis_threads = (void (*)(int64_t))dlsym(handle, "bli_thread_set_num_threads");
    if (blis_threads) l->threads = set_blis_threads;
    snprintf(l->name, sizeof l->name, "BLIS %s", version ? version() : "");
}

static void find_dnnl(struct library *l) {
    struct version {
        int major, minor, patch;
    };
    void *handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (!handle) return;
    const struct version *(*version)(void) = (const struct version *(*)(void))dlsym(handle, "dnnl_version");
    l->dnnl = (dnnl_gemm *)dlsym(handle, "dnnl_sgemm");
    l->bytes = (dnnl_gemm_bytes *)dlsym(handle, "dnnl_gemm_u8s8s32");
    l->threads = (set_threads *)dlsym(handle, "omp_set_num_threads");
    if (version) snprintf(l->name, sizeof l->name, "oneDNN %d.%d", version()->major, version()->minor);
}

void bench_blas(struct bench *b) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        /* override the environment, so that peers run at their best */
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 1);
        setenv("BLIS_ARCH_TYPE", "0", 1); /* 0: skx */
    }
#endif
    static const char *const packages[] = {"libopenblas0-pthread", "libblis4-pthread", "libdnnl2"};
    static void (*const find[])(struct library * l) = {find_openblas, find_blis, find_dnnl};
    for (int i = 0; i < 3; i++) {
        struct library *l = &libraries[i];
        find[i](l);
        if ((l->single || l->dnnl) && l->threads)
            bench_native(b, &natives[i], l->name);
        else
            printf("no peer %s: its library is missing; on Debian: apt-get install %s\n", natives[i].name,
                   packages[i]);
    }
}
