/* Tensors, dtypes, scopes, errors, inspection, printing, engines and threads.  Part of <tyto/tyto.h>, which states
   the rules that hold for all functions. */
#ifndef TYTO_CORE_H
#define TYTO_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tyto/error.h>
#include <tyto/export.h>
#include <tyto/literals.h>
#include <tyto/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TY_MAX_RANK 64

/* Return the version of the library that runs, such as "0.1.0"; the header's own version is TY_VERSION_*.
   Never NULL; static text. */
TY_API const char *ty_version(void);
/* Return true if the library that runs is of the given version or a later one.  TY_VERSION_AT_LEAST asks the
   headers. */
TY_API bool ty_version_at_least(int major, int minor, int patch);

/* Handles: an n-dimensional array or a promise of one, a scope that owns tensors, a compiled program, a profile of
   kernels. */
typedef struct ty_tensor ty_tensor;
typedef struct ty_scope ty_scope;
typedef struct ty_program ty_program;
typedef struct ty_profile ty_profile;

/* Element types: bool, signed and unsigned integers, floating (F16, BF16, F32, F64) and complex numbers.

   Those behind TY_DTYPES are for storage: their tensors are held, reshaped, printed, saved and converted (ty_cast,
   ty_cast_by, ty_view_as), and everything else refuses them.  Elements lie in row-major order without gaps, the first
   in the lowest bits of its byte.  E4M3 has 4 bits of exponent and 3 of mantissa; one more bit is the sign. */
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
    TY_DTYPES,      /* the number of dtypes above, in which operators compute; as a result: no dtype */
    TY_F8_E4M3FN,   /* up to 448; NaN, no infinity (Open Compute Project, OFP8) */
    TY_F8_E4M3FNUZ, /* up to 240; NaN, neither infinity nor -0 */
    TY_F8_E5M2,     /* up to 57344; NaN and infinities (OFP8) */
    TY_F8_E5M2FNUZ, /* up to 57344; NaN, neither infinity nor -0 */
    TY_F8_E8M0,     /* powers of 2 from 2^-127 to 2^127, and NaN: scales of blocks (Microscaling) */
    TY_F4_E2M1,     /* 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives: two in a byte, as I4 and U4 */
    TY_I4,          /* -8 to 7 */
    TY_U4,          /* 0 to 15 */
    TY_I2,          /* -2 to 1: four in a byte, as U2 */
    TY_U2           /* 0 to 3 */
} ty_dtype;

/* Return the name of a dtype, such as "f32"; "?" if the argument is no dtype.  Static text. */
TY_API const char *ty_dtype_name(ty_dtype dtype);
/* Return the size of one element in bytes, 1 for dtypes of 4 and 2 bits; 0 if the argument is no dtype. */
TY_API size_t ty_dtype_size(ty_dtype dtype);
/* Return the size of one element in bits; 0 if the argument is no dtype.  n elements without gaps take
   ceil(n * bits / 8) bytes. */
TY_API int ty_dtype_bits(ty_dtype dtype);
/* Return `dtype` if it is one of `fits` (bit d: dtype d may have the caller's elements; bit TY_DTYPES + 1: all may),
   else a value that functions refuse with both types in the message.  <tyto/typed.h> calls it. */
TY_API ty_dtype ty_dtype_for(ty_dtype dtype, int fits);
/* Return the dtype in which an operator on tensors of dtypes a and b computes: NumPy's table for arrays; f16
   with bf16 gives f32.  TY_DTYPES if one of them is no dtype, or one for storage. */
TY_API ty_dtype ty_promote(ty_dtype a, ty_dtype b);
/* Return the common dtype of n dtypes, independent of their order, as NumPy's result_type.  Kinds are combined from
   complex down to bool, so i8, u8 and f16 give f16.  TY_DTYPES if n is 0 or one is none or for storage. */
TY_API ty_dtype ty_promote_all(int n, const ty_dtype *dtypes);
/* Convert the elements of x to `dtype`; the shape stays.  Floating to integer truncates toward zero, saturates at
   the integer's limits and turns NaN into 0.  Integers wrap; complex to real drops the imaginary part; conversion
   to bool gives x != 0.  To dtypes for storage: see ty_cast_by.  Poison if the dtype is invalid. */
TY_API ty_tensor *ty_cast(ty_tensor *x, ty_dtype dtype);

/* Rounding to TY_F8_E8M0: to the next power of 2 above, below, or to the nearer one, ties up. */
typedef enum ty_scale_rounding { TY_SCALE_UP, TY_SCALE_DOWN, TY_SCALE_NEAREST } ty_scale_rounding;

/* Options of ty_cast_by: ONNX's attributes saturate and round_mode of the operator Cast. */
typedef struct ty_cast_options {
    bool overflows;          /* floats of 8 bits: beyond the range infinite or NaN [false: the largest] */
    ty_scale_rounding scale; /* rounding to TY_F8_E8M0 [TY_SCALE_UP] */
} ty_cast_options;

