/*
 * Graphs as C: one C99 file and its header, which need nothing of the library.  Include it beside <tyto/tyto.h>.
 * docs/export.md describes the files.
 *
 *   ty_export_function f = {.name = "predict", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
 *   ty_export_c("digits.c", 1, &f, (ty_export_options){0}, NULL, &error);
 *
 * writes digits.c and digits.h with the function digits_predict(state, x, y).  The files compile without warnings as
 * C99 and as C++11.  They allocate no memory, and compute the bits of `cpu` (docs/bits.md has exceptions).
 */
#ifndef TYTO_EXPORT_C_H
#define TYTO_EXPORT_C_H

#include <tyto/graph.h>
#include <tyto/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of the C file, of one graph.  All functions of a file share its variables and its arena. */
typedef struct ty_export_function {
    const char *name; /* the C function is PREFIX_name; letters, digits and _ */
    int ninputs, noutputs, nupdates;
    ty_tensor *const *inputs;        /* lazy variables (ty_var) that the caller of the C function passes */
    const char *const *input_names;  /* of parameters; NULL: the variables' own names */
    ty_tensor *const *outputs;       /* promises that the function computes */
    const char *const *output_names; /* of parameters; NULL: y, or y0, y1, ... */
    const ty_update *updates;        /* of variables that are no inputs, behind the outputs */
    const void *unused[4];           /* 0: room for later members */
} ty_export_function;

/* Options of ty_export_c; all zero is the usual choice. */
typedef struct ty_export_options {
    const char *prefix; /* start of all public names in the files; NULL: the name of the C file without .c */
    /* Path of a file for the values of variables and constants.  The caller of the C functions passes its bytes.
       NULL: the values are numbers in the C file; above 4 MiB in a second one, PREFIX_weights.c beside it. */
    const char *weights;
    bool openmp; /* loops over independent elements have OpenMP pragmas */
    /* The file has PREFIX_save and PREFIX_load, which pass the variables of the state to functions of the caller. */
    bool saves;
    bool order; /* the file has PREFIX_order, the order of examples in an epoch of a ty_trainer */
    bool unused[5];
} ty_export_options;

/* Facts about an exported file. */
typedef struct ty_export_report {
    int64_t state_bytes;       /* variables that functions update, each once */
    int64_t weight_bytes;      /* values of variables and constants */
    int64_t arena_bytes;       /* intermediate results: the most that one function needs */
    int64_t text_bytes, lines; /* of the C file */
    int64_t calls;             /* of steps of kernels, in all functions */
} ty_export_report;

TY_API bool ty_export_c_sized(const char *path, int n, const ty_export_function *functions,
                              const ty_export_options *options, size_t size, ty_export_report *report,
                              size_t report_size, ty_tensor **error);
/*
 * Write n functions to the C file `path`, which ends with ".c", and to a header beside it.
 *
 * Variables that a function updates are members of a struct, the state, with their present values at first.  Values of
 * other variables and of constants are parts of the file.
 *
 * report: NULL, or receives facts, zeros on failure.  False on failure, with the reason in *error unless NULL: a
 * poisoned tensor that the scope owns; no file is changed then.  The code is TY_ERROR_UNSUPPORTED if kernels have no
 * text: functions of the user's and a few algorithms (docs/engines.md).  The message names all of them.  It is
 * TY_ERROR_ARGUMENT for a name that is no identifier of C, a keyword, or used twice.
 */
TY_INLINE bool ty_export_c(const char *path, int n, const ty_export_function *functions,
                           ty_export_options options, ty_export_report *report, ty_tensor **error) {
    return ty_export_c_sized(path, n, functions, &options, sizeof options, report, sizeof *report, error);
}

TY_API bool ty_export_trainer_sized(const char *path, ty_trainer *trainer, const ty_export_options *options,
                                    size_t size, ty_export_report *report, size_t report_size,
                                    ty_tensor **error);
/*
 * Write the training of a compiled trainer (ty_model_options.lazy) to a C file and a header, as ty_export_c does.
 * The functions are PREFIX_step(state, x, y, loss), one step on a batch of the trainer's size; PREFIX_predict(state, x,
 * y), unless the trainer has an objective; PREFIX_save, PREFIX_load, and PREFIX_order (docs/export.md).
 *
 * The state begins with the trainer's present values.  They include the number of steps and the rate, which the caller
 * may change: state->rate[0].  From there on, losses and variables have the bits of ty_trainer_step.
 */
TY_INLINE bool ty_export_trainer(const char *path, ty_trainer *trainer, ty_export_options options,
                                 ty_export_report *report, ty_tensor **error) {
    return ty_export_trainer_sized(path, trainer, &options, sizeof options, report, sizeof *report, error);
}

#ifdef __cplusplus
}
#endif
#endif
