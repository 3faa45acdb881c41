#include "base/windows/names.h"
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include "base/files/folders.h"

/* Errors of Windows and the numbers of errno that say the same. */
static const struct {
    DWORD windows;
    int posix;
} errors[] = {{ERROR_FILE_NOT_FOUND, ENOENT},    {ERROR_PATH_NOT_FOUND, ENOENT},
              {ERROR_INVALID_DRIVE, ENOENT},     {ERROR_BAD_PATHNAME, ENOENT},
              {ERROR_INVALID_NAME, ENOENT},      {ERROR_BAD_NETPATH, ENOENT},
              {ERROR_BAD_NET_NAME, ENOENT},      {ERROR_MOD_NOT_FOUND, ENOENT},
              {ERROR_FILE_EXISTS, EEXIST},       {ERROR_ALREADY_EXISTS, EEXIST},
              {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},  {ERROR_DIRECTORY, ENOTDIR},
              {ERROR_DISK_FULL, ENOSPC},         {ERROR_HANDLE_DISK_FULL, ENOSPC},
              {ERROR_INVALID_HANDLE, EBADF},     {ERROR_INVALID_PARAMETER, EINVAL},
              {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_OUTOFMEMORY, ENOMEM},
              {ERROR_COMMITMENT_LIMIT, ENOMEM},  {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
              {ERROR_BROKEN_PIPE, EPIPE},        {ERROR_NO_DATA, EPIPE},
              {ERROR_WRITE_PROTECT, EROFS},      {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
              {ERROR_NOT_SAME_DEVICE, EXDEV},    {ERROR_LOCK_VIOLATION, EAGAIN},
              {ERROR_NOT_SUPPORTED, EINVAL},     {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS},
              {ERROR_SHARING_VIOLATION, EBUSY},  {ERROR_ACCESS_DENIED, EACCES},
              {ERROR_DELETE_PENDING, EACCES},    {ERROR_PRIVILEGE_NOT_HELD, EPERM},
              {ERROR_USER_MAPPED_FILE, EBUSY},   {ERROR_CRC, EIO},
              {ERROR_MORE_DATA, ENAMETOOLONG},   {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG}};

int names_fail(void) {
    DWORD found = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].windows == found) errno = errors[i].posix;
    return -1;
}

bool names_text(const char *text, struct wide_name *out) {
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out->at, PATH_MAX)) return true;
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
    return false;
}

static bool is_separator(wchar_t c) { return c == L'/' || c == L'\\'; }

/* Windows takes paths of 260 units and folders of 248, and longer ones in its own form: absolute, with backslashes alone,
   behind a prefix.  AUX, COM1 and others are devices in each folder and with each ending: what is written to aux.npy is
   lost, and who reads it waits.  NUL is used on purpose. */
bool names_wide(const char *path, struct wide_name *out) {
    enum { LONG = 240 }; /* leaves room for the pattern of opendir */
    if (!strcmp(path, "/dev/null")) path = "NUL";
    if (!names_text(path, out)) return false;
    struct wide_name whole;
    DWORD n = GetFullPathNameW(out->at, PATH_MAX, whole.at, NULL);
    bool device = n && n < PATH_MAX && !wcsncmp(whole.at, L"\\\\.\\", 4);
    if (device && !(is_separator(out->at[0]) && is_separator(out->at[1])) && _wcsicmp(out->at, L"NUL"))
        return errno = ENODEV, false;
    if (n < LONG) return true;
    bool share = whole.at[0] == L'\\' && whole.at[1] == L'\\'; /* \\server\share is \\?\UNC\server\share */
    bool ready = share && whole.at[2] && wcschr(L"?.", whole.at[2]) && whole.at[3] == L'\\';
    const wchar_t *prefix = ready ? L"" : share ? L"\\\\?\\UNC" : L"\\\\?\\";
    size_t length = wcslen(prefix);
    if (!n || n + length >= PATH_MAX) return errno = ENAMETOOLONG, false;
    wcscpy(out->at, prefix);
    wcscpy(out->at + length, whole.at + (share && !ready));
    return true;
}

int names_narrow(const wchar_t *from, char *out, size_t room) {
    int n = WideCharToMultiByte(CP_UTF8, 0, from, -1, out, room < INT_MAX ? (int)room : INT_MAX, NULL, NULL);
    if (n) return n - 1;
    errno = ENAMETOOLONG;
    return -1;
}

int names_of_handle(void *handle, char *out, size_t room) {
    struct wide_name wide;
    DWORD n = GetFinalPathNameByHandleW(handle, wide.at, PATH_MAX, 0);
    if (!n) return names_fail();
    if (n >= PATH_MAX) return errno = ENAMETOOLONG, -1;
    wchar_t *from = wide.at;
    if (!wcsncmp(from, L"\\\\?\\UNC\\", 8)) /* \\?\UNC\server\share is //server/share */
        *(from += 6) = L'\\';
    else if (!wcsncmp(from, L"\\\\?\\", 4))
        from += 4;
    int bytes = names_narrow(from, out, room);
    for (char *c = out; bytes >= 0 && *c; c++)
        if (*c == '\\') *c = '/';
    return bytes;
}

int names_join(int folder, const char *name, char out[PATH_MAX]) {
    int n = 0;
    *out = 0;
    if (folder != AT_FDCWD && !folders_absolute(name)) {
        n = names_of_handle((void *)_get_osfhandle(folder), out, PATH_MAX);
        if (n < 0) return -1;
        if (n && out[n - 1] != '/' && n + 1 < PATH_MAX) out[n++] = '/';
    }
    if ((size_t)n + strlen(name) >= PATH_MAX) return errno = ENAMETOOLONG, -1;
    strcpy(out + n, name);
    return n + (int)strlen(name);
}

int names_descriptor(const char *path) {
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(path, streams[i])) return i;
    if (strncmp(path, "/dev/fd/", 8) != 0 || path[8] < '0' || path[8] > '9') return -1;
    char *end;
    long number = strtol(path + 8, &end, 10);
    return *end ? -1 : (int)number;
}

bool names_device_folder(const char *path) { return !strcmp(path, "/dev") || !strcmp(path, "/dev/fd"); }
