/*
 * Included first in every unit on Windows (CMakeLists.txt).  The tree is written for POSIX.  The headers in posix/ add the
 * parts that mingw-w64 lacks, and this folder implements them by Windows' own functions:
 *
 *   names.c        names in UTF-8, absolute paths, errors as errno
 *   files.c        open, stat, rename, ...: names in UTF-8, binary contents, files that are renamed while they are open
 *   folders.c      lists of folders, temporary files
 *   descriptors.c  flock, fcntl, poll, pread
 *   memory.c       mmap, aligned blocks
 *   system.c       processors, memory, processes, libraries, the environment, exits
 *   text.c         functions of strings, locales
 *   mathematics.c  fma and sqrt with one rounding
 *   circular.c     sin, cos and tan of long doubles; complex.c: functions of complex ones
 *   program.c      arguments in UTF-8, streams without translation of lines
 */
#ifndef BASE_WINDOWS_POSIX_H
#define BASE_WINDOWS_POSIX_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define FOLDER_SEPARATORS "/\\"
/* The attribute `format` means msvcrt's formats, but mingw-w64's printf reads those of C99 (__USE_MINGW_ANSI_STDIO). */
#define format(kind, text, first) format(__gnu_##kind##__, text, first)
#endif
