/*
 * dst[32,64,56,56] = add(max_pool(src1[32,64,112,112], 3x3, padding 1, stride 2), src2[32,1,56,56]):
 * compiled, the addition happens inside the pooling kernel, without a padded copy or a broadcast src2 in memory.
 */
#include <stdlib.h>
#include <tyto/tyto.h>

enum { N = 32, C = 64, H = 112, W = 112, P = 56, Q = 56 };

static float largest(const float *plane, int p, int q) {
    float best = -__builtin_inff();
    for (int h = 2 * p - 1; h <= 2 * p + 1; h++)
        for (int w = 2 * q - 1; w <= 2 * q + 1; w++)
            if (h >= 0 && h < H && w >= 0 && w < W && plane[h * W + w] > best) best = plane[h * W + w];
    return best;
}

/* Return the number of elements that differ from the plain loops. */
static long wrong(const float *src1, const float *src2, const float *dst) {
    long count = 0;
    for (long plane = 0; plane < (long)N * C; plane++)
        for (int p = 0; p < P; p++)
            for (int q = 0; q < Q; q++) {
                float expected = largest(src1 + plane * H * W, p, q) + src2[(plane / C * P + p) * Q + q];
                count += expected != dst[(plane * P + p) * Q + q];
            }
    return count;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *values1 = ty_normal(TY_F32, TY_SHAPE(N, C, H, W), ty_key(1));
    ty_tensor *values2 = ty_normal(TY_F32, TY_SHAPE(N, 1, P, Q), ty_key(2));
    ty_tensor *src1 = ty_var(values1, "src1"), *src2 = ty_var(values2, "src2");
    ty_pool pool = {.size = {3, 3}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}, .nchw = true};
    ty_tensor *dst = ty_add(ty_max_pool2d(src1, pool), src2);

    ty_program *program = ty_compile(1, &dst, (ty_compile_options){0});
    const float *computed = ty_run(program) ? ty_data(ty_output(program, 0)) : NULL;
    if (*ty_program_error(program)) printf("%s\n", ty_program_error(program));
    ty_report report;
    ty_program_report(program, &report);
    long differ = computed ? wrong(ty_data(values1), ty_data(values2), computed) : -1;
    printf("%ld elements differ from the plain loops; %lld kernel, %lld bytes of arena\n", differ,
           (long long)report.kernels, (long long)report.arena_bytes);
    ty_program_free(program);
    ty_close(scope);
    return !(differ == 0 && report.kernels == 1);
}
