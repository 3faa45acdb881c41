/* Texts: windows of tokens through loaders. */
#include "tools/network/loaded.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "io/input.h"
#include "tools/command.h"
#include "tools/options/message.h"

/* Return true, after a message on stderr, if the set or the loader has an error. */
static bool set_refused(const ty_dataset *set) {
    return *ty_dataset_error(set) && COMPLAIN_FAILURE(ty_dataset_failure(set));
}
static bool loader_refused(const ty_loader *loader) {
    return *ty_loader_error(loader) && COMPLAIN_FAILURE(ty_loader_failure(loader));
}

/* Held-out windows: stretches of adjacent windows spread over the text, as its end often differs from the
   rest. */
struct stretches {
    int64_t n, windows; /* number of stretches, and of windows in each */
    int64_t starts;     /* number of possible window positions */
    int64_t places;
};

/* Return the stretches of held-out windows in a text with `starts` positions for windows of `places`
   tokens: up to four windows side by side in each, the share held_out of the text in all. */
static struct stretches stretches_of(int64_t starts, int64_t places, double held_out) {
    enum { SIDE_BY_SIDE = 4 };
    int64_t windows = (int64_t)(held_out * (double)starts) / places;
    int64_t each = windows < SIDE_BY_SIDE ? windows : SIDE_BY_SIDE;
    return (struct stretches){each ? windows / each : 0, each, starts, places};
}

/* Return the position of the first window of stretch k, from 0, in the middle of part k of the text; for k
   >= s->n a position past all windows. */
static int64_t stretch_begin(const struct stretches *s, int64_t k) {
    if (k >= s->n) return s->starts + s->places;
    return (int64_t)(((double)k + 0.5) * (double)s->starts / (double)s->n) - s->windows * s->places / 2;
}

/* Set training[] to the positions of training windows, which share no token with a stretch, and held_out[]
   to those of held-out ones; either may be NULL. Return the number of training windows. */
static int64_t list_windows(const struct stretches *s, int64_t *training, int64_t *held_out) {
    int64_t n = 0, at = 0;
    for (int64_t k = 0; k <= s->n; k++) {
        int64_t begin = stretch_begin(s, k), end = begin + s->windows * s->places;
        for (; at + s->places < begin && at < s->starts; at++, n++)
            if (training) training[n] = at;
        for (int64_t i = 0; held_out && k < s->n && i < s->windows; i++) *held_out++ = begin + i * s->places;
        at = end + 1;
    }
    return n;
}

/* Split l->all into l->parts, training and held-out windows of `places` tokens; only the first `limit`
   tokens (0: all) are used. Sets l->tokens. False after a message on stderr. */
static bool split(struct loaded *l, int64_t places, double held_out, int64_t limit) {
    int64_t n = ty_dataset_size(l->all);
    if (limit && limit - places < n) n = limit - places;
    struct stretches s = stretches_of(n, places, held_out);
    int64_t kept = list_windows(&s, NULL, NULL), held = s.n * s.windows;
    if (kept < 1)
        return complain("the text is too short: training needs %lld tokens for a window, and as many for "
                        "validation",
                        (long long)places + 1) == EXIT_SUCCESS;
    int64_t *numbers = malloc((size_t)(kept + held) * sizeof *numbers);
    if (!numbers) return complain("out of memory") == EXIT_SUCCESS;
    list_windows(&s, numbers, numbers + kept);
    l->tokens[0] = kept;
    l->tokens[1] = held * places;
    l->parts[0] = ty_dataset_subset(l->all, kept, numbers);
    if (held) l->parts[1] = ty_dataset_subset(l->all, held, numbers + kept);
    free(numbers);
    return !set_refused(l->parts[0]) && !(held && set_refused(l->parts[1]));
}

/* Set l->tokenizer and l->all to the windows of its tokens; false after a message. */
static bool load_tokens(struct loaded *l, const struct text_plan *plan) {
    enum {
        VOCABULARY = 4096
    }; /* some four bytes a token of English, and few tokens that a small text has rarely */
    static const char *const names[] = {"input", "target"};
    size_t n = 0;
    struct fault fault = {0};
    char *text = input_text(plan->path, 0, &n, &fault);
    if (!text) return complain_fault(&fault) == EXIT_SUCCESS;
    bool trains = !strcmp(plan->tokenizer, "bpe");
    l->tokenizer = trains ? ty_tokenizer_train(text, n, plan->vocabulary ? plan->vocabulary : VOCABULARY)
                          : ty_tokenizer_load(plan->tokenizer);
    ty_scope *scope = ty_open();
    ty_tensor *ids = ty_tokenizer_encode(l->tokenizer, text, n), *windows[2];
    mem_free(text);
    bool well = ty_ok(ids) || complain_of(ids) == EXIT_SUCCESS;
    if (well && ty_size(ids) <= plan->places)
        well = complain("the text is too short: it has %lld tokens, a window has %lld",
                        (long long)ty_size(ids), (long long)plan->places + 1) == EXIT_SUCCESS;
    for (int i = 0; i < 2 && well; i++)
        windows[i] = ty_window(ty_slice(ids, 0, i, ty_size(ids) - 1 + i, 1), 0, plan->places, 1, 1);
    if (well) l->all = ty_dataset_arrays(2, windows, names);
    ty_close(scope);
    return well && !set_refused(l->all);
}

bool text_load(struct loaded *l, const struct text_plan *plan) {
    if (!plan->tokenizer) {
        l->all = ty_dataset_text(plan->path, (ty_text_options){.length = plan->places, .stride = 1});
        if (set_refused(l->all)) return false;
    } else if (!load_tokens(l, plan)) {
        return false;
    }
    if (!split(l, plan->places, plan->held_out, plan->limit)) return false;
    /* An epoch has as many windows as fit side by side into the text. */
    int64_t fit = l->tokens[0] / plan->places, samples = fit > plan->batch ? fit : plan->batch;
    l->loaders[0] = ty_loader_new(l->parts[0], (ty_loader_options){.batch = plan->batch,
                                                                   .order = TY_SAMPLED,
                                                                   .samples = samples,
                                                                   .drop_last = true,
                                                                   .seed = plan->seed});
    if (l->parts[1])
        l->loaders[1] = ty_loader_new(l->parts[1], (ty_loader_options){.batch = 16, .order = TY_IN_ORDER});
    return !loader_refused(l->loaders[0]) && !(l->loaders[1] && loader_refused(l->loaders[1]));
}
