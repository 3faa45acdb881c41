/* Tensors, dtypes, scopes, errors, inspection, printing, engines.  Part of <tyto/tyto.h>, which says what holds
   everywhere. */
#ifndef TYTO_CORE_H
#define TYTO_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tyto/export.h>
#include <tyto/literals.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TY_VERSION_MAJOR 0
#define TY_VERSION_MINOR 1
#define TY_VERSION_PATCH 0
#define TY_MAX_RANK 64

/* "0.1.0": the version of the library that runs, as opposed to the header's TY_VERSION_*. */
TY_API const char *ty_version(void);

typedef struct ty_tensor ty_tensor;
typedef struct ty_scope ty_scope;
typedef struct ty_program ty_program;
typedef struct ty_profile ty_profile;

typedef enum ty_dtype {
    TY_BOOL,
    TY_I8,
    TY_I16,
    TY_I32,
    TY_I64,
    TY_U8,
    TY_U16,
    TY_U32,
    TY_U64,
    TY_F16,
    TY_BF16,
    TY_F32,
    TY_F64,
    TY_C64,
    TY_C128,
    TY_DTYPES /* how many there are */
} ty_dtype;

/* "f32"; "?" for a number that is no dtype. */
TY_API const char *ty_dtype_name(ty_dtype dtype);
/* Bytes of one element; 0 for a number that is no dtype. */
TY_API size_t ty_dtype_size(ty_dtype dtype);
/* The dtype that an operator on a and b computes in (NumPy's table for arrays; f16 with bf16 is f32). */
TY_API ty_dtype ty_promote(ty_dtype a, ty_dtype b);
/* The dtype that n of them meet in, whatever their order (NumPy's result_type): pairs are made from complex
   down to bool, so an integer meets the floats and not the other integers; i8, u8 and f16 meet in f16.  None,
   or one that is no dtype: TY_DTYPES. */
TY_API ty_dtype ty_promote_all(int n, const ty_dtype *dtypes);
/* Converts elements: floating to integer goes toward zero, saturates at the integer's ends and makes 0 of NaN;
   integers wrap; complex to real drops the imaginary part; to bool tests against zero. */
TY_API ty_tensor *ty_cast(ty_tensor *x, ty_dtype dtype);

/* ---- sets of axes ------------------------------------------------------------------------------- */

typedef struct ty_axes {
    uint64_t mask; /* bit i: axis i */
    uint64_t last; /* bit i: axis rank-1-i */
    bool keep;     /* keep reduced axes with size 1 */
} ty_axes;

#define TY_ALL (TY_LITERAL(ty_axes){UINT64_MAX, 0, false})
/* One axis, negative from the end, as an axes set. */
TY_API ty_axes ty_axis(int axis);
/* Several: ty_axes_of(2, (int[]){0, -1}, keep). */
TY_API ty_axes ty_axes_of(int n, const int *axes, bool keep);

/* ---- scopes and references ------------------------------------------------------------------ */

/* Opens a scope on the calling thread; at most 256 may be open (then NULL, and tensors stay with the
   innermost open one).  Those that a thread has open close when it ends. */
TY_API ty_scope *ty_open(void);
/* Drops every reference that `scope`, and scopes opened after it, own.  NULL and another thread's: nothing. */
TY_API void ty_close(ty_scope *scope);
/* Hands `x` to the scope around the innermost one (or to the caller when there is none). */
TY_API ty_tensor *ty_keep(ty_tensor *x);
/* For storing a tensor in a struct: one more, one fewer reference. */
TY_API ty_tensor *ty_retain(ty_tensor *x);
TY_API void ty_release(ty_tensor *x);
/* Gives cached free memory, and with glibc what malloc keeps, back to the system; returns the bytes of the caches. */
TY_API size_t ty_trim(void);

/* ---- errors ----------------------------------------------------------------------------------- */

/* False of NULL, too, which is a poisoned tensor to all functions. */
TY_API bool ty_ok(const ty_tensor *x);
/* The sentence of a poisoned tensor; "" when `x` is well.  Lives as long as `x`. */
TY_API const char *ty_error(const ty_tensor *x);
/* A poisoned tensor with a sentence of the caller's (printf format, at most 1023 bytes). */
TY_API ty_tensor *ty_poison(const char *format, ...);
/* The next tensors that this thread makes come from that line (<tyto/places.h> says it at every call).  `file` is kept, not
   copied: a literal.  NULL: from nowhere that is known. */
TY_API void ty_here(const char *file, int line);
/* "net.c:42", in `out`, which is returned; "" where it is not known. */
TY_API const char *ty_place_of(const ty_tensor *x, char *out, size_t capacity);

/* ---- inspection --------------------------------------------------------------------------------- */

