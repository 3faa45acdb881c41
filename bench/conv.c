/*
 * Convolutions against oneDNN and PyTorch, channels last and first: the layers of bench/support/shapes.h. These are
 * ResNet-50 and depthwise layers, forward and both gradients; then grouped, dilated and transposed layers, in one and
 * three dimensions; then some of them with an activation, the epilogue of their kernel. Tyto runs compiled programs,
 * oneDNN primitives made before timing starts. In forward programs kernels are constants, which a program may rearrange
 * once, as oneDNN's are before timing. They have the layout of the public functions.
 *
 *   ./dev bench conv [--filter "forward"] ...
 */
#include <tyto/nn.h>
#include <stdio.h>
#include <string.h>
#include "bench/support/peer_dnnl.h"
#include "bench/support/shapes.h"

/* ---- Tyto ---- */

/* The program of the current case and number of threads. */
static struct {
    const struct bench_convolution *c;
    ty_program *program;
    ty_tensor *const *x;
    int threads;
} current;
static int64_t most_workspace, most_kept;

typedef ty_tensor *convolution(ty_tensor *x, ty_tensor *w, ty_conv options);

static ty_conv options_of(const struct bench_convolution *c) {
    ty_conv o = {.nchw = c->nchw, .groups = c->groups};
    memcpy(o.stride, c->stride, sizeof o.stride);
    memcpy(o.dilation, c->dilation, sizeof o.dilation);
    memcpy(o.low, c->low, sizeof o.low);
    memcpy(o.high, c->high, sizeof o.high);
    return o;
}

/* Record y; for a gradient by x or w, record it from the other operand and the incoming gradient g. */
static ty_tensor *record(const struct bench_convolution *c, ty_tensor *const *values) {
    static convolution *const functions[2][3] = {
        {ty_conv1d, ty_conv2d, ty_conv3d}, {ty_conv_transpose1d, ty_conv_transpose2d, ty_conv_transpose3d}};
    bool forward = c->direction == BENCH_FORWARD;
    ty_tensor *x = ty_var(values[0], "x"), *w = forward ? values[1] : ty_var(values[1], "w");
    ty_tensor *y = functions[c->transposed][c->n - 1](x, w, options_of(c)), *gradient;
    if (forward) return c->activated ? ty_hard_swish(y) : y;
    ty_vjp(y, ty_var(values[2], "g"), 1, c->direction == BENCH_INPUT_GRADIENT ? &x : &w, &gradient);
    return gradient;
}

static void compile(const struct bench_convolution *c, ty_tensor *const *x) {
    ty_program_free(current.program);
    ty_scope *scope = ty_open();
    ty_tensor *y = record(c, x);
    current.program = ty_compile(1, &y, (ty_compile_options){0});
    current.c = c;
    current.x = x;
    current.threads = ty_threads();
    ty_close(scope);
    ty_report report;
    ty_program_report(current.program, &report);
    if (report.arena_bytes > most_workspace) most_workspace = report.arena_bytes;
    if (report.kept_bytes > most_kept) most_kept = report.kept_bytes;
}

static const struct bench_convolution *about; /* the current case of bench_case */

static ty_tensor *run(ty_tensor *const *x) {
    if (current.c != about || current.threads != ty_threads()) compile(about, x);
    ty_run(current.program);
    return ty_output(current.program, 0);
}

/* ---- PyTorch ---- */