TY_API ty_tensor *ty_cast_by_sized(ty_tensor *x, ty_dtype dtype, const ty_cast_options *options, size_t size);
/* Convert the elements of x to `dtype` as ty_cast, with options for dtypes of storage.  To floats: the nearest number,
   ties to even, by the table of ONNX's operator Cast; NaN becomes the NaN of its sign.  F8_E8M0: negative numbers
   become NaN.  F4_E2M1: NaN becomes 0, and too large numbers become 6.  I4, U4, I2 and U2: as for other integers.
   No gradient flows.  Poison if the dtype or an option is invalid. */
TY_INLINE ty_tensor *ty_cast_by(ty_tensor *x, ty_dtype dtype, ty_cast_options options) {
    return ty_cast_by_sized(x, dtype, &options, sizeof options);
}

/* ---- sets of axes ------------------------------------------------------------------------------- */

/* A set of axes, for reductions.  An axis outside the rank of the operand makes the function that uses the set
   return poison. */
typedef struct ty_axes {
    uint64_t mask; /* bit i: axis i */
    uint64_t last; /* bit i: axis rank-1-i */
    bool keep;     /* keep reduced axes with size 1 */
} ty_axes;

/* All axes, which are removed. */
#define TY_ALL (TY_LITERAL(ty_axes){UINT64_MAX, 0, false})
/* Return the set of one axis, counted from 0; a negative one counts from the end.  The reduced axis is removed.
   An axis outside the operand's rank gives poison where the set is used. */
TY_API ty_axes ty_axis(int axis);
/* Return the set of n axes, negative ones counted from the end: ty_axes_of(2, (int[]){0, -1}, keep).  With
   `keep`, reduced axes stay with size 1, else they are removed.  An axis outside the operand's rank gives poison
   where the set is used. */
TY_API ty_axes ty_axes_of(int n, const int *axes, bool keep);

/* ---- scopes and references ------------------------------------------------------------------ */

/* Open a scope on the calling thread, which owns the tensors made until ty_close or the end of the thread.  At
   most 256 may be open on a thread: beyond that NULL, and tensors belong to the innermost open scope. */
TY_API ty_scope *ty_open(void);
/* Close `scope` and all scopes that this thread opened after it, and drop the references that they own.  Does
   nothing for NULL and for a scope of another thread. */
TY_API void ty_close(ty_scope *scope);
/* Let x survive the innermost scope: the scope around that one owns a reference, too.  Returns x, for NULL a
   poisoned tensor.  If only one scope is open, the caller owns the reference and must call ty_release; with
   none open nothing changes. */
TY_API ty_tensor *ty_keep(ty_tensor *x);
/* Add a reference to x, for example to store it in a struct, and return x, for NULL a poisoned tensor.
   ty_release drops it. */
TY_API ty_tensor *ty_retain(ty_tensor *x);
/* Drop a reference to x, and free x with its last one.  NULL is allowed and does nothing. */
TY_API void ty_release(ty_tensor *x);
/* Free the library's caches of memory, programs and kernels; with glibc, malloc's free memory returns to the
   system, too.  Returns the number of bytes of tensors' elements that were freed. */
TY_API size_t ty_trim(void);

/* ---- errors ----------------------------------------------------------------------------------- */

/* Return true if x is not poisoned, that is, no failed result; false for NULL. */
TY_API bool ty_ok(const ty_tensor *x);
/* Return the error message of a poisoned tensor, "" if x is not poisoned.  The text lives as long as x. */
TY_API const char *ty_error(const ty_tensor *x);
/* Return the code of a poisoned tensor's error, TY_ERROR_NONE if x is not poisoned; TY_ERROR_ARGUMENT for NULL.  A
   result computed from poison has the code of that poison. */
TY_API ty_code ty_error_code(const ty_tensor *x);
/*
 * Describe the error of x as JSON, for tools: an object with "code" (the word of ty_code_name) and "message"; with
 * "function" and "place", the source line (ty_here), if they are known.
 *
 * "operands" lists the operands of the function that failed, if it recorded them: objects with "index" (from 1),
 * "dtype" and "shape", and with "name" and "place" if the operand has them.  Bytes of names that are not UTF-8 become
 * U+FFFD.  {"code": "none"} if x is not poisoned.  The caller frees the text with ty_free; NULL: out of memory.
 */
TY_API char *ty_error_details(const ty_tensor *x);
/* Return a poisoned tensor (a failed result that makes results computed from it fail too) with a message of the
   caller's, in printf's format; longer messages are cut to 1023 bytes.  Its code is TY_ERROR_USER. */
