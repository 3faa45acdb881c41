/* A contraction as dimensions alone, with the compiler's loops, with loops changed by hand, and as JSON. */
#include <string.h>
#include <tyto/contraction.h>
#include <tyto/tyto.h>

enum { M = 600, N = 2000, K = 700 };

static bool run(const ty_contraction *c, const float *a, const float *b, float *y) {
    ty_contraction_plan *plan = ty_contraction_compile(c);
    bool well = ty_contraction_run(plan, a, b, y);
    if (!well) printf("%s\n", ty_contraction_plan_error(plan));
    ty_contraction_plan_release(plan);
    return well;
}

static bool differ(const float *x, const float *y) {
    float most = 0;
    for (int i = 0; i < M * N; i++) {
        float d = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
        if (d > most) most = d;
    }
    return most > 0.5f;
}

int main(void) {
    static ty_contraction c, kept;
    static float a[M * K], b[N * K], plain[M * N], best[M * N], mine[M * N];
    ty_contraction_operand left = {TY_F32, 2, (int64_t[]){M, K}, NULL, 0},
                           right = {TY_F32, 2, (int64_t[]){N, K}, NULL, 0};
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 7) - 3;
    for (int i = 0; i < N * K; i++) b[i] = (float)(i % 5) - 2;

    bool well = ty_contraction_of(&c, "mk,nk->mn", &left, &right, NULL) && run(&c, a, b, plain);
    well = well && ty_contraction_optimise(&c, 1) && run(&c, a, b, best);
    char *text = ty_contraction_text(&c), *json = NULL;
    if (text) fputs(text, stdout);
    ty_free(text);

    /* Reorder the loops by hand: a valid order gives the same result. */
    if (c.nloops > 1 && c.loops[1].exec != TY_EXEC_PRIMITIVE) {
        ty_loop outermost = c.loops[0];
        c.loops[0] = c.loops[1];
        c.loops[1] = outermost;
    }
    if (ty_contraction_check(&c, NULL)) {
        json = ty_contraction_json(&c);
        well = well && json && ty_contraction_read(&kept, json, strlen(json)) && run(&kept, a, b, mine);
    } else {
        printf("not a configuration: %s\n", c.error);
        memcpy(mine, best, sizeof mine);
    }
    ty_free(json);

    /* Strides that leave a buffer are rejected before anything is read. */
    c.dims[0].stride[TY_LEFT] *= 2;
    int64_t bytes[3] = {sizeof a, sizeof b, sizeof plain};
    well = well && !ty_contraction_check(&c, bytes);
    printf("error: %s\n", c.error);
    return !(well && !differ(plain, best) && !differ(plain, mine));
}
