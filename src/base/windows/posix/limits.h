/* limits.h of GCC and mingw-w64, and the parts that they lack. */
#include_next <limits.h>
#ifndef NAME_MAX
#define NAME_MAX 765 /* bytes of 255 units of UTF-16 */
#endif
#undef PATH_MAX
#define PATH_MAX 4096