TY_API ty_tensor *ty_poison(const char *format, ...);
/* Return a poisoned tensor as ty_poison does, with a code.  TY_ERROR_NONE, or no code, becomes TY_ERROR_USER. */
TY_API ty_tensor *ty_poison_code(ty_code code, const char *format, ...);
/* Set the source file and line that are recorded in the tensors that this thread makes from now on.  With
   TY_PLACES defined, every call of a function that makes tensors sets its own.  `file` is kept, not copied, so
   pass a literal; NULL: unknown. */
TY_API void ty_here(const char *file, int line);
/* Write the source line that made x, such as "net.c:42", to `out` of `capacity` bytes, cut to fit, and return
   `out`; "" if the line is unknown, or if `out` is NULL or has no bytes. */
TY_API const char *ty_place_of(const ty_tensor *x, char *out, size_t capacity);

/* ---- inspection --------------------------------------------------------------------------------- */

/* Return the dtype of x; TY_F32 for poison and NULL. */
TY_API ty_dtype ty_dtype_of(const ty_tensor *x);
/* Return the number of axes of x; 0 for poison and NULL. */
TY_API int ty_rank(const ty_tensor *x);
/* Return the ty_rank(x) sizes of x, which live as long as x; of poison every axis, also rank - 1, is 0. */
TY_API const int64_t *ty_shape(const ty_tensor *x);
/* Return the ty_rank(x) strides of x in elements, which live as long as x; for a promise those of row-major order,
   for poison zeros, as for ty_shape. */
TY_API const int64_t *ty_strides(const ty_tensor *x);
/* Return the number of elements of x; 1 if the rank is 0, also for poison. */
TY_API int64_t ty_size(const ty_tensor *x);
/* Return true if x is a promise, a tensor that has not been computed; false for values and poison. */
TY_API bool ty_is_promise(const ty_tensor *x);
/* Return true if the elements of x lie in row-major order without gaps.  True for a promise and poison. */
TY_API bool ty_is_contiguous(const ty_tensor *x);
/* Set the name of x, and return x.  The name is copied; NULL removes it.  Errors, drawings and files show it.
   Returns poison where memory runs out, and x keeps its name then. */
TY_API ty_tensor *ty_named(ty_tensor *x, const char *name);
/* Return the name of x, "" if it has none or x is NULL.  The text lives until x is renamed or freed. */
TY_API const char *ty_name(const ty_tensor *x);

/* Return the address of the first element of x; strides are those of ty_strides.  New results are row-major without
   gaps, except in an order that ty_columns began.  Views have other strides: see ty_is_contiguous, ty_contiguous.  A
   promise is evaluated to row-major elements.  The memory lives as long as x, that of a promise as long as the scope.
   NULL if x is poisoned or empty, or if evaluation fails. */
TY_API const void *ty_data(ty_tensor *x);
/* Return the only element of x, of any rank, as a double (the real part of a complex one); a promise is evaluated.
   NaN if x is poisoned or has another size than 1. */
TY_API double ty_item(ty_tensor *x);
/* Copy all ty_size(x) elements of x, in row-major order and converted to `dtype`, to the caller's array `out`.
   A promise is evaluated.  False if x is poisoned, evaluation fails, `dtype` is none or `out` is NULL. */
TY_API bool ty_read(ty_tensor *x, ty_dtype dtype, void *out);

/* ---- printing, in NumPy's format ---- */

/* Number of digits after the point.  MAXPREC: as many as identify the number, at most `precision`.  FIXED: exactly
   `precision`.  UNIQUE: as many as identify the number.  MAXPREC_EQUAL: as MAXPREC, but the same number of digits
   for all elements. */
typedef enum ty_float_mode { TY_MAXPREC, TY_FIXED, TY_UNIQUE, TY_MAXPREC_EQUAL } ty_float_mode;

/* Options of printing.  A field of 0 means the last value given to ty_set_print_options on this thread, at first
   the default stated. */
typedef struct ty_print_options {
    int precision;      /* digits after the point; 0 means 8; negative: none */
    int threshold;      /* elements above which the middle is elided; 0 means 1000; INT_MAX: never */
    int edge_items;     /* elements shown at each end of an elided axis; 0 means 3 */
    int line_width;     /* columns of a line; 0 means 75 */
    bool suppress;      /* print small numbers as 0 instead of using exponents */
    char sign;          /* '-': sign of negative numbers only; '+': of all; ' ': blank before others ['-'] */
    ty_float_mode mode; /* [TY_MAXPREC] */
    const char *nan_text; /* text of NaN, at most 15 bytes ["nan"] */
    const char *inf_text; /* text of infinity, at most 15 bytes ["inf"] */
} ty_print_options;

TY_API void ty_set_print_options_sized(const ty_print_options *options, size_t size);
/* Set the defaults of printing for this thread: the values that stand for zeros in ty_print_options.  Zeros
   restore NumPy's defaults; nothing fails.  Texts are copied. */
