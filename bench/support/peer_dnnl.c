/*
 * oneDNN's convolutions (direct algorithm) through its C interface, opened with dlopen. Without its header at build
 * time or the library at run time the column is absent. Primitives are made and kernels rearranged before timing
 * starts.
 */
#define _GNU_SOURCE
#include "bench/support/peer_dnnl.h"

int64_t bench_result(const struct bench_convolution *c, int axis) {
    int64_t reach = (c->kernel[axis] - 1) * c->dilation[axis], padding = c->low[axis] + c->high[axis];
    if (c->transposed) return (c->size[axis] - 1) * c->stride[axis] + reach + 1 - padding;
    return (c->size[axis] + padding - reach - 1) / c->stride[axis] + 1;
}

#if __has_include(<dnnl.h>)
#include <dlfcn.h>
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions of oneDNN in use; each pointer has the prefix `call_`. */
#define FUNCTIONS(F)                                                                                         \
    F(dnnl_version)                                                                                          \
    F(dnnl_engine_create)                                                                                    \
    F(dnnl_stream_create)                                                                                    \
    F(dnnl_stream_wait)                                                                                      \
    F(dnnl_memory_desc_init_by_strides)                                                                      \
    F(dnnl_memory_desc_init_by_tag)                                                                          \
    F(dnnl_memory_desc_get_size)                                                                             \
    F(dnnl_memory_create)                                                                                    \
    F(dnnl_memory_destroy)                                                                                   \
    F(dnnl_dilated_convolution_forward_desc_init)                                                            \
    F(dnnl_dilated_convolution_backward_data_desc_init)                                                      \
    F(dnnl_dilated_convolution_backward_weights_desc_init)                                                   \
    F(dnnl_dilated_deconvolution_forward_desc_init)                                                          \
    F(dnnl_primitive_desc_create)                                                                            \
    F(dnnl_primitive_desc_destroy)                                                                           \
    F(dnnl_primitive_desc_query_md)                                                                          \
    F(dnnl_primitive_create)                                                                                 \
    F(dnnl_primitive_destroy)                                                                                \
    F(dnnl_primitive_execute)
#define DECLARE(name) static __typeof__(name) *call_##name;
FUNCTIONS(DECLARE)

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static void (*set_threads)(int n);

enum { IMAGE, KERNEL, RESULT, TENSORS };

struct job {
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[TENSORS];
    void *room[TENSORS];
    dnnl_exec_arg_t arguments[TENSORS];
};

/* ---- descriptions ---- */

/* Describe an image as (batch, channels, space) with the strides of the case; false on error. */
static bool describe_image(dnnl_memory_desc_t *md, const struct bench_convolution *c, bool result,
                           bool free_choice) {
    dnnl_dims_t dims = {c->batch, result ? c->filters : c->channels}, strides;
    int64_t step = 1;
    int rank = c->n + 2;
    for (int i = 0; i < c->n; i++) dims[2 + i] = result ? bench_result(c, i) : c->size[i];
    if (free_choice)
        return call_dnnl_memory_desc_init_by_tag(md, rank, dims, dnnl_f32, dnnl_format_tag_any) ==
               dnnl_success;
    if (!c->nchw) strides[1] = step, step *= dims[1];
    for (int i = rank - 1; i >= 2; i--) strides[i] = step, step *= dims[i];
    if (c->nchw) strides[1] = step, step *= dims[1];
    strides[0] = step;
    return call_dnnl_memory_desc_init_by_strides(md, rank, dims, dnnl_f32, strides) == dnnl_success;
}

static bool describe_kernel(dnnl_memory_desc_t *md, const struct bench_convolution *c) {
    dnnl_dims_t dims;
    int64_t groups = c->groups;
    int n = 0;
    if (groups > 1) dims[n++] = groups;
    dims[n++] = c->filters / groups;
    dims[n++] = c->channels / groups;
    for (int i = 0; i < c->n; i++) dims[n++] = c->kernel[i];
    return call_dnnl_memory_desc_init_by_tag(md, n, dims, dnnl_f32, dnnl_format_tag_any) == dnnl_success;
}

union operation {
    dnnl_convolution_desc_t convolution;
    dnnl_deconvolution_desc_t deconvolution;
};

static bool describe(union operation *o, const struct bench_convolution *c, bool free_choice) {
    dnnl_memory_desc_t x, w, y;
    dnnl_dims_t stride, dilation, low, high; /* oneDNN's dilation is one less */
    if (!describe_image(&x, c, false, free_choice) || !describe_kernel(&w, c) ||
        !describe_image(&y, c, true, free_choice))
        return false;
    for (int i = 0; i < c->n; i++) {
        stride[i] = c->stride[i], dilation[i] = c->dilation[i] - 1;
        low[i] = c->low[i], high[i] = c->high[i];
    }
    if (c->transposed)
        return c->direction == BENCH_FORWARD &&
               call_dnnl_dilated_deconvolution_forward_desc_init(&o->deconvolution, dnnl_forward_inference,
                                                                 dnnl_deconvolution_direct, &x, &w, NULL, &y,
                                                                 stride, dilation, low, high) == dnnl_success;
    dnnl_convolution_desc_t *d = &o->convolution;
    dnnl_alg_kind_t direct = dnnl_convolution_direct;
    if (c->direction == BENCH_INPUT_GRADIENT)
        return call_dnnl_dilated_convolution_backward_data_desc_init(d, direct, &x, &w, &y, stride, dilation,
                                                                     low, high) == dnnl_success;
    if (c->direction == BENCH_KERNEL_GRADIENT)
        return call_dnnl_dilated_convolution_backward_weights_desc_init(d, direct, &x, &w, NULL, &y, stride,
                                                                        dilation, low, high) == dnnl_success;
    return call_dnnl_dilated_convolution_forward_desc_init(d, dnnl_forward_inference, direct, &x, &w, NULL,
                                                           &y, stride, dilation, low, high) == dnnl_success;
}

