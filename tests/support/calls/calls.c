/* Makes one call: chooses arguments from the menus, calls, checks and hashes the result, and frees
   everything. */
#include "tests/support/calls/calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/calls/take.h"

int calls_choose(struct calls *c, int n) { return c->at < c->size ? c->data[c->at++] % n : 0; }

int calls_refusal(struct calls *c, int n) {
    if (c->refusal) return 1 + (c->refusal - 1) % n;
    return calls_choose(c, 8) == 7 ? 1 + calls_choose(c, n) : 0;
}

static _Noreturn void give_up(const struct calls *c, const char *what, const char *more) {
    fprintf(stderr, "%s: %s%s\n", c->function, what, more);
    abort();
}

/* ---- objects owned by a call ---- */

void *calls_own(struct calls *c, void *thing, void (*end)(void *thing)) {
    if (!thing) return NULL;
    if (c->nowned == CALLS_OWNED) give_up(c, "owns too much", "");
    c->owned[c->nowned].thing = thing;
    c->owned[c->nowned++].end = end;
    return thing;
}

void *calls_room(struct calls *c, size_t bytes) {
    void *room = calloc(1, bytes ? bytes : 1);
    if (!room) abort();
    return calls_own(c, room, free);
}

static void end_owned(struct calls *c) {
    while (c->nowned) {
        c->nowned--;
        c->owned[c->nowned].end(c->owned[c->nowned].thing);
    }
}

void calls_fills(struct calls *c, ty_tensor **tensors, size_t n) {
    if (c->nouts == CALLS_OUTS) give_up(c, "fills too many arrays", "");
    ty_tensor **before = calls_room(c, n * sizeof(ty_tensor *));
    memcpy(before, tensors, n * sizeof *before);
    c->outs[c->nouts++] = (struct calls_outs){.tensors = tensors, .before = before, .n = n};
}

/* ---- results ---- */

/* Add bytes to the hash of the results. */
static void add_value(struct calls *c, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) c->value = (c->value ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void refused(struct calls *c, const char *sentence, ty_code code) {
    add_value(c, sentence, strlen(sentence));
    c->outcome = CALLS_REFUSED;
    snprintf(c->sentence, sizeof c->sentence, "%s", sentence);
    c->code = code;
    bool internal = code == TY_ERROR_INTERNAL && strcmp(c->function, "ty_poison_code") != 0;
    if (code <= TY_ERROR_NONE || code >= TY_CODES || internal)
        give_up(c, "a failure without a code, or a fault of the library: ", sentence);
    if (strstr(sentence, "out of memory") && !strstr(sentence, "(out of memory)") && code != TY_ERROR_MEMORY)
        give_up(c, "lack of memory with another code: ", sentence);
    if (!*sentence) give_up(c, "a failure without a sentence", "");
    if (strchr(sentence, '\n')) give_up(c, "a sentence of several lines: ", sentence);
}

void calls_check_tensor(const struct calls *c, const ty_tensor *x) {
    struct calls scratch = *c;
    if (!x) give_up(c, "NULL came back", "");
    if (!ty_ok(x))
        refused(&scratch, ty_error(x), ty_error_code(x));
    else if (*ty_error(x))
        give_up(c, "it is well and has a sentence", "");
}

static void give_ty_tensor_p(struct calls *c, const ty_tensor *x) {
    calls_check_tensor(c, x);
    c->tells = true;
    if (!ty_ok(x))
        refused(c, ty_error(x), ty_error_code(x));
    else if (c->mode && strcmp(c->function, "ty_borrow") != 0 && /* the menu's sizes may exceed its memory */
             !ty_is_promise(x) && ty_is_contiguous(x))
        add_value(c, ty_data((ty_tensor *)x), (size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x)));
}

/* Check the failure of a handle; NULL means that it has not failed. */
static void give_failure(struct calls *c, const ty_tensor *x) {
    c->tells = true;
    if (x && ty_ok(x)) give_up(c, "a failure that is not poisoned", "");
    if (x) give_ty_tensor_p(c, x);
}

static void give_owned_ty_tensor_p(struct calls *c, ty_tensor *x) {
    give_ty_tensor_p(c, x);
    ty_release(x);
}