TY_API ty_dtype ty_dtype_of(const ty_tensor *x);
TY_API int ty_rank(const ty_tensor *x);
TY_API const int64_t *ty_shape(const ty_tensor *x);   /* ty_rank(x) sizes */
TY_API const int64_t *ty_strides(const ty_tensor *x); /* in elements; of a promise: row-major */
TY_API int64_t ty_size(const ty_tensor *x);           /* number of elements */
TY_API bool ty_is_promise(const ty_tensor *x);
/* Whether the elements lie row-major without gaps. */
TY_API bool ty_is_contiguous(const ty_tensor *x);
/* Gives `x` a name for printing and drawing (copied; NULL: none); returns x. */
TY_API ty_tensor *ty_named(ty_tensor *x, const char *name);
TY_API const char *ty_name(const ty_tensor *x);

/* The first element of a value or evaluated promise; strided by ty_strides.  The memory lives as
   long as `x` (of a promise: as long as the scope).  NULL when poisoned, evaluation fails, or empty. */
TY_API const void *ty_data(ty_tensor *x);
/* The element of a tensor of size 1 as a number (real part); NaN when there is none. */
TY_API double ty_item(ty_tensor *x);
/* Copies all elements of `x`, row-major, converted to `dtype`, to `out` (ty_size(x) elements). */
TY_API bool ty_read(ty_tensor *x, ty_dtype dtype, void *out);

/* ---- printing: as NumPy prints -------------------------------------------------------------------- */

/* How many digits after the point: at most `precision` and no more than tell the number; exactly `precision`;
   as many as tell the number; at most `precision`, and the same for all. */
typedef enum ty_float_mode { TY_MAXPREC, TY_FIXED, TY_UNIQUE, TY_MAXPREC_EQUAL } ty_float_mode;

/* A zero means what ty_set_print_options said last on this thread, at first NumPy's default (in brackets). */
typedef struct ty_print_options {
    int precision;        /* digits after the point [8]; negative: none */
    int threshold;        /* elements above which the middle is elided [1000]; INT_MAX: never */
    int edge_items;       /* elements shown at each end then [3] */
    int line_width;       /* columns [75] */
    bool suppress;        /* no exponents because numbers are small or differ much */
    char sign;            /* '-' for negative ones only, '+' for all, ' ' a blank before others ['-'] */
    ty_float_mode mode;   /* [TY_MAXPREC] */
    const char *nan_text; /* at most 15 bytes ["nan"] */
    const char *inf_text; /* ["inf"] */
} ty_print_options;

/* What zeros in ty_print_options mean from now on, on this thread; zeros restore the defaults.  Texts are
   copied. */
TY_API void ty_set_print_options(ty_print_options options);
/* What holds now, without zeros but for `suppress` and `mode`; its texts live until the next
   ty_set_print_options of this thread. */
TY_API ty_print_options ty_print_options_now(void);

/* Facts of `x` in lines: dtype, shape, strides, bytes, offset, how many tensors share the memory, whether it
   is a promise, tracked, named.  Nothing is evaluated.  The caller frees it with ty_free; NULL: no memory. */
TY_API char *ty_info(const ty_tensor *x);

/* Text of `x`, poison included ("error: ..."); the caller frees it with ty_free.  NULL: no memory. */
TY_API char *ty_format(ty_tensor *x, ty_print_options options);
/* Prints ty_format's text and a line end to `file`; false when it could not be written. */
TY_API bool ty_print(FILE *file, ty_tensor *x);
TY_API void ty_free(void *memory);

/* ---- engines and threads
 * -------------------------------------------------------------------------------------------- */

/* "cpu", "ref" (naive, the oracle) or "null" (computes nothing); for this thread.  False: no such engine. */
TY_API bool ty_use_engine(const char *name);
TY_API const char *ty_engine_name(void);
/* 0 restores the default: TY_NUM_THREADS, else OMP_NUM_THREADS, else the processors we may use. */
TY_API void ty_set_threads(int n);
TY_API int ty_threads(void);
/* Bytes that one contraction (product, convolution, their gradients) may take for copies, waiting sums and
   the like, all threads together, in what is prepared from now on.  0 restores the default: TY_WORKSPACE,
   else any number, which is twice the second level of cache a thread, or for products a quarter of what all threads
   may count on of the third one, if that is more.  Fewer bytes make smaller boxes,
   fewer copies, at last fewer threads; results stay the same to the bit.  Where not even the smallest box
   fits, that one is used: reports (ty_program_report, ty_contraction_plan_workspace) say what is taken.  What
   a program keeps of its constants is told apart and does not count. */
TY_API void ty_set_workspace(int64_t bytes);
TY_API int64_t ty_workspace(void); /* 0: any number */
/* The instruction set in use: "avx512", "avx2", "base", on ARM "neon"; TY_ISA chooses a lesser one. */
TY_API const char *ty_isa(void);
/* What is wrong with the TY_ variables of the environment, a line for each whose value means nothing: it
   counts as not set; and for each that is named nearly as one of them.  "" when all is well.  Lives until the
   next call of this thread. */
TY_API const char *ty_environment_error(void);

#ifdef __cplusplus
}
#endif
#endif
