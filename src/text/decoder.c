/* Reading tokens with a cache: windows, sizes of the cache, and the programs of its steps. */
#include <tyto/decode.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include <tyto/zoo.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/list.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "nn/model/model.h"
#include "text/sampler.h"

enum {
    CACHE = 128, /* most tensors of a cache */
    BLOCK = 64,  /* tokens of a block of a prompt; the cache has room for whole blocks */
    GROWTH =
        4, /* the cache grows by this part of its size at least: attention reads all of it, and each size costs the
                    time of a token or two (gpt2) to compile */
    BLOCK_FROM =
        8, /* fewer tokens are read one by one: a block takes as long as 5 (gpt2, one core), and is compiled */
};

/* The program that reads so many tokens at once, and its operands; all owned. */
struct step {
    int64_t count;
    ty_program *program; /* NULL: not compiled for this size of the cache, or the model computes at once */
    ty_tensor *tokens, *position, *last;
};

struct ty_decoder {
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
    bool known; /* scores[] are those of the last token */
    float *scores;
    struct sampler *sampler; /* NULL: nothing was drawn yet */
    struct fault fault;
};

static const ty_network_options *options_of(const ty_decoder *d) { return d->model->context; }

/* ---- creation ---- */

static int cache_shape(const ty_decoder *d, int i, int64_t positions, int64_t *shape) {
    return d->network->cache_shape(options_of(d), i, 1, positions, shape);
}

/* Return the number of positions of the network; 0 if its cache does not grow with them. */
static int64_t context_of(const ty_decoder *d) {
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
              "decoder: the network is no language model; expected gpt, gpt2 or char_lstm");
    return NULL;
}

static ty_decoder no_memory = {.fault = {true, E_MEMORY, "out of memory: a decoder could not be made"}};
static ty_decoder null_decoder = {.fault = {true, E_ARGUMENT, "decoder: the decoder is NULL"}};

static const ty_decoder *decoder_of(const ty_decoder *d) { return d ? d : &null_decoder; }

