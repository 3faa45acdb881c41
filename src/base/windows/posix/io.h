/* io.h of mingw-w64 without its old names of functions that POSIX leaves to programs. */
#ifndef WINDOWS_IO_H
#define WINDOWS_IO_H
#define eof windows_eof
#define filelength windows_filelength
#define locking windows_locking
#define setmode windows_setmode
#define tell windows_tell
#include_next <io.h>
#undef eof
#undef filelength
#undef locking
#undef setmode
#undef tell
#endif
