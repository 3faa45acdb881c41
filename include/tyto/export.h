/* TY_API marks the functions that the shared library exports; all others are hidden.  TY_INLINE marks functions that
   headers define: programs contain them, and they call an exported one. */
#ifndef TYTO_EXPORT_H
#define TYTO_EXPORT_H
#if defined(_WIN32) && defined(TY_BUILDING)
#define TY_API __declspec(dllexport)
#elif defined(__GNUC__)
#define TY_API __attribute__((visibility("default")))
#else
#define TY_API
#endif
#define TY_INLINE static inline
#endif