TY_INLINE void ty_set_print_options(ty_print_options options) {
    ty_set_print_options_sized(&options, sizeof options);
}
TY_API void ty_print_options_now_sized(ty_print_options *options, size_t size);
/* Write the defaults of printing of this thread to *options; no field but `suppress` and `mode` is 0.  Its texts live
   until the next ty_set_print_options of this thread. */
TY_INLINE void ty_print_options_now(ty_print_options *options) {
    ty_print_options_now_sized(options, sizeof *options);
}

/* Describe x in lines of text: dtype, shape, strides, bytes, offset, number of tensors that share the memory,
   promise or tracked, name; "error: " and the message for poison and NULL.  Nothing is evaluated.  The caller
   frees the text with ty_free; NULL: out of memory. */
TY_API char *ty_info(const ty_tensor *x);

TY_API char *ty_format_sized(ty_tensor *x, const ty_print_options *options, size_t size);
/* Format the elements of x as text, or "error: " and the message for poison and NULL; a promise is evaluated.
   Zero fields of the options stand for the thread's defaults.  The caller frees the text with ty_free; NULL:
   out of memory. */
TY_INLINE char *ty_format(ty_tensor *x, ty_print_options options) {
    return ty_format_sized(x, &options, sizeof options);
}
/* Print x to `file` as ty_format does with this thread's defaults, and a line end.  False, with errno set, if
   it could not be written or `file` is NULL. */
TY_API bool ty_print(FILE *file, ty_tensor *x);
/* Free memory that a function of the library has returned to the caller.  NULL is allowed and does nothing. */
TY_API void ty_free(void *memory);

/* ---- engines and threads ---- */

/* Choose the engine that runs the kernels of this thread: "cpu", "ref" (naive: the reference), "null" (computes
   nothing), or a device such as "opencl:0".  False, and no change, if there is no engine or device of that name or it is
   NULL. */
TY_API bool ty_use_engine(const char *name);
/* Return the name of this thread's engine or device.  Never NULL; static text. */
TY_API const char *ty_engine_name(void);
/* Return x with its elements in the memory of `device`: "cpu" (the host's memory), or a device of an engine such as
   "opencl:0".  Operators on the result compute on that device, and operands that ty_to has not moved are copied there.
   Operands that ty_to moved to different devices are an error.  x a promise: a promise.  Gradients flow. */
TY_API ty_tensor *ty_to(ty_tensor *x, const char *device);
/* Return the name of the device that ty_to has chosen for x or its operands; else of the one that alone has its elements,
   or for a promise the thread's.  "cpu" is the host's memory; "" for poison and NULL.  Owned by the library. */
TY_API const char *ty_on(const ty_tensor *x);
/* Wait for all work on a device, such as "opencl:0"; NULL: on that of the thread's engine.  False if some of it has
   failed, with poison that says why in *error, unless `error` is NULL. */
TY_API bool ty_sync(const char *device, ty_tensor **error);
/* Set the number of threads on which the process runs kernels.  More than 1024 count as 1024.  0 or less
   restores the default: TY_NUM_THREADS, else OMP_NUM_THREADS, else the available processors. */
TY_API void ty_set_threads(int n);
/* Return the number of threads that a kernel may use, at least 1. */
TY_API int ty_threads(void);
/*
 * Limit the scratch memory of one contraction (product, convolution or gradient of one) to `bytes`, over all threads.
 *
 * Counts copies and partial sums of contractions prepared from now on; constants that a program packs are reported
 * apart and do not count.  0 restores the default: TY_WORKSPACE, else no limit, which means twice the second-level
 * cache for each thread.  For products it is a quarter of the third-level cache of all threads if that is more.
 *
 * Fewer bytes mean smaller blocks, fewer copies and at last fewer threads; results stay bitwise the same.  If even the
 * smallest block does not fit, it is used all the same; ty_program_report and ty_contraction_plan_workspace tell the
 * bytes.
 */
TY_API void ty_set_workspace(int64_t bytes);
/* Return the limit of scratch memory of one contraction in bytes; 0 means no limit. */
TY_API int64_t ty_workspace(void);
/* Return the instruction set in use: "avx512", "avx2", "base" or, on ARM, "neon".  The variable TY_ISA of the
   environment chooses a lesser one.  Static text. */
TY_API const char *ty_isa(void);
/* Describe faults of the environment variables that begin with TY_, one line each: invalid values,
   which count as not set, and names that resemble a known one.  "" if nothing is wrong.  The text lives until
   the next call on this thread. */
TY_API const char *ty_environment_error(void);

#ifdef __cplusplus
}
#endif

#include <tyto/typed.h>
#ifdef TY_TYPED
#define ty_read(x, ...) TY_TYPED_CALL_(TY_TYPED_READ_(x, __VA_ARGS__))
#endif
#endif
