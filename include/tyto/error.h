/* Codes of errors, for programs that decide by the kind of an error.  Part of <tyto/core.h>, which has the functions
   of poisoned tensors. */
#ifndef TYTO_ERROR_H
#define TYTO_ERROR_H

#include <tyto/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of errors; <tyto/tables/errors.def> describes each.  A later version may add codes, so treat an unknown one
   as an error of unknown kind.  The number of a code never changes. */
typedef enum ty_code {
#define ERROR_CODE(name, number, word, python, doc) TY_ERROR_##name = number,
#include <tyto/tables/errors.def>
    TY_CODES /* the number of codes */
} ty_code;

/* Return the word of a code, such as "shape"; "none" for TY_ERROR_NONE and "?" if the argument is no code.  Static
   text. */
TY_API const char *ty_code_name(ty_code code);

#ifdef __cplusplus
}
#endif
#endif
