/* complex.h of mingw-w64.  These functions of finite numbers are those of ../complex.c. */
#ifndef WINDOWS_COMPLEX_H
#define WINDOWS_COMPLEX_H
#include_next <complex.h>

long double _Complex windows_clogl(long double _Complex z);
long double _Complex windows_csinl(long double _Complex z);
long double _Complex windows_ccosl(long double _Complex z);
long double _Complex windows_ctanl(long double _Complex z);
long double _Complex windows_csinhl(long double _Complex z);
long double _Complex windows_ccoshl(long double _Complex z);
long double _Complex windows_ctanhl(long double _Complex z);
long double _Complex windows_casinl(long double _Complex z);
long double _Complex windows_cacosl(long double _Complex z);
long double _Complex windows_catanl(long double _Complex z);
long double _Complex windows_casinhl(long double _Complex z);
long double _Complex windows_cacoshl(long double _Complex z);
long double _Complex windows_catanhl(long double _Complex z);
#ifndef WINDOWS_COMPLEX
#define clogl windows_clogl
#define csinl windows_csinl
#define ccosl windows_ccosl
#define ctanl windows_ctanl
#define csinhl windows_csinhl
#define ccoshl windows_ccoshl
#define ctanhl windows_ctanhl
#define casinl windows_casinl
#define cacosl windows_cacosl
#define catanl windows_catanl
#define casinhl windows_casinhl
#define cacoshl windows_cacoshl
#define catanhl windows_catanhl
#endif
#endif