/* ---- one convolution ---- */

/* Allocate and fill a tensor in the layout that the primitive requires; false on error. */
static bool add_tensor(struct job *j, int which, const_dnnl_primitive_desc_t pd, dnnl_query_t query,
                       int argument) {
    const dnnl_memory_desc_t *md = call_dnnl_primitive_desc_query_md(pd, query, 0);
    size_t bytes = md ? (call_dnnl_memory_desc_get_size(md) + 63) / 64 * 64 : 0;
    float *room = j->room[which] = bytes ? aligned_alloc(64, bytes) : NULL;
    if (!room) return false;
    for (size_t i = 0; i < bytes / sizeof *room; i++) room[i] = 0.25f + 0.125f * (float)(i % 7);
    j->arguments[which].arg = argument;
    if (call_dnnl_memory_create(&j->memory[which], md, engine, room) != dnnl_success) return false;
    j->arguments[which].memory = j->memory[which];
    return true;
}

static bool add_tensors(struct job *j, const_dnnl_primitive_desc_t pd, enum bench_direction direction) {
    static const struct {
        dnnl_query_t query;
        int argument;
    } rows[][TENSORS] = {{{dnnl_query_src_md, DNNL_ARG_SRC},
                          {dnnl_query_weights_md, DNNL_ARG_WEIGHTS},
                          {dnnl_query_dst_md, DNNL_ARG_DST}},
                         {{dnnl_query_diff_src_md, DNNL_ARG_DIFF_SRC},
                          {dnnl_query_weights_md, DNNL_ARG_WEIGHTS},
                          {dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST}},
                         {{dnnl_query_src_md, DNNL_ARG_SRC},
                          {dnnl_query_diff_weights_md, DNNL_ARG_DIFF_WEIGHTS},
                          {dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST}}};
    for (int i = 0; i < TENSORS; i++)
        if (!add_tensor(j, i, pd, rows[direction][i].query, rows[direction][i].argument)) return false;
    return true;
}

static void close_job(void *context) {
    struct job *j = context;
    for (int i = 0; i < TENSORS; i++) {
        if (j->memory[i]) call_dnnl_memory_destroy(j->memory[i]);
        free(j->room[i]);
    }
    if (j->primitive) call_dnnl_primitive_destroy(j->primitive);
    free(j);
}

static void *open_job(const struct bench_convolution *c, int threads, bool free_choice) {
    struct job *j = c ? calloc(1, sizeof *j) : NULL;
    union operation operation;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_desc_t hint = NULL;
    if (!j) return NULL;
    set_threads(threads);
    bool well = describe(&operation, c, free_choice);
    if (well && c->direction != BENCH_FORWARD) {
        struct bench_convolution forward = *c;
        union operation first;
        forward.direction = BENCH_FORWARD;
        well = describe(&first, &forward, free_choice);
        if (well) first.convolution.prop_kind = dnnl_forward_training;
        well = well && call_dnnl_primitive_desc_create(&hint, &first, NULL, engine, NULL) == dnnl_success;
    }
    well = well && call_dnnl_primitive_desc_create(&pd, &operation, NULL, engine, hint) == dnnl_success &&
           call_dnnl_primitive_create(&j->primitive, pd) == dnnl_success && add_tensors(j, pd, c->direction);
    if (pd) call_dnnl_primitive_desc_destroy(pd);
    if (hint) call_dnnl_primitive_desc_destroy(hint);
    if (well) return j;
    close_job(j);
    return NULL;
}

static void *open_layout(const struct bench_case *c, ty_tensor *const *x, int threads) {
    const struct bench_convolution *convolution = c->detail;
    (void)x;
    return convolution->activated ? NULL : open_job(convolution, threads, false);
}
static void *open_free(const struct bench_case *c, ty_tensor *const *x, int threads) {
    const struct bench_convolution *convolution = c->detail;
    (void)x;
    return convolution->activated ? NULL : open_job(convolution, threads, true);
}

static void run(void *context) {
    const struct job *j = context;
    call_dnnl_primitive_execute(j->primitive, stream, TENSORS, j->arguments);
    call_dnnl_stream_wait(stream);
}

static const struct bench_native natives[] = {{"oneDNN", open_layout, run, close_job},
                                              {"1DNN any", open_free, run, close_job}};

void bench_dnnl(struct bench *b) {
    void *handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_GLOBAL);
    bool whole = handle != NULL;
#define FIND(name)                                                                                           \
    call_##name = handle ? (__typeof__(name) *)dlsym(handle, #name) : NULL;                                  \
    whole = whole && call_##name;
    FUNCTIONS(FIND)
    set_threads = handle ? (void (*)(int))dlsym(handle, "omp_set_num_threads") : NULL;
    if (!whole || !set_threads || call_dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success ||
        call_dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success) {
        printf("no peer oneDNN: no library of version 2; on Debian: apt-get install libdnnl2\n");
        return;
    }
    char version[96];
    static const char *const images[] = {"in our layout", "in its own choice"};
    for (int i = 0; i < 2; i++) {
        snprintf(version, sizeof version, "oneDNN %d.%d, images %s, kernels in its own",
                 call_dnnl_version()->major, call_dnnl_version()->minor, images[i]);
        bench_native(b, &natives[i], version);
    }
}
#else
#include <stdio.h>
void bench_dnnl(struct bench *b) {
    (void)b;
    printf("no peer oneDNN: built without its header; on Debian: apt-get install libdnnl-dev libdnnl2\n");
}
#endif
