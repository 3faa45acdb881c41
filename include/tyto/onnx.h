/*
 * Models in ONNX's format (docs/onnx.md).  They are loaded, run on values, and recorded as graphs, which can be
 * differentiated, batched and compiled like any other graph.  Included separately; <tyto/tyto.h> states the rules that hold
 * for all functions.
 *
 *   ty_onnx *m = ty_onnx_load("model.onnx", (ty_onnx_options){.eager = false});
 *   ty_tensor *y;
 *   if (!ty_onnx_run(m, 1, &x, 1, &y)) puts(ty_error(y));
 *   ty_onnx_free(m);
 *
 * One thread at a time uses a model.  A returned model or value is never NULL; NULL as an argument counts as one that has
 * failed.
 */
#ifndef TYTO_ONNX_H
#define TYTO_ONNX_H

#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ---- */

/* A loaded model. */
typedef struct ty_onnx ty_onnx;

/* Options of a model; zeros are the defaults. */
typedef struct ty_onnx_options {
    bool eager; /* compute each node at once, and compile nothing: for models that run once */
} ty_onnx_options;

TY_API ty_onnx *ty_onnx_load_sized(const char *path, const ty_onnx_options *options, size_t size);
/* Load the model of a file.  Data in other files is read if these lie in the model's folder or beneath it, after all
   links.  Never NULL: ty_onnx_error returns the reason of a failure, and ty_onnx_lack the operators that the library
   lacks.  The caller frees it with ty_onnx_free. */
TY_INLINE ty_onnx *ty_onnx_load(const char *path, ty_onnx_options options) {
    return ty_onnx_load_sized(path, &options, sizeof options);
}
TY_API ty_onnx *ty_onnx_parse_sized(const void *bytes, size_t n, const ty_onnx_options *options, size_t size);
/* Load a model from n bytes, which outlive it.  Data in other files is refused.  Otherwise as ty_onnx_load.  The caller
   frees it with ty_onnx_free. */
TY_INLINE ty_onnx *ty_onnx_parse(const void *bytes, size_t n, ty_onnx_options options) {
    return ty_onnx_parse_sized(bytes, n, &options, sizeof options);
}
/* Free a model.  NULL is allowed. */
TY_API void ty_onnx_free(ty_onnx *model);
/* Return the error message of a model that could not be loaded; "" if it could.  The text lives as long as the model. */
TY_API const char *ty_onnx_error(const ty_onnx *model);
/* Return the error of ty_onnx_error as a poisoned tensor (ty_error_code), owned by the innermost scope; NULL if there is
   none. */
TY_API ty_tensor *ty_onnx_failure(const ty_onnx *model);

/* An operator that nodes use. */
typedef struct ty_onnx_operator {
    const char *domain; /* "" is ai.onnx */
    const char *name;
    int64_t opset; /* version of the domain that the model imports */
    int64_t count; /* number of nodes */
} ty_onnx_operator;
/* Return the number of operators that the library lacks; 0 for a model that can run. */
TY_API int ty_onnx_lacks(const ty_onnx *model);
/* Describe operator i, counted from 0, that the library lacks; texts live as long as the model.  False, with *lack all 0,
   if there is none. */
TY_API bool ty_onnx_lack(const ty_onnx *model, int i, ty_onnx_operator *lack);

/* ---- inputs, outputs, parameters ---- */

/* Kinds of values. */
typedef enum ty_onnx_kind {
    TY_ONNX_ABSENT, /* nothing: an optional input that is not given */
    TY_ONNX_TENSOR,
    TY_ONNX_STRINGS,  /* an array of strings */
    TY_ONNX_SEQUENCE, /* any number of values */
    TY_ONNX_OPTIONAL, /* one value or none */
    TY_ONNX_MAP       /* two values: keys and values */
} ty_onnx_kind;

/* An input or output as the model declares it. */
typedef struct ty_onnx_port {
    const char *name;
    ty_onnx_kind kind;
    int type; /* element type of a tensor, as ONNX numbers them (TensorProto.DataType); 0: none is declared */
    ty_dtype dtype;             /* of a tensor; TY_DTYPES if it has none, or one that the library lacks */
    int rank;                   /* of tensors and strings; -1: any */
    const int64_t *shape;       /* rank sizes; -1: any */
    const char *const *symbols; /* rank names of sizes that the model leaves open; "" for others */
} ty_onnx_port;
/* Return the number of inputs that a run takes; initialisers do not count. */
TY_API int ty_onnx_inputs(const ty_onnx *model);
/* Return the number of outputs of a run. */
TY_API int ty_onnx_outputs(const ty_onnx *model);
/* Describe input i, counted from 0; texts live as long as the model.  False, with *port all 0, if there is none. */
TY_API bool ty_onnx_input(const ty_onnx *model, int i, ty_onnx_port *port);
/* Describe output i, as ty_onnx_input. */
TY_API bool ty_onnx_output(const ty_onnx *model, int i, ty_onnx_port *port);
/* Return the value of a key of the model's metadata, or of producer_name, producer_version, domain, doc_string; NULL if
   there is none.  The text lives as long as the model. */
TY_API const char *ty_onnx_metadata(const ty_onnx *model, const char *key);
/* Return the number of parameters: floating initialisers of the model's graph, and its floating Constants of more than
   one element. */
TY_API int ty_onnx_parameters(const ty_onnx *model);
/* Return parameter i, counted from 0: a variable (ty_var) with the initialiser's name, which ty_onnx_record uses.  Runs
   use the value that ty_assign gives it.  The model owns it.  Poison if there is none. */
