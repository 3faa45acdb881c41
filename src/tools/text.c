/* Texts as tokens. */
#include "tools/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "tools/command.h"

enum { TOKENS = 128, LARGEST = 1 << 30 };

struct text_file *text_file_open(const char *path, double held_out, int64_t limit) {
    FILE *file = fopen(path, "re");
    if (!file && complain("%s: cannot be opened", path)) return NULL;
    struct text_file *t = calloc(1, sizeof *t);
    size_t room = 1 << 16, got = 0, n;
    unsigned char *bytes = malloc(room);
    while (t && bytes && (n = fread(bytes + got, 1, room - got, file)) > 0) {
        got += n;
        if (got < room || room >= LARGEST) continue;
        unsigned char *more = realloc(bytes, room *= 2);
        if (!more) free(bytes);
        bytes = more;
    }
    bool broken = ferror(file);
    fclose(file);
    if (!t || !bytes || broken) {
        complain(broken ? "%s: cannot be read" : "%s: out of memory", path);
        free(t);
        free(bytes);
        return NULL;
    }
    for (size_t i = 0; i < got; i++)
        if (bytes[i] >= TOKENS) bytes[i] = '?';
    *t = (struct text_file){.bytes = bytes, .n = limit && limit < (int64_t)got ? limit : (int64_t)got};
    t->kept = t->n - (int64_t)(held_out * (double)t->n);
    return t;
}

void text_file_close(struct text_file *t) {
    if (t) free(t->bytes);
    free(t);
}

/* The windows that begin at from[0 .. batch), and what follows each of their tokens. */
static bool windows(const struct text_file *t, const int64_t *from, int64_t batch, ty_tensor **parts) {
    size_t n = (size_t)(batch * t->places);
    int32_t *tokens = malloc(2 * n * sizeof *tokens + 1);
    if (!tokens) {
        parts[0] = ty_poison("out of memory: a batch of text");
        return false;
    }
    for (int64_t i = 0; i < batch; i++)
        for (int64_t k = 0; k < t->places; k++) {
            tokens[i * t->places + k] = t->bytes[from[i] + k];
            tokens[(int64_t)n + i * t->places + k] = t->bytes[from[i] + k + 1];
        }
    const int64_t shape[] = {batch, t->places};
    parts[0] = ty_from(TY_I32, 2, shape, tokens);
    parts[1] = ty_from(TY_I32, 2, shape, tokens + n);
    free(tokens);
    return ty_ok(parts[0]) && ty_ok(parts[1]);
}

/* Where the windows of a step begin hangs on the seed and the step alone. */
static bool take(void *context, int64_t step, ty_tensor **parts) {
    struct text_file *t = context;
    ty_tensor *u = ty_uniform(TY_F64, 1, &t->batch, ty_fold(ty_key(t->seed), (uint64_t)step));
    const double *shares = ty_data(u);
    int64_t *from = malloc((size_t)t->batch * sizeof *from);
    bool well = shares && from;
    for (int64_t i = 0; well && i < t->batch; i++)
        from[i] = (int64_t)(shares[i] * (double)(t->kept - t->places));
    if (well)
        well = windows(t, from, t->batch, parts);
    else
        parts[0] = ty_poison("out of memory: a batch of text");
    free(from);
    return well;
}

static bool take_held_out(void *context, int64_t step, ty_tensor **parts) {
    struct text_file *t = context;
    int64_t from[64], first = t->kept + step * 16 * t->places, count = 0;
    for (int64_t at = first; count < 16 && at + t->places < t->n; at += t->places) from[count++] = at;
    return windows(t, from, count, parts);
}

ty_batch_source text_file_source(struct text_file *t, int64_t places, int64_t batch, uint64_t seed) {
    t->places = places;
    t->batch = batch;
    t->seed = seed;
    if (t->kept < places + 2) return (ty_batch_source){0};
    int64_t steps = t->kept / (places * batch);
    return (ty_batch_source){.context = t, .n = 2, .steps_per_epoch = steps ? steps : 1, .batch = take};
}

ty_batch_source text_file_held_out(struct text_file *t) {
    int64_t count = (t->n - t->kept - 1) / t->places;
    if (count < 1) return (ty_batch_source){0};
    return (ty_batch_source){
        .context = t, .n = 2, .steps_per_epoch = (count + 15) / 16, .batch = take_held_out};
}

/* ---- writing ---- */

/* The token that comes next by its scores and a number u of [0, 1). */
static int draw(const double *scores, double temperature, double u) {
    int best = 0;
    double shares[TOKENS], sum = 0;
    for (int i = 1; i < TOKENS; i++)
        if (scores[i] > scores[best]) best = i;
    if (!(temperature > 0)) return best;
    for (int i = 0; i < TOKENS; i++)
        sum += shares[i] = ty_item(ty_exp(ty_scalar(TY_F64, (scores[i] - scores[best]) / temperature)));
    for (int i = 0; i < TOKENS; i++)
        if ((u -= shares[i] / sum) < 0) return i;
    return best;
}

/* Scores of what follows the tokens, of which the last `known` of all places count; those are at the front. */
static bool next(ty_model *m, const int32_t *tokens, int64_t places, int64_t known, double *scores) {
    const int64_t shape[] = {1, places};
    ty_tensor *x = ty_from(TY_I32, 2, shape, tokens), *y = NULL;
    if (!ty_model_predict(m, 1, &x, &y)) return complain("%s", ty_error(y)) == 0;
    ty_tensor *last = ty_slice(y, 1, known - 1, known, 1);
    if (ty_size(last) == TOKENS && ty_read(last, TY_F64, scores)) return true;
    return complain("the network gives %lld scores for a token, expected %d", (long long)ty_size(last),
                    TOKENS) == 0;
}

bool text_write(ty_model *m, int64_t places, const char *prompt, int64_t n, double temperature,
                uint64_t seed) {
    int32_t *tokens = calloc((size_t)places, sizeof *tokens);
    int64_t known = 0;
    bool well = tokens || complain("out of memory") == 0;
    for (const char *c = *prompt ? prompt : "\n"; well && *c; c++) {
        if (known == places) memmove(tokens, tokens + 1, (size_t)--known * sizeof *tokens);
        tokens[known++] = (unsigned char)*c < TOKENS ? *c : '?';
    }
    fputs(prompt, stdout);
    for (int64_t i = 0; well && i < n; i++) {
        double scores[TOKENS];
        ty_scope *scope = ty_open();
        well = next(m, tokens, places, known, scores);
        double u = ty_item(ty_uniform(TY_F64, 0, NULL, ty_fold(ty_key(seed), (uint64_t)i)));
        int token = well ? draw(scores, temperature, u) : 0;
        ty_close(scope);
        if (!well) break;
        if (known == places) memmove(tokens, tokens + 1, (size_t)--known * sizeof *tokens);
        tokens[known++] = token;
        putchar(token >= ' ' || token == '\n' || token == '\t' ? token : '?');
    }
    putchar('\n');
    free(tokens);
    return well;
}
