/* Reading tokens with a cache: windows, sizes of the cache, and the programs of its steps. */
#include "text/decoder.h"
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/list.h"
#include "nn/model/model.h"

enum {
    CACHE = 128, /* most tensors of a cache */
    BLOCK = 64,  /* tokens of a block of a prompt; the cache has room for whole blocks */
    GROWTH =
        4, /* the cache grows by this part of its size at least: attention reads all of it, and each size costs the
                    time of a token or two (gpt2) to compile */
    BLOCK_FROM =
        16, /* fewer tokens are read one by one: a block costs as much as so many (gpt2, two cores) */
};

/* The program that reads so many tokens at once, and its operands; all owned. */
struct step {
    int64_t count;
    ty_program *program; /* NULL: not compiled for this size of the cache, or the model computes at once */
    ty_tensor *tokens, *position, *last;
};

struct decoder {
    ty_model *model;
    const ty_network *network;
    int64_t classes, context; /* most positions; 0: any number */
    int64_t size;             /* positions of the present cache */
    int64_t begin, position;  /* first token of the window, and number of tokens of it in the cache */
    int ncache;
    ty_tensor *cache[CACHE]; /* owned variables, or values if the model computes at once */
    struct step one, block;
    int32_t *tokens; /* all that were read */
    int64_t n, capacity;
    float *scores;
};

static const ty_network_options *options_of(const struct decoder *d) { return d->model->context; }

/* ---- creation ---- */

static int cache_shape(const struct decoder *d, int i, int64_t positions, int64_t *shape) {
    return d->network->cache_shape(options_of(d), i, 1, positions, shape);
}

/* Return the number of positions of the network; 0 if its cache does not grow with them. */
static int64_t context_of(const struct decoder *d) {
    int64_t one[TY_MAX_RANK], two[TY_MAX_RANK];
    int rank = cache_shape(d, 0, 1, one);
    cache_shape(d, 0, 2, two);
    if (!rank || !memcmp(one, two, (size_t)rank * sizeof *one)) return 0;
    return options_of(d)->places ? options_of(d)->places : d->network->shape[0];
}

/* Return the network of a model of the zoo that has a cached form; NULL sets the fault. */
static const ty_network *network_of(const ty_model *m, struct fault *fault) {
    if (m->fault.set) {
        fault_copy(fault, &m->fault);
        return NULL;
    }
    for (int i = 0; ty_networks[i]; i++) {
        if (ty_networks[i]->forward != m->forward || !m->context) continue;
        const ty_network *network = ((const ty_network_options *)m->context)->network;
        if (network && network->cached) return network;
    }
    fault_set(fault, E_ARGUMENT,
              "generate: the network is no language model; expected gpt, gpt2 or char_lstm");
    return NULL;
}

struct decoder *decoder_new(ty_model *model, struct fault *fault) {
    const ty_network *network = network_of(model, fault);
    struct decoder *d = network ? mem_alloc(sizeof *d) : NULL;
    if (!d) {
        if (network) fault_memory(fault, sizeof *d);
        return NULL;
    }
    *d = (struct decoder){.model = model, .network = network, .one = {.count = 1}, .block = {.count = BLOCK}};
    d->classes = options_of(d)->classes;
    d->context = context_of(d);
    int64_t shape[TY_MAX_RANK];
    while (d->ncache <= CACHE && cache_shape(d, d->ncache, 1, shape)) d->ncache++;
    if (d->ncache > CACHE)
        fault_set(fault, E_LIMIT, "generate: more than %d tensors of a cache", CACHE);
    else if (!(d->scores = mem_array((size_t)d->classes, sizeof *d->scores)))
        fault_memory(fault, (size_t)d->classes * sizeof *d->scores);
    if (!fault->set) return d;
    d->ncache = 0;
    decoder_free(d);
    return NULL;
}

static void drop(ty_tensor **x) {
    if (*x) ty_release(*x);
    *x = NULL;
}

static void step_drop(struct step *s) {
    ty_program_free(s->program);
    s->program = NULL;
    drop(&s->tokens), drop(&s->position), drop(&s->last);
}

