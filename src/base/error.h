/* Short names of the codes of errors (tyto/error.h), one of which every sentence has. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H
#include <errno.h>
#include <tyto/error.h>

#define E_NONE TY_ERROR_NONE
#define E_MEMORY TY_ERROR_MEMORY
#define E_SHAPE TY_ERROR_SHAPE
#define E_DTYPE TY_ERROR_DTYPE
#define E_INDEX TY_ERROR_INDEX
#define E_ARGUMENT TY_ERROR_ARGUMENT
#define E_DOMAIN TY_ERROR_DOMAIN
#define E_SINGULAR TY_ERROR_SINGULAR
#define E_NOT_CONVERGED TY_ERROR_NOT_CONVERGED
#define E_FILE TY_ERROR_FILE
/* The code of a call of the system that failed and has set errno. */
#define E_ERRNO (errno == ENOMEM ? E_MEMORY : E_FILE)
#define E_FORMAT TY_ERROR_FORMAT
#define E_LIMIT TY_ERROR_LIMIT
#define E_INTERRUPTED TY_ERROR_INTERRUPTED
#define E_TIMEOUT TY_ERROR_TIMEOUT
#define E_DEVICE TY_ERROR_DEVICE
#define E_UNSUPPORTED TY_ERROR_UNSUPPORTED
#define E_STATE TY_ERROR_STATE
#define E_USER TY_ERROR_USER
#define E_INTERNAL TY_ERROR_INTERNAL

/* Return the code of an error found while a file is read: damaged contents, unless memory ran out. */
static inline ty_code code_of_contents(ty_code why) { return why == E_MEMORY ? why : E_FORMAT; }
#endif
