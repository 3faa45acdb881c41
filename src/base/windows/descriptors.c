/* Locks, flags, waiting and positions of descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>
#include <winternl.h>
#include "base/windows/names.h"

/* Return the handle of a descriptor; NULL with errno if it is closed. */
static HANDLE handle_of(int file) {
    HANDLE handle = file < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(file);
    if (handle != INVALID_HANDLE_VALUE && handle != (HANDLE)-2) return handle;
    errno = EBADF;
    return NULL;
}

/* LockFileEx refuses all access of others to the bytes, so the byte lies behind any file's end. */
int flock(int file, int how) {
    OVERLAPPED at = {.OffsetHigh = 0x40000000};
    HANDLE handle = handle_of(file);
    if (!handle) return -1;
    if (how & LOCK_UN) return UnlockFileEx(handle, 0, 1, 0, &at) ? 0 : names_fail();
    DWORD flags = how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0;
    if (how & LOCK_NB) flags |= LOCKFILE_FAIL_IMMEDIATELY;
    return LockFileEx(handle, flags, 0, 1, 0, &at) ? 0 : names_fail();
}

/* Return O_RDONLY, O_WRONLY or O_RDWR, by the rights of the handle. */
static int access_of(HANDLE handle) {
    PUBLIC_OBJECT_BASIC_INFORMATION facts;
    if (NtQueryObject(handle, ObjectBasicInformation, &facts, sizeof facts, NULL)) return O_RDWR;
    bool reads = facts.GrantedAccess & FILE_READ_DATA;
    bool writes = facts.GrantedAccess & (FILE_WRITE_DATA | FILE_APPEND_DATA);
    return reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY;
}

int names_copy(int descriptor) {
    int copy = _dup(descriptor);
    if (copy >= 0) _setmode(copy, _O_BINARY);
    return copy;
}

int fcntl(int file, int command, ...) {
    HANDLE handle = handle_of(file);
    if (!handle) return -1;
    if (command == F_GETFD) return 0;
    if (command == F_GETFL) return access_of(handle);
    if (command == F_DUPFD_CLOEXEC) return names_copy(file);
    errno = EINVAL;
    return -1;
}

int pipe(int ends[2]) { return _pipe(ends, 1 << 16, _O_BINARY); }

int fsync(int file) {
    struct stat facts;
    HANDLE handle = handle_of(file);
    if (!handle || fstat(file, &facts)) return -1;
    if (S_ISDIR(facts.st_mode)) return errno = EINVAL, -1;
    return FlushFileBuffers(handle) ? 0 : names_fail();
}

ssize_t pread(int file, void *out, size_t bytes, off_t offset) {
    enum { MOST = 1 << 30 }; /* ReadFile counts in 32 bits */
    OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
    HANDLE handle = handle_of(file);
    DWORD count = 0;
    if (!handle) return -1;
    if (ReadFile(handle, out, bytes < MOST ? (DWORD)bytes : MOST, &count, &at)) return (ssize_t)count;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : names_fail();
}

/* Return the events of a descriptor among the wanted ones. */
static short events_of(const struct pollfd *p) {
    DWORD bytes = 0;
    HANDLE handle = p->fd < 0 ? NULL : handle_of(p->fd);
    if (!handle) return p->fd < 0 ? 0 : POLLNVAL; /* a negative descriptor is skipped */
    if (!(p->events & POLLIN) || GetFileType(handle) != FILE_TYPE_PIPE) return p->events & (POLLIN | POLLOUT);
    if (!PeekNamedPipe(handle, NULL, 0, NULL, &bytes, NULL)) return POLLIN | POLLHUP; /* reading tells why */
    return bytes ? POLLIN : 0;
}

int poll(struct pollfd *list, nfds_t n, int milliseconds) {
    for (ULONGLONG end = GetTickCount64() + (ULONGLONG)(milliseconds < 0 ? 0 : milliseconds);; Sleep(1)) {
        int ready = 0;
        for (nfds_t i = 0; i < n; i++) ready += (list[i].revents = events_of(&list[i])) != 0;
        if (ready || (milliseconds >= 0 && GetTickCount64() >= end)) return ready;
    }
}

/* ---- consoles ---- */

int windows_isatty(int file) {
    DWORD mode;
    HANDLE handle = handle_of(file);
    return handle && GetConsoleMode(handle, &mode);
}

int ioctl(int file, int request, ...) {
    CONSOLE_SCREEN_BUFFER_INFO facts;
    HANDLE handle = handle_of(file);
    if (!handle) return -1;
    if (request != TIOCGWINSZ || !GetConsoleScreenBufferInfo(handle, &facts)) return errno = ENOTTY, -1;
    va_list rest;
    va_start(rest, request);
    struct winsize *size = va_arg(rest, struct winsize *);
    va_end(rest);
    *size = (struct winsize){.ws_row = (unsigned short)(facts.srWindow.Bottom - facts.srWindow.Top + 1),
                             .ws_col = (unsigned short)(facts.srWindow.Right - facts.srWindow.Left + 1)};
    return 0;
}
