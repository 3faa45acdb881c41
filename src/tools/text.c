/* Texts: windows of bytes through a loader, and what a model writes. */
#include "tools/loaded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "tools/command.h"

enum { TOKENS = 256 };

static bool refused(const char *error) { return *error && complain("%s", error); }

/* Every `places`-th window of those that begin at first .. first + n - 1. */
static ty_dataset *apart(ty_dataset *set, int64_t first, int64_t n, int64_t places) {
    int64_t count = (n + places - 1) / places, *from = malloc((size_t)count * sizeof *from + 1);
    for (int64_t i = 0; from && i < count; i++) from[i] = first + i * places;
    ty_dataset *part = ty_dataset_subset(set, from ? count : -1, from);
    free(from);
    return part;
}

/* A window begins at each byte that has `places` behind it; between both parts one is left out, so that they share none. */
static bool split(struct loaded *l, int64_t places, double held_out, int64_t limit) {
    int64_t n = ty_dataset_size(l->all), held;
    if (limit && limit - places < n) n = limit - places;
    held = (int64_t)(held_out * (double)n);
    if (held <= places) held = 0;
    int64_t kept = n - held - (held ? places : 0);
    if (kept < 1)
        return complain("the text is shorter than what it takes: %lld bytes for a window, and as many to be "
                        "held out",
                        (long long)places + 1) == EXIT_SUCCESS;
    l->tokens[0] = kept;
    l->tokens[1] = held;
    l->parts[0] = apart(l->all, 0, kept, 1);
    if (held) l->parts[1] = apart(l->all, n - held, held, places);
    return !refused(ty_dataset_error(l->parts[0])) && !(held && refused(ty_dataset_error(l->parts[1])));
}

bool text_load(struct loaded *l, const char *path, int64_t places, int64_t batch, double held_out,
               int64_t limit, uint64_t seed) {
    l->all = ty_dataset_text(path, (ty_text_options){.length = places, .stride = 1});
    if (refused(ty_dataset_error(l->all)) || !split(l, places, held_out, limit)) return false;
    /* An epoch has as many windows as lie side by side in the text. */
    int64_t samples = l->tokens[0] / places > batch ? l->tokens[0] / places : batch;
    l->loaders[0] = ty_loader_new(
        l->parts[0],
        (ty_loader_options){
            .batch = batch, .order = TY_SAMPLED, .samples = samples, .drop_last = true, .seed = seed});
    if (l->parts[1])
        l->loaders[1] = ty_loader_new(l->parts[1], (ty_loader_options){.batch = 16, .order = TY_IN_ORDER});
    return !refused(ty_loader_error(l->loaders[0])) &&
           !(l->loaders[1] && refused(ty_loader_error(l->loaders[1])));
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
    if (!ty_model_predict(m, 1, &x, &y)) return complain("%s", ty_error(y)) == EXIT_SUCCESS;
    ty_tensor *last = ty_slice(y, 1, known - 1, known, 1);
    if (ty_size(last) == TOKENS && ty_read(last, TY_F64, scores)) return true;
    return complain("the network gives %lld scores for a token, expected %d", (long long)ty_size(last),
                    TOKENS) == EXIT_SUCCESS;
}

bool text_write(ty_model *m, int64_t places, const char *prompt, int64_t n, double temperature,
                uint64_t seed) {
    int32_t *tokens = calloc((size_t)places, sizeof *tokens);
    int64_t known = 0;
    bool well = tokens || complain("out of memory") == EXIT_SUCCESS;
    for (const char *c = *prompt ? prompt : "\n"; well && *c; c++) {
        if (known == places) memmove(tokens, tokens + 1, (size_t)--known * sizeof *tokens);
        tokens[known++] = (unsigned char)*c;
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
        putchar(token >= ' ' || token == '\n' || token == '\t'
                    ? token
                    : '?'); /* what a terminal would obey is not sent */
    }
    putchar('\n');
    free(tokens);
    return well;
}