static const char *list(char *out, size_t capacity, int n, const int64_t *numbers) {
    int length = snprintf(out, capacity, "[");
    for (int i = 0; i < n; i++)
        length +=
            snprintf(out + length, capacity - (size_t)length, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    snprintf(out + length, capacity - (size_t)length, "]");
    return out;
}

/* Write a Python expression over channels-first views of our operands; operands that would be slow as
   views are copied once. */
static void torch_words(const struct bench_convolution *c, char *out, size_t capacity) {
    char stride[48], low[48], dilation[48];
    const char *format =
        !c->nchw && c->n > 1 ? c->n == 2 ? "channels_last" : "channels_last_3d" : "contiguous_format";
    static const char *const image[] = {"0, 2, 1", "0, 3, 1, 2", "0, 4, 1, 2, 3"};
    static const char *const kernel[] = {"2, 1, 0", "3, 2, 0, 1", "4, 3, 0, 1, 2"}, *const turned[] = {
                                                                                        "1, 2, 0",
                                                                                        "2, 3, 0, 1",
                                                                                        "3, 4, 0, 1, 2"};
    char x[48] = "a", g[48] = "c", w[160] = "b";
    list(stride, sizeof stride, c->n, c->stride);
    list(low, sizeof low, c->n, c->low);
    list(dilation, sizeof dilation, c->n, c->dilation);
    if (!c->nchw) {
        snprintf(x, sizeof x, "a.permute(%s)", image[c->n - 1]);
        snprintf(g, sizeof g, "c.permute(%s)", image[c->n - 1]);
        snprintf(w, sizeof w,
                 "(w if 'w' in globals() else (w := b.permute(%s).contiguous(memory_format=torch.%s)))",
                 (c->transposed ? turned : kernel)[c->n - 1], format);
    }
    if (c->direction == BENCH_FORWARD)
        snprintf(out, capacity, "torch.nn.functional.conv%s%dd(%s, %s, None, %s, %s, %s%s%lld%s%s)",
                 c->transposed ? "_transpose" : "", c->n, x, w, stride, low, c->transposed ? "0, " : dilation,
                 c->transposed ? "" : ", ", (long long)c->groups, c->transposed ? ", " : "",
                 c->transposed ? dilation : "");
    else
        snprintf(
            out, capacity,
            "torch.ops.aten.convolution_backward(%s, %s, %s, None, %s, %s, %s, False, %s, %lld, [%s, False])",
            g, x, w, stride, low, dilation,
            c->n == 1   ? "[0]"
            : c->n == 2 ? "[0, 0]"
                        : "[0, 0, 0]",
            (long long)c->groups, c->direction == BENCH_INPUT_GRADIENT ? "True, False" : "False, True");
}

/* ---- cases ---- */

static void image_shape(struct bench_input *in, const struct bench_convolution *c, bool result) {
    *in = (struct bench_input){.dtype = TY_F32, .rank = c->n + 2, .low = -1, .high = 1};
    in->shape[0] = c->batch;
    in->shape[c->nchw ? 1 : c->n + 1] = result ? c->filters : c->channels;
    for (int i = 0; i < c->n; i++)
        in->shape[(c->nchw ? 2 : 1) + i] = result ? bench_result(c, i) : c->size[i];
}

static void kernel_shape(struct bench_input *in, const struct bench_convolution *c) {
    *in = (struct bench_input){.dtype = TY_F32, .rank = c->n + 2, .low = -1, .high = 1};
    in->shape[c->nchw ? !c->transposed : c->n] = c->transposed ? c->channels : c->channels / c->groups;
    in->shape[c->nchw ? c->transposed : c->n + 1] = c->transposed ? c->filters / c->groups : c->filters;
    for (int i = 0; i < c->n; i++) in->shape[c->nchw ? 2 + i : i] = c->kernel[i];
}

static void row(struct bench *b, const struct bench_convolution *c) {
    static const char *const directions[] = {"forward", "input gradient", "kernel gradient"};
    char name[96], torch[640];
    double places = (double)c->batch * (double)c->channels / (double)c->groups * (double)c->filters;
    for (int i = 0; i < c->n; i++)
        places *= (double)c->kernel[i] * (double)(c->transposed ? c->size[i] : bench_result(c, i));
    snprintf(name, sizeof name, "%s %s b%d %s", c->nchw ? "first" : "last",
             c->activated ? "activated" : directions[c->direction], (int)c->batch, c->name);
    torch_words(c, torch, sizeof torch);
    if (c->activated) {
        char words[sizeof torch];
        memcpy(words, torch, sizeof torch);
        snprintf(torch, sizeof torch, "torch.nn.functional.hardswish(%.600s)", words);
    }
    struct bench_case test = {.name = name,
                              .ninputs = c->direction == BENCH_FORWARD ? 2 : 3,
                              .run = run,
                              .torch = torch,
                              .roof = BENCH_NO_ROOF,
                              .flops = 2 * places,
                              .detail = c};
    image_shape(&test.inputs[0], c, false);
    kernel_shape(&test.inputs[1], c);
    image_shape(&test.inputs[2], c, true);
    about = c;
    bench_case(b, &test);
    ty_program_free(current.program);
    current.program = NULL;
    current.c = NULL;
    ty_trim();
}

static void layer(struct bench *b, const struct bench_layer *l, int64_t batch, bool nchw,
                  enum bench_direction direction, bool activated) {
    char name[48];
    bench_layer_name(l, name, sizeof name);
    struct bench_convolution c = {.name = name,
                                  .n = l->n,
                                  .batch = batch * l->batch,
                                  .channels = l->channels,
                                  .filters = l->filters,
                                  .groups = l->groups,
                                  .transposed = l->transposed,
                                  .nchw = nchw,
                                  .activated = activated,
                                  .direction = direction};
    for (int i = 0; i < l->n; i++) {
        c.size[i] = l->size[i], c.kernel[i] = l->kernel, c.stride[i] = l->stride;
        c.dilation[i] = l->dilation, c.low[i] = c.high[i] = l->low;
    }
    row(b, &c);
}

/* Run a table of layers in both layouts and all directions, for batches of 1 and 8. */
static void layers(struct bench *b, const struct bench_layer *list, size_t n) {
    for (int nchw = 0; nchw < 2; nchw++)
        for (int64_t batch = 1; batch <= (bench_quick(b) ? 1 : 8); batch *= 8)
            for (int direction = BENCH_FORWARD; direction <= BENCH_KERNEL_GRADIENT; direction++)
                for (size_t i = 0; i < n; i++)
                    layer(b, &list[i], batch, nchw, (enum bench_direction)direction, false);
}

/* Run a table of layers with an activation, in both layouts. */
static void activated(struct bench *b, const struct bench_layer *list, size_t n) {
    for (int nchw = 0; nchw < 2; nchw++)
        for (size_t i = 0; i < n; i++) layer(b, &list[i], 1, nchw, BENCH_FORWARD, true);
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "conv");
    if (!b) return 1;
    bench_dnnl(b);
    layers(b, bench_resnet50, sizeof bench_resnet50 / sizeof *bench_resnet50);
    layers(b, bench_depthwise, sizeof bench_depthwise / sizeof *bench_depthwise);
    for (size_t i = 0; i < sizeof bench_other_layers / sizeof *bench_other_layers; i++)
        for (int nchw = 0; nchw < (bench_quick(b) ? 1 : 2); nchw++)
            layer(b, &bench_other_layers[i], 1, nchw, BENCH_FORWARD, false);
    activated(b, bench_depthwise, sizeof bench_depthwise / sizeof *bench_depthwise);
    activated(b, bench_other_layers, sizeof bench_other_layers / sizeof *bench_other_layers);
    printf("memory of our own, at most: %.0f KiB, and %.0f KiB of kernels kept\n",
           (double)most_workspace / 1024, (double)most_kept / 1024);
    return bench_close(b);
}
