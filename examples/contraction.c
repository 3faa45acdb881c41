/* A contraction as dimensions alone, with the compiler's loops, and changed by hand as JSON. */
#include <stdlib.h>
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

/* Return the text with the first `from` replaced by `to`, which is not longer than `from` by more than ROOM. */
static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = text ? strstr(text, from) : NULL;
    size_t room = text ? strlen(text) + strlen(to) + 1 : 0;
    char *changed = at ? malloc(room) : NULL;
    if (changed) snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return changed;
}

int main(void) {
    static float a[M * K], b[N * K], plain[M * N], best[M * N], mine[M * N];
    ty_contraction_operand left = {TY_F32, 2, (int64_t[]){M, K}, NULL, 0},
                           right = {TY_F32, 2, (int64_t[]){N, K}, NULL, 0};
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 7) - 3;
    for (int i = 0; i < N * K; i++) b[i] = (float)(i % 5) - 2;

    ty_contraction *c = ty_contraction_new("mk,nk->mn", &left, &right, NULL);
    bool well = run(c, a, b, plain);
    well = well && ty_contraction_optimise(c, 1) && run(c, a, b, best);
    char *text = ty_contraction_text(c), *json = ty_contraction_json(c);
    if (text) fputs(text, stdout);

    /* Change it by hand: this one streams its result past the caches. */
    char *changed = replaced(json, "\"bypass\": false", "\"bypass\": true");
    ty_contraction *own = ty_contraction_read(changed ? changed : json, strlen(changed ? changed : json));
    well = well && run(own, a, b, mine);

    /* Strides that leave a buffer are rejected before anything is read: rows of A that are twice as long. */
    char *wrong = replaced(json, "\"strides\": [700, 0, 2000]", "\"strides\": [1400, 0, 2000]");
    ty_contraction *far = ty_contraction_read(wrong ? wrong : "", wrong ? strlen(wrong) : 0);
    int64_t bytes[3] = {sizeof a, sizeof b, sizeof plain};
    well = well && !ty_contraction_check(far, bytes);
    printf("error: %s\n", ty_contraction_error(far));
    ty_free(text);
    ty_free(json);
    free(changed);
    free(wrong);
    ty_contraction_free(far);
    ty_contraction_free(own);
    ty_contraction_free(c);
    return !(well && !differ(plain, best) && !differ(plain, mine));
}