void decoder_free(struct decoder *d) {
    if (!d) return;
    step_drop(&d->one);
    step_drop(&d->block);
    for (int i = 0; i < d->ncache; i++) drop(&d->cache[i]);
    mem_free(d->tokens);
    mem_free(d->scores);
    mem_free(d);
}

int64_t decoder_classes(const struct decoder *d) { return d->classes; }
const float *decoder_scores(const struct decoder *d) { return d->n ? d->scores : NULL; }

int64_t decoder_begin(const struct decoder *d, int64_t n) {
    int64_t half = d->context / 2;
    if (!d->context || n <= d->context) return 0;
    return (n - d->context + half - 1) / half * half;
}

/* ---- the cache ---- */

static bool set_of(struct fault *fault, const ty_tensor *x) {
    return fault_set(fault, x ? ty_error_code(x) : E_INTERNAL, "generate: %s", x ? ty_error(x) : "no result");
}

/* Replace *place by the variable or value x, which stays the scope's, too. */
static bool keep(struct decoder *d, ty_tensor **place, ty_tensor *x, const char *name, struct fault *fault) {
    x = d->model->options.lazy ? ty_var(x, name) : x;
    if (!ty_ok(x)) return set_of(fault, x);
    drop(place);
    *place = ty_retain(x);
    return true;
}

/* Give the cache room for `size` positions; it keeps what it has. */
static bool resize(struct decoder *d, int64_t size, struct fault *fault) {
    step_drop(&d->one);
    step_drop(&d->block);
    for (int i = 0; i < d->ncache; i++) {
        int64_t shape[TY_MAX_RANK], old[TY_MAX_RANK];
        ty_padding around[TY_MAX_RANK] = {{0}};
        int rank = cache_shape(d, i, size, shape);
        ty_tensor *x = ty_zeros(d->model->options.compute, rank, shape);
        if (d->cache[i]) {
            cache_shape(d, i, d->size, old);
            for (int k = 0; k < rank; k++) around[k].high = shape[k] - old[k];
            x = ty_eval(ty_pad(d->cache[i], around, ty_num(0)));
        }
        if (!keep(d, &d->cache[i], x, "cache", fault)) return false;
    }
    d->size = size;
    return true;
}

/* Ensure that the cache has room for `count` more positions. */
static bool reserve(struct decoder *d, int64_t count, struct fault *fault) {
    int64_t size = d->position + count;
    if (d->size && (!d->context || size <= d->size)) return true;
    if (size < d->size + d->size / GROWTH) size = d->size + d->size / GROWTH;
    size = (size + BLOCK - 1) / BLOCK * BLOCK;
    return resize(d, d->context && size > d->context ? d->context : size, fault);
}

/* ---- steps ---- */

/* Record a step on its operands: *y receives the scores f32 [1, classes], next[] the new cache.  Poison in *y on
   failure. */
static void record(struct decoder *d, const struct step *s, ty_tensor **y, ty_tensor **next) {
    memcpy(next, d->cache, (size_t)d->ncache * sizeof *next);
    ty_cached_step step = {.tokens = s->tokens, .position = s->position, .last = s->last, .cache = next};
    ty_model_begin(d->model, NULL);
    *y = ty_cast(d->network->cached(ty_model_root(d->model), options_of(d), &step), TY_F32);
    for (int i = 0; i < d->ncache && ty_ok(*y); i++)
        if (!ty_ok(next[i])) *y = next[i];
}

/* Compile a step. */
static bool compile(struct decoder *d, struct step *s, struct fault *fault) {
    ty_tensor *y, *next[CACHE];
    ty_update updates[CACHE];
    record(d, s, &y, next);
    if (!ty_ok(y)) return set_of(fault, y);
    for (int i = 0; i < d->ncache; i++) updates[i] = (ty_update){.variable = d->cache[i], .value = next[i]};
    s->program = ty_compile(1, &y, (ty_compile_options){.updates = updates, .nupdates = d->ncache});
    const char *error = ty_program_error(s->program);
    return !*error || fault_set(fault, ty_error_code(ty_program_failure(s->program)), "generate: %s", error);
}