static void give__Bool(struct calls *c, bool done) {
    c->tells = true;
    add_value(c, &done, sizeof done);
    if (!done) c->outcome = CALLS_REFUSED;
}

/* Check a handle that is NULL on failure. */
static void give_maybe(struct calls *c, const void *thing) {
    give__Bool(c, thing);
    c->null_result |= !thing;
}

static void give_c_char_p(struct calls *c, const char *text) {
    c->null_result |= !text;
    if (!text) return;
    c->bytes = strlen(text);
    add_value(c, text, c->bytes);
}

static void give_char_p(struct calls *c, char *text) {
    give_c_char_p(c, text);
    ty_free(text);
}

static void give_void_p(struct calls *c, void *memory) {
    c->null_result |= !memory;
    ty_free(memory);
}

static void give_ty_unique_parts(struct calls *c, ty_unique_parts parts) {
    give_ty_tensor_p(c, parts.values);
    give_ty_tensor_p(c, parts.index);
    give_ty_tensor_p(c, parts.inverse);
    give_ty_tensor_p(c, parts.counts);
}

/* Check that a handle has a message and a failure, or neither. */
static void check_failure(struct calls *c, const char *sentence, const ty_tensor *failure) {
    if (!*sentence != !failure)
        give_up(c, "a message without a failure, or a failure without one: ", sentence);
    if (failure) refused(c, sentence, ty_error_code(failure));
}

/* Define the check of a handle that is never NULL and reports its own error. */
#define GIVE_THING(type, end, error)                                                                         \
    static void give_##type##_p(struct calls *c, type *thing) {                                              \
        if (!thing) give_up(c, "NULL came back", "");                                                        \
        c->tells = true;                                                                                     \
        check_failure(c, error(thing), type##_failure(thing));                                               \
        end(thing);                                                                                          \
    }
GIVE_THING(ty_archive, ty_archive_free, ty_archive_error)
GIVE_THING(ty_graph, ty_graph_free, ty_graph_error)
GIVE_THING(ty_dataset, ty_dataset_free, ty_dataset_error)
GIVE_THING(ty_loader, ty_loader_free, ty_loader_error)
GIVE_THING(ty_program, ty_program_free, ty_program_error)
GIVE_THING(ty_function, ty_function_free, ty_function_error)
GIVE_THING(ty_walk, ty_walk_free, ty_walk_error)
GIVE_THING(ty_model, ty_model_free, ty_model_error)
GIVE_THING(ty_trainer, ty_trainer_free, ty_trainer_error)
GIVE_THING(ty_einsum_plan, ty_einsum_plan_free, ty_einsum_plan_error)
GIVE_THING(ty_tree, ty_tree_free, ty_tree_error)
GIVE_THING(ty_regression, ty_regression_free, ty_regression_error)
GIVE_THING(ty_design, ty_design_free, ty_design_error)
GIVE_THING(ty_table, ty_table_free, ty_table_error)
GIVE_THING(ty_plot, ty_plot_free, ty_plot_error)
GIVE_THING(ty_preparation, ty_preparation_free, ty_preparation_error)
GIVE_THING(ty_decoder, ty_decoder_free, ty_decoder_error)
GIVE_THING(ty_tokenizer, ty_tokenizer_free, ty_tokenizer_error)
GIVE_THING(ty_contraction, ty_contraction_free, ty_contraction_error)
GIVE_THING(ty_onnx, ty_onnx_free, ty_onnx_error)

static void give_ty_onnx_value_p(struct calls *c, ty_onnx_value *value) {
    if (!value) give_up(c, "NULL came back", "");
    give_failure(c, ty_onnx_value_failure(value));
    ty_onnx_value_free(value);
}

static void give_ty_contraction_plan_p(struct calls *c, ty_contraction_plan *plan) {
    if (plan) check_failure(c, ty_contraction_plan_error(plan), ty_contraction_plan_failure(plan));
    give_maybe(c, plan); /* NULL: out of memory */
    ty_contraction_plan_release(plan);
}

/* NULL: there is no such fold, or out of memory. */
static void give_ty_folding_p(struct calls *c, ty_folding *f) {
    give_maybe(c, f);
    ty_folding_free(f);
}

