/* Lifetime and properties of tensors.  One allocation holds the struct, shape, strides, operand pointers and
   attributes.  Releasing walks a list linked through the dead tensors, so that chains of any length are freed
   without recursion or allocation. */
#include "array/tensor.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "array/dense.h"
#include "array/form.h"
#include "base/alloc.h"
#include "base/options.h"
#include "base/checked.h"

_Thread_local uint16_t tensor_level;

struct ty_tensor *tensor_new(ty_dtype dtype, int rank, int ninputs, size_t attr_bytes) {
    size_t axes = 2 * (size_t)rank * sizeof(int64_t), links = (size_t)ninputs * sizeof(ty_tensor *), bytes;
    if (!checked_add_size(sizeof(ty_tensor) + axes + links, attr_bytes, &bytes)) return NULL;
    ty_tensor *x = mem_alloc(bytes);
    if (!x) return NULL;
    atomic_init(&x->refs, 1);
    x->dtype = dtype;
    x->level = tensor_level;
    x->layout.rank = rank;
    x->layout.shape = (int64_t *)(x + 1);
    x->layout.strides = x->layout.shape + rank;
    x->inputs = (ty_tensor **)(x->layout.strides + rank);
    x->ninputs = ninputs;
    x->attr = attr_bytes ? (char *)x->inputs + links : NULL;
    x->attr_bytes = attr_bytes;
    x->location = location_now;
    return x;
}

static bool drop_reference(ty_tensor *x) { return x && !x->immortal && last_reference(&x->refs); }

/* Drop one reference to x. The last one frees the tensor and drops the references to its operands, without
   recursion. NULL is allowed. The list of dead tensors is linked through `current`, whose old value is dropped
   like an operand. */
void tensor_free_one_reference(ty_tensor *x) {
    if (!drop_reference(x)) return;
    ty_tensor *dead = x, *variable_value = x->current;
    x->current = NULL;
    while (dead) {
        x = dead;
        dead = x->current;
        if (x->attr_release) x->attr_release(x->attr); /* before the operands, which attr may refer to */
        for (int i = 0; i <= x->ninputs; i++) {
            ty_tensor *next = i < x->ninputs ? x->inputs[i] : variable_value;
            if (i == x->ninputs)
                variable_value = NULL;
            else if (next)
                tensor_count_reader(next, -1);
            if (!drop_reference(next)) continue;
            next->current = dead; /* free to use: operands are never eager variables, since recording
                                     resolves them */
            dead = next;
        }
        if (x->remembers) tensor_count_reader(x, -1);
        buffer_release(x->buffer);
        if (x->error != tensor_given_away) mem_free(x->error);
        mem_free(x->name);
        mem_free(x);
    }
}

ty_tensor *ty_retain(ty_tensor *x) {
    x = tensor_of(x);
    if (!x->immortal) atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
    return x;
}
void ty_release(ty_tensor *x) { tensor_free_one_reference(x); }

ty_tensor *tensor_new_value(ty_dtype dtype, int rank, const int64_t *shape) {
    ty_tensor *x = tensor_new(dtype, rank, 0, 0);
    if (!x) return NULL;
    if (rank) memcpy(x->layout.shape, shape, sizeof *shape * (size_t)rank);
    shape_row_major(rank, shape, x->layout.strides);
    x->buffer = buffer_new((size_t)dtype_bytes(dtype, shape_size(rank, shape)));
    if (x->buffer) return x;
    tensor_free_one_reference(x);
    return NULL;
}

ty_tensor *tensor_new_view(const ty_tensor *x, const struct layout *layout) {
    ty_tensor *view = tensor_new(x->dtype, layout->rank, 0, 0);
    if (!view) return NULL;
    size_t bytes = sizeof(int64_t) * (size_t)layout->rank;
    if (bytes) {
        memcpy(view->layout.shape, layout->shape, bytes);
        memcpy(view->layout.strides, layout->strides, bytes);
    }
    view->layout.offset = layout->offset;
    view->buffer = buffer_retain(x->buffer);
    view->place = x->place;
    view->keeps_order = x->keeps_order && layout_is_permuted(&view->layout);
    return view;
}

/* ---- poison ---- */

/* Sizes of poison, whose rank is 0.  Callers may read any axis before they ask for an error, also axis rank - 2. */
static int64_t none[2 * TY_MAX_RANK];
static int64_t *const no_axes = none + TY_MAX_RANK;
#define STATIC_POISON(number, sentence)                                                                      \
    {                                                                                                        \
        .dtype = TY_F32, .immortal = true,                                                                   \
        .layout = {.shape = none + TY_MAX_RANK, .strides = none + TY_MAX_RANK}, .code = (number),            \
        .error = (char *)(sentence)                                                                          \
    }
static ty_tensor out_of_memory = STATIC_POISON(E_MEMORY, "out of memory: a tensor could not be allocated");
#define NEVER_NULL "functions that make tensors never return NULL"
ty_tensor tensor_null = STATIC_POISON(E_ARGUMENT, "NULL is not a tensor; " NEVER_NULL);

char tensor_given_away[] =
    "the value was given away by ty_give, and a result has its memory; do not use it afterwards";

ty_tensor *tensor_out_of_memory(void) { return &out_of_memory; }