/* Set the operands of a step to `known` tokens, padded by the first class. */
static bool feed(struct decoder *d, struct step *s, const int32_t *tokens, int64_t known,
                 struct fault *fault) {
    int32_t padded[BLOCK] = {0};
    const int64_t shape[] = {1, s->count};
    memcpy(padded, tokens, (size_t)known * sizeof *padded);
    ty_tensor *values[] = {ty_from(TY_I32, 2, shape, padded), ty_scalar(TY_I64, (double)d->position),
                           ty_scalar(TY_I64, (double)(known - 1))};
    ty_tensor **places[] = {&s->tokens, &s->position, &s->last};
    static const char *const names[] = {"tokens", "position", "last"};
    bool first = !s->tokens || !d->model->options.lazy;
    for (int i = 0; i < 3 && first; i++)
        if (!keep(d, places[i], values[i], names[i], fault)) return false;
    ty_tensor *variables[] = {s->tokens, s->position, s->last}, *error = NULL;
    return first || ty_assign_all(3, variables, values, &error) || set_of(fault, error);
}

/* Read `known` tokens of the window by a step. */
static bool run(struct decoder *d, struct step *s, const int32_t *tokens, int64_t known,
                struct fault *fault) {
    ty_tensor *y = NULL, *next[CACHE];
    if (!feed(d, s, tokens, known, fault)) return false;
    if (d->model->options.lazy) {
        if (!s->program && !compile(d, s, fault)) return false;
        if (!ty_run_outputs(s->program, 1, &y)) return set_of(fault, y);
    } else {
        record(d, s, &y, next);
        for (int i = 0; i < d->ncache && ty_ok(y); i++)
            if (!keep(d, &d->cache[i], ty_detach(next[i]), NULL, fault)) return false;
    }
    if (ty_size(y) != d->classes || !ty_read(y, TY_F32, d->scores)) return set_of(fault, y);
    d->position += known;
    return true;
}

/* Read the tokens of the window that the cache lacks. */
static bool catch_up(struct decoder *d, struct fault *fault) {
    while (d->begin + d->position < d->n) {
        int64_t left = d->n - d->begin - d->position;
        bool fits = !d->context || d->position + BLOCK <= d->context;
        struct step *s = left >= BLOCK_FROM && fits ? &d->block : &d->one;
        int64_t count = left < s->count ? left : s->count;
        ty_scope *scope = ty_open();
        bool well = reserve(d, left < s->count ? s->count : left, fault) &&
                    run(d, s, d->tokens + d->begin + d->position, count, fault);
        ty_close(scope);
        if (!well) return false;
    }
    return true;
}

/* Begin anew at token `begin`: states of a recurrence and keys of the old window are forgotten. */
static void restart(struct decoder *d, int64_t begin) {
    d->begin = begin;
    d->position = 0; /* keys of later positions are masked until they are replaced */
}

bool decoder_read(struct decoder *d, const int32_t *tokens, int64_t n, struct fault *fault) {
    for (int64_t i = 0; i < n; i++)
        if (tokens[i] < 0 || tokens[i] >= d->classes)
            return fault_set(fault, E_INDEX, "generate: token %d is out of bounds for %lld tokens", tokens[i],
                             (long long)d->classes);
    if (n > INT64_MAX - d->n || !list_reserve(d->tokens, d->n + n, d->capacity))
        return fault_memory(fault, (size_t)n * sizeof *tokens);
    if (n) memcpy(d->tokens + d->n, tokens, (size_t)n * sizeof *tokens);
    bool history = ty_set_history(false);
    bool well = true;
    /* A window may begin anew inside of these tokens; only the last one counts, so the others are not read. */
    if (decoder_begin(d, d->n + n) != d->begin) restart(d, decoder_begin(d, d->n + n));
    d->n += n;
    well = catch_up(d, fault);
    ty_set_history(history);
    return well;
}