/* Check a profile; NULL means out of memory, or *error has a message. */
static void give_ty_profile_p(struct calls *c, ty_profile *profile) {
    give_maybe(c, profile);
    ty_profile_free(profile);
}

/* Define the check of a struct that consists of tensors. */
#define GIVE_PARTS(kind)                                                                                     \
    static void give_##kind(struct calls *c, kind parts) {                                                   \
        ty_tensor *all[sizeof parts / sizeof(ty_tensor *)];                                                  \
        memcpy(all, &parts, sizeof parts);                                                                   \
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) give_ty_tensor_p(c, all[i]);                   \
    }
#include "tests/support/calls/parts.def"

static void give_ty_sparse(struct calls *c, ty_sparse a) {
    give_ty_tensor_p(c, a.values);
    give_ty_tensor_p(c, a.indices);
    if (a.form != TY_COO || !ty_ok(a.values)) give_ty_tensor_p(c, a.starts);
}
static void give_ty_sparse_lu(struct calls *c, ty_sparse_lu lu) {
    give_ty_sparse(c, lu.l);
    give_ty_sparse(c, lu.u);
}
static void give_ty_piecewise(struct calls *c, ty_piecewise p) {
    give_ty_tensor_p(c, p.x);
    give_ty_tensor_p(c, p.coefficients);
}

static void give_c_ty_program_p(struct calls *c, const ty_program *program) { (void)c, (void)program; }

/* The model owns the layer. */
static void give_ty_layer_p(struct calls *c, ty_layer *layer) {
    if (!layer) give_up(c, "NULL came back", "");
}

static void give_lent_context(struct calls *c, const ty_context *context) { (void)c, (void)context; }

static void give_ty_context_p(struct calls *c, ty_context *context) {
    if (!context) give_up(c, "NULL came back", "");
    ty_tensor *failure = ty_context_failure(context);
    c->tells = true;
    if (failure) refused(c, ty_error(failure), ty_error_code(failure));
    ty_context_free(context);
}

static void give_lent_model(struct calls *c, const ty_model *model) {
    if (!model) give_up(c, "NULL came back", "");
}

/* NULL if a layer does not train. */
static void give_key(struct calls *c, ty_tensor *key) {
    if (key) give_ty_tensor_p(c, key);
}

static void give_ty_scope_p(struct calls *c, ty_scope *scope) {
    (void)c;
    ty_close(scope);
}

static void give_DLManagedTensor_p(struct calls *c, DLManagedTensor *managed) {
    give_maybe(c, managed);
    if (managed && managed->deleter) managed->deleter(managed);
}

static void give_DLManagedTensorVersioned_p(struct calls *c, DLManagedTensorVersioned *managed) {
    give_maybe(c, managed);
    if (managed && managed->deleter) managed->deleter(managed);
}

#define GIVE_NUMBER(kind, type)                                                                              \
    static void give_##kind(struct calls *c, type result) { (void)c, (void)result; }
#define GIVE_POINTER(kind, type)                                                                             \
    static void give_##kind(struct calls *c, type result) { c->null_result |= !result; }
#define GIVE_VALUE(type)                                                                                     \
    static void give_##type(struct calls *c, type result) { add_value(c, &result, sizeof result); }
GIVE_VALUE(int)
GIVE_VALUE(int64_t)
GIVE_VALUE(size_t)
GIVE_VALUE(double)
#include "tests/support/calls/results.def"

/* ---- the functions ---- */

/* Count a pointer parameter; true if it is the one to be NULL. */
static bool is_null(struct calls *c, const char *kind, const char *name) {
    if (c->pointers++ != c->null_at) return false;
    c->null_name = name;
    c->null_is_none = c->count != NOT_SAID ? c->count <= 0 : c->rank == 0 && strcmp(kind, "ty_tensor_p") != 0;
    c->null_is_none |= c->empty && strstr(kind, "void_p");
    return true;
}

