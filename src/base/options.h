/* Structs of options and of results, of programs whose headers are older or newer than the library. */
#ifndef TYTO_BASE_OPTIONS_H
#define TYTO_BASE_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include "base/text.h"
struct ty_tensor;

/* Copy the caller's struct `given` of `size` bytes into the library's own of known_size bytes.  Members that the
   caller lacks become 0, the default; NULL: all of them.  Bytes behind the known members must be 0.  False, with the
   fault set and the options all 0, if one is not, or if the size is 0 or above OPTIONS_BYTES.  `function` is the
   calling function's __func__, such as "ty_compile_sized", for the message. */
bool options_read(void *known, size_t known_size, const void *given, size_t size, const char *function,
                  struct fault *fault);

/* Write the library's struct of results to the caller's of `size` bytes, which may be shorter or longer; its further
   bytes become 0.  NULL, and a size above OPTIONS_BYTES: nothing is written. */
void options_write(void *to, size_t size, const void *known, size_t known_size);

/* Greatest size of a struct in bytes.  The largest of the library has less than 1 KiB, and bytes on top are read:
   a larger number is no sizeof, but a mistake. */
enum { OPTIONS_BYTES = 1 << 16 };

/* Return the length of a name of a function without its end "_sized". */
size_t options_name(const char *function);

/* True if the reserved members of a struct that cannot grow at its end are 0, as they must be.  Else sets the fault:
   `what` is the struct in words, such as "optimiser". */
bool options_unused(const void *unused, size_t bytes, const char *what, struct fault *fault);
#define OPTIONS_UNUSED(of, what, fault) options_unused((of)->unused, sizeof(of)->unused, what, fault)

/* Fill the struct `known` from given and size.  False, with the fault set, on failure. */
#define OPTIONS_READ(known, given, size, fault)                                                              \
    options_read(&(known), sizeof(known), given, size, __func__, fault)

/* Declare `name`, of `type`, and fill it from given and size.  On failure the function returns `failed`, an
   expression of options_fault, the fault. */
#define OPTIONS_OR(type, name, given, size, failed)                                                          \
    type name;                                                                                               \
    if (given && size == sizeof name) {                                                                      \
        name = *given;                                                                                       \
    } else {                                                                                                 \
        struct fault options_fault;                                                                          \
        fault_clear(&options_fault);                                                                         \
        if (!OPTIONS_READ(name, given, size, &options_fault)) return failed;                                 \
    }
/* The same in a function that returns a tensor, which is poison then. */
#define OPTIONS(type, name, given, size) OPTIONS_OR(type, name, given, size, tensor_fault(&options_fault))
/* The same in a function that returns `result`, a struct of tensors: all are poison then. */
#define OPTIONS_PARTS(result, type, name, given, size)                                                       \
    result options_failed;                                                                                   \
    OPTIONS_OR(type, name, given, size,                                                                      \
               (results_poisoned((int)(sizeof options_failed / sizeof(ty_tensor *)),                         \
                                 (ty_tensor **)(void *)&options_failed, tensor_fault(&options_fault)),       \
                options_failed))
/* Write `reason` to *error unless that is NULL.  Always return false. */
static inline bool options_told(struct ty_tensor **error, struct ty_tensor *reason) {
    if (error) *error = reason;
    return false;
}
/* The same in a function that returns false, with the reason in *error unless that is NULL. */
#define OPTIONS_ERROR(type, name, given, size, error)                                                        \
    OPTIONS_OR(type, name, given, size, options_told(error, tensor_fault(&options_fault)))
#endif