/* Return a copy of an error sentence, with the source location appended unless it has one; free with
   mem_free. NULL if memory runs out. */
static char *sentence_of(const char *text) {
    char words[LOCATION_WORDS];
    struct text t = {0};
    if (!location_now.file || strstr(text, " (at ")) return mem_copy_text(text);
    text_add(&t, "%s (at %s)", text, location_words(&location_now, words));
    return text_take(&t);
}

ty_tensor *tensor_fault(const struct fault *f) {
    ty_tensor *x = tensor_new(TY_F32, 0, 0, 0);
    if (x) x->error = sentence_of(f->text);
    if (x) x->code = (uint8_t)f->code;
    if (x && x->error) return tensor_return(x);
    tensor_free_one_reference(x);
    return &out_of_memory;
}

ty_tensor *tensor_failure(const struct fault *f) { return f->set ? tensor_fault(f) : NULL; }

bool fault_tensor(struct fault *f, const ty_tensor *x) {
    return fault_set(f, ty_error_code(x), "%s", ty_error(x));
}

bool fault_tensor_from(struct fault *f, const char *function, const ty_tensor *x) {
    return fault_from(f, function, ty_error_code(x), ty_error(x));
}

static ty_tensor *poison_of(ty_code code, const char *format, va_list args) {
    struct fault f = {.set = true, .code = E_ARGUMENT, .text = "poison: the format is NULL"};
    if (!format) return tensor_fault(&f);
    f.code = (unsigned)code < TY_CODES && code ? code : E_USER;
    text_format(f.text, sizeof f.text, format, args);
    text_make_visible(f.text);
    return tensor_fault(&f);
}

ty_tensor *ty_poison(const char *format, ...) {
    va_list args;
    va_start(args, format);
    ty_tensor *x = poison_of(E_USER, format, args);
    va_end(args);
    return x;
}

ty_tensor *ty_poison_code(ty_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ty_tensor *x = poison_of(code, format, args);
    va_end(args);
    return x;
}

ty_tensor *tensor_refuse_null(const char *name, int i) {
    if (!*name) return &tensor_null;
    int length = (int)options_name(name);
    return i ? ty_poison_code(E_ARGUMENT, "%.*s: operand %d is NULL; " NEVER_NULL, length, name, i)
             : ty_poison_code(E_ARGUMENT, "%.*s: the tensor is NULL; " NEVER_NULL, length, name);
}

bool ty_ok(const ty_tensor *x) { return !tensor_of(x)->error; }
const char *ty_error(const ty_tensor *x) { return ty_ok(x) ? "" : tensor_of(x)->error; }
ty_code ty_error_code(const ty_tensor *x) { return (ty_code)tensor_of(x)->code; }

const char *ty_code_name(ty_code code) {
    static const char *const words[] = {
#define ERROR_CODE(name, number, word, python, doc) [TY_ERROR_##name] = word,
#include <tyto/tables/errors.def>
    };
    return (unsigned)code < TY_CODES ? words[code] : "?";
}

/* ---- properties ---- */

ty_dtype ty_dtype_of(const ty_tensor *x) { return tensor_of(x)->dtype; }
int ty_rank(const ty_tensor *x) { return tensor_of(x)->layout.rank; }
const int64_t *ty_shape(const ty_tensor *x) { return ty_ok(x) ? tensor_of(x)->layout.shape : no_axes; }
const int64_t *ty_strides(const ty_tensor *x) { return ty_ok(x) ? tensor_of(x)->layout.strides : no_axes; }
int64_t ty_size(const ty_tensor *x) { return tensor_size(tensor_of(x)); }
bool ty_is_promise(const ty_tensor *x) { return tensor_of(x)->promise; }
bool ty_is_contiguous(const ty_tensor *x) { return layout_is_contiguous(&tensor_of(x)->layout); }

ty_tensor *ty_named(ty_tensor *x, const char *name) {
    x = tensor_of(x);
    if (x->immortal || x->error) return x;
    char *copy = mem_copy_text(name ? name : "");
    if (!copy) return tensor_out_of_memory(); /* files and programs find tensors by name */
    mem_free(x->name);
    x->name = copy;
    return x;
}
const char *ty_name(const ty_tensor *x) {
    const char *name = tensor_of(x)->name;
    return name ? name : "";
}

char *tensor_describe_into(char *out, size_t capacity, const ty_tensor *x) {
    if (!x || x == &tensor_null) {
        snprintf(out, capacity, "NULL");
        return out;
    }
    enum {
        MOST_NAME = 40
    }; /* names may come from a file and be long; the beginning identifies the
          tensor */
    size_t n = form_words(out, capacity, x->dtype, x->layout.rank, x->layout.shape);
    if (x->name && *x->name)
        snprintf(out + n, capacity - n, " '%.*s%s'", MOST_NAME, x->name,
                 strlen(x->name) > MOST_NAME ? "..." : "");
    return out;
}

void tensor_describe(struct text *t, const ty_tensor *x) {
    char words[24 * TY_MAX_RANK];
    form_words(words, sizeof words, x->dtype, x->layout.rank, x->layout.shape);
    text_add(t, "%s", words);
}

void ty_free(void *memory) { mem_free(memory); }