/* Enter the caller's modes for the call itself, and save the registers before it; menus run in the usual modes. */
static void enter_mode(struct calls *c) {
    if (!c->mode) return;
    c->own = modes_now();
    c->mode_there = c->mode->set();
    c->before = modes_now();
}
/* Save the registers after the call and return to the usual modes. */
static void leave_mode(struct calls **c) {
    if (!(*c)->mode) return;
    (*c)->after = modes_now();
    modes_restore((*c)->own);
}
bool calls_kept_modes(const struct calls *c) {
    return !c->mode || !c->mode_there || !memcmp(&c->before, &c->after, sizeof c->before);
}
#define IN_MODE(c, call)                                                                                     \
    ({                                                                                                       \
        struct calls *called __attribute__((cleanup(leave_mode), unused)) = c;                               \
        enter_mode(c);                                                                                       \
        call;                                                                                                \
    })

#define BARE(...) __VA_ARGS__
#define VALUE(i, kind, type, name) type a##i = take_##kind(c, #name);
#define POINTER(i, kind, type, name)                                                                         \
    __typeof__(type) a##i = is_null(c, #kind, #name) ? NULL : take_##kind(c, #name);
#define give_void(c, call) call
#define CALL(name, result, parameters, arguments)                                                            \
    static void call_##name(struct calls *c) { BARE parameters give_##result(c, IN_MODE(c, name arguments)); }
#define SIZED(...)
#define TAIL(...)
#include "signatures.def"
#undef CALL
#undef SIZED

struct callable {
    const char *name;
    void (*call)(struct calls *c);
};
static const struct callable functions[] = {
#define CALL(name, result, parameters, arguments) {#name, call_##name},
#define SIZED(...)
#include "signatures.def"
#undef CALL
#undef SIZED
};

/* ---- functions with structs and their sizes ---- */

enum { BEHIND = 64, CANARY = 0xaa };

/* Return the struct of options of n bytes at `given` as c->change says, in memory of just its bytes. */
static const void *given_as(struct calls *c, const void *given, size_t n) {
    bool longer = c->change == CALLS_LONGER || c->change == CALLS_SET;
    size_t bytes = c->change == CALLS_CUT ? c->changed : longer ? n + BEHIND : n;
    c->known = n;
    if (c->change == CALLS_NULL) return NULL;
    unsigned char *room = calls_room(c, bytes ? bytes : 1);
    memcpy(room, given, bytes < n ? bytes : n);
    if (c->change == CALLS_ZEROED && c->changed < n) memset(room + c->changed, 0, n - c->changed);
    if (c->change == CALLS_SET) room[n + BEHIND / 2] = 1;
    return room;
}

/* Return the size that is told for a struct of n bytes. */
static size_t told_size(const struct calls *c, size_t n) {
    bool longer = c->change == CALLS_LONGER || c->change == CALLS_SET;
    return c->change == CALLS_NULL                                 ? 0
           : longer                                                ? n + BEHIND
           : c->change == CALLS_AS_IS || c->change == CALLS_ZEROED ? n
                                                                   : c->changed;
}

/* Return room for a struct of results of n bytes, and more that must stay as it is. */
static void *result_room(struct calls *c, void *given, size_t n) {
    c->result_bytes = n;
    if (!given || c->change == CALLS_NULL) return NULL;
    c->result = calls_room(c, n + 2 * BEHIND);
    memset(c->result, CANARY, n + 2 * BEHIND);
    return c->result;
}

/* Check that a struct of results was written as far as its size, with zeros after the known bytes. */
static void check_result(struct calls *c) {
    size_t n = c->result_bytes, size = told_size(c, n);
    const unsigned char *bytes = c->result;
    if (!bytes || size > n + BEHIND) size = 0;
    for (size_t i = size; bytes && i < n + 2 * BEHIND; i++)
        if (bytes[i] != CANARY) c->spoil = "a byte behind the struct of results was written";
    for (size_t i = n; bytes && i < size; i++)
        if (bytes[i]) c->spoil = "a byte behind the known results is not 0";
}

#define OPTIONS(a) given_as(c, &(a), sizeof(a)), told_size(c, sizeof(a))
#define RESULT(a) result_room(c, a, sizeof *(a)), told_size(c, sizeof *(a))
#define SIZED(name, result, parameters, arguments)                                                           \
    static void call_##name(struct calls *c) { BARE parameters give_##result(c, IN_MODE(c, name arguments)); }
#define CALL(...)
#include "signatures.def"
#undef SIZED