ty_decoder *ty_decoder_new(ty_model *model) {
    ty_decoder *d = mem_alloc(sizeof *d);
    if (!d) return &no_memory;
    model = model_of(model);
    *d = (ty_decoder){.model = model, .one = {.count = 1}, .block = {.count = BLOCK}};
    if (!(d->network = network_of(model, &d->fault))) return d;
    if (!model->parameters.n) {
        fault_set(&d->fault, E_STATE, "decoder: the model has no parameters yet; ty_model_build makes them");
        return d;
    }
    d->classes = options_of(d)->classes;
    d->context = context_of(d);
    int64_t shape[TY_MAX_RANK];
    int ncache = 0;
    while (ncache <= CACHE && cache_shape(d, ncache, 1, shape)) ncache++;
    if (ncache > CACHE)
        fault_set(&d->fault, E_LIMIT, "decoder: more than %d tensors of a cache", CACHE);
    else if (!(d->scores = mem_array((size_t)d->classes, sizeof *d->scores)))
        fault_memory(&d->fault, (size_t)d->classes * sizeof *d->scores);
    else
        d->ncache = ncache;
    return d;
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

/* Forget what is known of the tokens; they are read again when they are needed. */
static void forget(ty_decoder *d) {
    step_drop(&d->one);
    step_drop(&d->block);
    for (int i = 0; i < d->ncache; i++) drop(&d->cache[i]);
    d->size = d->position = 0;
    d->known = false;
}

void ty_decoder_free(ty_decoder *d) {
    if (!d || d == &no_memory) return;
    forget(d);
    sampler_free(d->sampler);
    mem_free(d->tokens);
    mem_free(d->scores);
    mem_free(d);
}

const char *ty_decoder_error(const ty_decoder *d) { return decoder_of(d)->fault.text; }
ty_tensor *ty_decoder_failure(const ty_decoder *d) { return tensor_failure(&decoder_of(d)->fault); }
int64_t ty_decoder_size(const ty_decoder *d) { return decoder_of(d)->fault.set ? 0 : d->classes; }
int64_t ty_decoder_count(const ty_decoder *d) { return decoder_of(d)->n; }
int64_t ty_decoder_first(const ty_decoder *d) { return decoder_of(d)->begin; }

/* Return the number of the first token that the model sees after n tokens. */
static int64_t window_of(const ty_decoder *d, int64_t n) {
    int64_t half = d->context > 1 ? d->context / 2 : 1;
    if (!d->context || n <= d->context) return 0;
    return (n - d->context + half - 1) / half * half;
}

/* ---- the cache ---- */

static bool set_of(struct fault *fault, const ty_tensor *x) {
    return fault_set(fault, x ? ty_error_code(x) : E_INTERNAL, "decoder: %s", x ? ty_error(x) : "no result");
}

/* Replace *place by the variable or value x, which stays the scope's, too. */
static bool keep(ty_decoder *d, ty_tensor **place, ty_tensor *x, const char *name, struct fault *fault) {
    x = d->model->options.lazy ? ty_var(x, name) : x;
    if (!ty_ok(x)) return set_of(fault, x);
    drop(place);
    *place = ty_retain(x);
    return true;
}

/* Give the cache room for `size` positions; it keeps what it has. */
static bool resize(ty_decoder *d, int64_t size, struct fault *fault) {
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
static bool reserve(ty_decoder *d, int64_t count, struct fault *fault) {
    int64_t size = d->position + count;
    if (d->size && (!d->context || size <= d->size)) return true;
    if (size < d->size + d->size / GROWTH) size = d->size + d->size / GROWTH;
    size = (size + BLOCK - 1) / BLOCK * BLOCK;
    return resize(d, d->context && size > d->context ? d->context : size, fault);
}

/* ---- steps ---- */

/* Record a step on its operands: *y receives the scores f32 [1, classes], next[] the new cache.  Poison in *y on
   failure. */
static void record(ty_decoder *d, const struct step *s, ty_tensor **y, ty_tensor **next) {
    memcpy(next, d->cache, (size_t)d->ncache * sizeof *next);
    ty_cached_step step = {.tokens = s->tokens, .position = s->position, .last = s->last, .cache = next};
    ty_model_begin(d->model, NULL);
    *y = ty_cast(d->network->cached(ty_model_root(d->model), options_of(d), &step), TY_F32);
    for (int i = 0; i < d->ncache && ty_ok(*y); i++)
        if (!ty_ok(next[i])) *y = next[i];
}

/* Compile a step. */
static bool compile(ty_decoder *d, struct step *s, struct fault *fault) {
    ty_tensor *y, *next[CACHE];
    ty_update updates[CACHE];
    record(d, s, &y, next);
    if (!ty_ok(y)) return set_of(fault, y);
    for (int i = 0; i < d->ncache; i++) updates[i] = (ty_update){.variable = d->cache[i], .value = next[i]};
    s->program = ty_compile(1, &y, (ty_compile_options){.updates = updates, .nupdates = d->ncache});
    const char *error = ty_program_error(s->program);
    return !*error || fault_set(fault, ty_error_code(ty_program_failure(s->program)), "decoder: %s", error);
}

/* Set the operands of a step to `known` tokens, padded by the first class. */
static bool feed(ty_decoder *d, struct step *s, const int32_t *tokens, int64_t known, struct fault *fault) {
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
static bool run(ty_decoder *d, struct step *s, const int32_t *tokens, int64_t known, struct fault *fault) {
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
static bool catch_up(ty_decoder *d, struct fault *fault) {
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

/* True if a score was not finite: then values in the cache may be infinite or NaN, and spoil sums with weights of 0. */
static bool is_spoiled(const ty_decoder *d) {
    bool spoiled = false;
    for (int64_t i = 0; d->known && i < d->classes; i++) spoiled = spoiled || !isfinite(d->scores[i]);
    return spoiled;
}

/* Begin anew at token `begin`: states of a recurrence and keys of the old window are forgotten. */
static void restart(ty_decoder *d, int64_t begin) {
    if (is_spoiled(d)) forget(d);
    d->begin = begin;
    d->position = 0; /* keys of later positions are masked until they are replaced */
}

/* Read what the model lacks of the first n tokens; on failure, which sets the fault, it has only those before. */
static bool read_to(ty_decoder *d, int64_t n, struct fault *fault) {
    int64_t before = d->n;
    bool history = ty_set_history(false);
    /* A window may begin anew inside of these tokens; only the last one counts, so the others are not read. */
    if (window_of(d, n) != d->begin) restart(d, window_of(d, n));
    d->n = n;
    bool well = catch_up(d, fault);
    ty_set_history(history);
    if (well) {
        d->known = n > 0;
        return true;
    }
    forget(d);
    d->n = before;
    d->begin = window_of(d, before);
    return false;
}

/* Append tokens to d->tokens, behind the first d->n, which stay the number of known ones; false sets the fault. */
static bool append(ty_decoder *d, ty_tensor *tokens, struct fault *fault) {
    int64_t n = ty_size(tokens);
    const int64_t *ids = NULL;
    if (!dtype_is(ty_dtype_of(tokens), CLASS_INTEGER))
        return fault_set(fault, E_DTYPE, "decoder_read: the tokens are %s, expected integers",
                         ty_dtype_name(ty_dtype_of(tokens)));
    tokens = ty_contiguous(ty_cast(ty_eval(tokens), TY_I64));
    if (n && !(ids = ty_data(tokens))) return set_of(fault, tokens);
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= d->classes)
            return fault_set(fault, E_INDEX, "decoder_read: token %lld is out of bounds for %lld tokens",
                             (long long)ids[i], (long long)d->classes);
    if (n > INT64_MAX - d->n || !list_reserve(d->tokens, d->n + n, d->capacity))
        return fault_memory(fault, (size_t)n * sizeof *d->tokens);
    for (int64_t i = 0; i < n; i++) d->tokens[d->n + i] = (int32_t)ids[i];
    return true;
}

/* Write the fault as poison to *error, unless that is NULL. Return true if none is set. */
static bool tell(const struct fault *fault, ty_tensor **error) {
    if (fault->set && error) *error = tensor_fault(fault);
    return !fault->set;
}

bool ty_decoder_read(ty_decoder *d, ty_tensor *tokens, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_scope *scope = ty_open();
    if (decoder_of(d)->fault.set)
        fault_copy(&fault, &decoder_of(d)->fault);
    else if (!ty_ok(tokens))
        fault_set(&fault, ty_error_code(tokens), "decoder_read: %s",
                  tokens ? ty_error(tokens) : "the tensor is NULL");
    else if (append(d, tokens, &fault))
        read_to(d, d->n + ty_size(tokens), &fault);
    ty_close(scope);
    return tell(&fault, error);
}

void ty_decoder_clear(ty_decoder *d) {
    if (decoder_of(d)->fault.set) return;
    if (!d->context || is_spoiled(d)) forget(d); /* states; keys are masked until they are replaced */
    d->n = d->begin = d->position = 0;
    d->known = false;
}

/* Ensure that the scores are those of the last token; false sets the fault. */
static bool know(ty_decoder *d, struct fault *fault) {
    if (decoder_of(d)->fault.set) return fault_copy(fault, &decoder_of(d)->fault);
    if (!d->n) return fault_set(fault, E_STATE, "decoder: no token was read yet");
    return d->known || read_to(d, d->n, fault);
}

ty_tensor *ty_decoder_scores(ty_decoder *d) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    return know(d, &fault) ? ty_from(TY_F32, 1, &d->classes, d->scores) : tensor_fault(&fault);
}

/* Check the options of a draw; false sets the fault. */
static bool draw_fits(const ty_draw_options *o, struct fault *fault) {
    if (!(o->temperature >= 0))
        return fault_set(fault, E_ARGUMENT, "decoder_draw: a temperature of %g; expected 0 or more",
                         o->temperature);
    if (!(o->top_p >= 0 && o->top_p <= 1))
        return fault_set(fault, E_ARGUMENT, "decoder_draw: a top_p of %g; expected 0 to 1", o->top_p);
    if (o->top_k < 0 || o->tokens < 0)
        return fault_set(fault, E_ARGUMENT, "decoder_draw: %s is %lld; expected 0 or more",
                         o->top_k < 0 ? "top_k" : "tokens", (long long)(o->top_k < 0 ? o->top_k : o->tokens));
    return true;
}

int64_t ty_decoder_draw_sized(ty_decoder *d, const ty_draw_options *given, size_t given_size,
                              ty_tensor **error) {
    OPTIONS_OR(ty_draw_options, how, given, given_size,
               (options_told(error, tensor_fault(&options_fault)), (int64_t)-1));
    FLOATING_DEFAULT;
    struct fault fault = {0};
    int64_t token = -1;
    if (draw_fits(&how, &fault) && know(d, &fault) &&
        (d->sampler || (d->sampler = sampler_new(d->classes, &fault))))
        token = sampler_draw(d->sampler, &how, d->scores, (uint64_t)d->n, &fault);
    return tell(&fault, error) ? token : -1;
}