TY_API ty_tensor *ty_onnx_parameter(ty_onnx *model, int i);

/* ---- runs ---- */

/*
 * Compute the model's noutputs outputs of ninputs tensors, in the order of ty_onnx_input and ty_onnx_output.
 *
 * Promises as inputs are evaluated.  The first run with inputs of some shapes records and compiles a graph, in parts if
 * elements decide on shapes; later runs use it again.  False on failure: all outputs are then poisoned.  An output that is
 * no tensor is a failure: ty_onnx_run_values returns others.
 */
TY_API bool ty_onnx_run(ty_onnx *model, int ninputs, ty_tensor *const *inputs, int noutputs,
                        ty_tensor **outputs);
/* Record the model's noutputs outputs of ninputs tensors, of which some are promises, as a graph.  Parameters are variables
   in it (ty_onnx_parameter).  Where elements decide on shapes, those of promises are read as the library's functions do: a
   promise that reads a variable is refused.  False on failure: all outputs are then poisoned. */
TY_API bool ty_onnx_record(ty_onnx *model, int ninputs, ty_tensor *const *inputs, int noutputs,
                           ty_tensor **outputs);

/*
 * Compile the model for inputs of the largest sizes: symbols[i], as ty_onnx_port names it, has sizes[i], at least 1.
 * "x.0" names the size of axis 0 of the input x, for sizes without a symbol.  All open sizes are needed.
 *
 * All programs of a model keep intermediate results in one block of memory, as one runs at a time.  This call makes it
 * large enough for the given sizes, by a run on zeros.  Runs with smaller sizes are compiled when they come first, and
 * use the same memory.  It grows only if a run needs more.
 *
 * *bytes, unless NULL, receives the size of the memory; 0 for models without programs (eager), and on devices.  False
 * on failure: *error, unless NULL, receives a poisoned tensor with the reason, such as a symbol without a size.
 */
TY_API bool ty_onnx_reserve(ty_onnx *model, int n, const char *const *symbols, const int64_t *sizes,
                            int64_t *bytes, ty_tensor **error);

/* ---- values that are no tensors ---- */

/* A tensor, strings, a sequence, an optional or a map.  Immutable; threads may share it. */
typedef struct ty_onnx_value ty_onnx_value;

/* Return a value that shares the tensor x; a promise is evaluated.  The caller frees each value with
   ty_onnx_value_free; ty_onnx_value_failure returns the reason if one has failed. */
TY_API ty_onnx_value *ty_onnx_value_new(ty_tensor *x);
/* Return an array of strings of a shape: texts[i], row-major, of lengths[i] bytes, which are copied.  lengths NULL: texts
   end with a zero.  The caller frees it with ty_onnx_value_free. */
TY_API ty_onnx_value *ty_onnx_value_strings(int rank, const int64_t *shape, const char *const *texts,
                                            const size_t *lengths);
/* Return a sequence of n values, an optional of one or none, or a map of keys and values; they are shared.  The
   caller frees it with ty_onnx_value_free. */
TY_API ty_onnx_value *ty_onnx_value_list(ty_onnx_kind kind, int64_t n, ty_onnx_value *const *items);
/* Return the value of n bytes: a message TensorProto (kind TY_ONNX_TENSOR or TY_ONNX_STRINGS), SequenceProto, OptionalProto
   or MapProto, such as the files input_0.pb of test data.  The bytes are needed during the call alone.
   The caller frees it with ty_onnx_value_free. */
TY_API ty_onnx_value *ty_onnx_value_parse(ty_onnx_kind kind, const void *bytes, size_t n);
/* Free a value.  NULL is allowed. */
TY_API void ty_onnx_value_free(ty_onnx_value *value);
/* Return the error of a value as a poisoned tensor, owned by the innermost scope; NULL if it is valid. */
TY_API ty_tensor *ty_onnx_value_failure(const ty_onnx_value *value);
/* Return the kind of a value; TY_ONNX_ABSENT for one that failed. */
TY_API ty_onnx_kind ty_onnx_value_kind(const ty_onnx_value *value);
/* Return the tensor of a value, owned by the innermost scope; poison for other kinds. */
TY_API ty_tensor *ty_onnx_value_tensor(const ty_onnx_value *value);
/* Return the number of items of a list, or of strings of an array; 0 for others. */
TY_API int64_t ty_onnx_value_count(const ty_onnx_value *value);
/* Return item i, counted from 0, of a list; the caller frees it with ty_onnx_value_free.  A failed value if there is
   none. */
TY_API ty_onnx_value *ty_onnx_value_item(const ty_onnx_value *value, int64_t i);
/* Return string i, counted from 0 in row-major order, of an array, and its length in *n, unless n is NULL.  It ends with a
   zero, may contain others, and lives as long as the value.  NULL if there is none. */
TY_API const char *ty_onnx_value_text(const ty_onnx_value *value, int64_t i, size_t *n);
/* Return the number of axes of an array of strings, and its sizes in *shape, which live as long as the value; -1 for
   others. */
TY_API int ty_onnx_value_shape(const ty_onnx_value *value, const int64_t **shape);
/* As ty_onnx_run, with values of any kind.  outputs[] receives new values, which the caller frees.  An input that is NULL is
   absent.  False on failure: all outputs have then failed. */
TY_API bool ty_onnx_run_values(ty_onnx *model, int ninputs, const ty_onnx_value *const *inputs, int noutputs,
                               ty_onnx_value **outputs);

#ifdef __cplusplus
}
#endif
#endif