static const struct callable sized_functions[] = {
#define SIZED(name, result, parameters, arguments) {#name, call_##name},
#include "signatures.def"
};

int calls_sized_count(void) { return (int)(sizeof sized_functions / sizeof *sized_functions); }
const char *calls_sized_name(int function) { return sized_functions[function].name; }
int calls_count(void) { return (int)(sizeof functions / sizeof *functions); }
const char *calls_name(int function) { return functions[function].name; }

/* Return 24 bits of the FNV-1a hash of the name. */
uint32_t calls_number(int function) {
    uint32_t hash = 2166136261;
    for (const char *c = calls_name(function); *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619;
    return hash >> 8;
}

int calls_find(uint32_t number) {
    static uint32_t numbers[sizeof functions / sizeof *functions];
    int best = -1;
    for (int i = 0; i < calls_count(); i++) {
        if (!numbers[i]) numbers[i] = calls_number(i);
        uint32_t away = (numbers[i] - number) & 0xffffff;
        if (best < 0 || away < ((numbers[best] - number) & 0xffffff)) best = i;
    }
    return best;
}

/* Check the tensors that the function stored through its pointers. */
static void check_outs(struct calls *c) {
    for (int k = 0; k < c->nouts; k++) {
        struct calls_outs *out = &c->outs[k];
        for (size_t i = 0; i < out->n; i++) {
            ty_tensor *x = out->tensors[i], *before = out->before[i];
            if (x) calls_check_tensor(c, x);
            c->replaced |= before && x != before;
            out->filled += !before && x;
            out->poisoned += !before && x && !ty_ok(x);
        }
        c->poisoned += out->poisoned;
    }
    if (!c->is_error || c->outcome == CALLS_WELL) return;
    ty_tensor *error = c->outs[c->nouts - 1].tensors[0];
    if (!error || ty_ok(error)) give_up(c, "refused without a sentence in *error", "");
    refused(c, ty_error(error), ty_error_code(error));
}

/* Reset settings of the thread and the process. */
static void restore(const struct calls *c) {
    if (strncmp(c->function, "ty_set_", 7) == 0) {
        ty_set_threads(1);
        ty_set_workspace(0), ty_set_cache(-1);
        ty_set_print_options((ty_print_options){0});
    }
    if (strncmp(c->function, "ty_engine_register", 18) == 0) ty_engine_unregister("calls", NULL);
    if (strcmp(c->function, "ty_context_use") == 0) ty_context_use(NULL);
    ty_context_set_pool(NULL, NULL, NULL);
    ty_context_set_progress(NULL, NULL, NULL);
    ty_resume(NULL);
    ty_limits(NULL, 0, 0);
    if (strcmp(c->function, "ty_use_engine") == 0) ty_use_engine("cpu");
    if (strcmp(c->function, "ty_set_history") == 0) ty_set_history(true);
    if (strcmp(c->function, "ty_profile_start") == 0) ty_profile_free(ty_profile_stop());
    if (strcmp(c->function, "ty_trap_nan") == 0) ty_trap_nan(false);
}

const struct calls *calls_now;

static void make(struct calls *c, const struct callable *function) {
    bool unused = ty_allow_unused(true); /* random tensors need not depend on each other */
    calls_now = c;
    ty_scope *outer = ty_open(), *scope = ty_open(); /* two scopes: ty_keep moves results to the outer one */
    c->function = function->name;
    c->result = NULL;
    c->spoil = c->kind = c->null_name = NULL;
    c->known = c->result_bytes = c->at = c->bytes = 0;
    c->value = 0;
    c->pointers = c->nowned = c->nouts = c->poisoned = 0;
    c->outcome = CALLS_WELL;
    c->tells = c->is_error = c->empty = c->replaced = false;
    c->sentence[0] = 0;
    c->count = c->rank = NOT_SAID;
    function->call(c);
    check_outs(c);
    check_result(c);
    restore(c);
    ty_allow_unused(unused);
    end_owned(c);
    ty_close(scope);
    ty_close(outer);
}

void calls_make(struct calls *c, int function) { make(c, &functions[function]); }
void calls_make_sized(struct calls *c, int function) { make(c, &sized_functions[function]); }
