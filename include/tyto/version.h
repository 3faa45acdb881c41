/* The version of these headers, and the mark of deprecated functions.  The build, the packages and the name of the
   shared library take the version from here.  Part of <tyto/core.h>. */
#ifndef TYTO_VERSION_H
#define TYTO_VERSION_H

#define TY_VERSION_MAJOR 0
#define TY_VERSION_MINOR 1
#define TY_VERSION_PATCH 0

/* Versions as numbers, for the preprocessor: 1.2.3 is 1002003. */
#define TY_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define TY_VERSION TY_VERSION_NUMBER(TY_VERSION_MAJOR, TY_VERSION_MINOR, TY_VERSION_PATCH)
/* True if these headers are of the given version or a later one: #if TY_VERSION_AT_LEAST(0, 2, 0).
   ty_version_at_least asks the library that runs. */
#define TY_VERSION_AT_LEAST(major, minor, patch) (TY_VERSION >= TY_VERSION_NUMBER(major, minor, patch))

/* Marks a function that will be removed; the compiler warns with `instead`, a sentence that names the replacement.
   Without the warnings: define TY_NO_DEPRECATED before the headers.  docs/stability.md states the terms. */
#if defined(TY_NO_DEPRECATED)
#define TY_DEPRECATED(instead)
#elif defined(__GNUC__)
#define TY_DEPRECATED(instead) __attribute__((deprecated(instead)))
#elif defined(_MSC_VER)
#define TY_DEPRECATED(instead) __declspec(deprecated(instead))
#else
#define TY_DEPRECATED(instead)
#endif
#endif
