/* Files are opened so that others may rename and remove them meanwhile, as on POSIX. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>
#include "base/windows/names.h"

enum { ALL_SHARE = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static HANDLE handle_of(int file) { return (HANDLE)_get_osfhandle(file); }

/* ---- facts ---- */

/* Return a time of Windows, in units of 100 ns since 1601. */
static struct timespec time_of(FILETIME when) {
    const int64_t units = 10000000, begin = 11644473600; /* units in a second; seconds from 1601 to 1970 */
    int64_t all = (int64_t)((uint64_t)when.dwHighDateTime << 32 | when.dwLowDateTime);
    return (struct timespec){.tv_sec = all / units - begin, .tv_nsec = (long)(all % units * 100)};
}

/* Return true if the open file is a symbolic link or a junction. */
static bool is_link(HANDLE file) {
    FILE_ATTRIBUTE_TAG_INFO tag;
    return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) &&
           tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT &&
           (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

/* Describe an open file.  Rights of others are unknown to this interface, so there are none. */
static int describe(HANDLE file, struct stat *out) {
    BY_HANDLE_FILE_INFORMATION facts;
    *out = (struct stat){.st_nlink = 1};
    DWORD type = GetFileType(file);
    if (type != FILE_TYPE_DISK) {
        if (type == FILE_TYPE_UNKNOWN && GetLastError()) return names_fail();
        out->st_mode = type == FILE_TYPE_PIPE ? S_IFIFO | 0600 : S_IFCHR | 0600;
        return 0;
    }
    if (!GetFileInformationByHandle(file, &facts)) {
        LARGE_INTEGER size; /* Wine tells no more of a file that a process of POSIX has opened */
        if (!GetFileSizeEx(file, &size)) return names_fail();
        out->st_mode = S_IFREG | 0600;
        out->st_size = size.QuadPart;
        return 0;
    }
    bool folder = facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    out->st_dev = facts.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)facts.nFileIndexHigh << 32 | facts.nFileIndexLow;
    out->st_mode = (mode_t)(is_link(file) ? S_IFLNK | 0700 : folder ? S_IFDIR | 0700 : S_IFREG | 0600);
    if (facts.dwFileAttributes & FILE_ATTRIBUTE_READONLY && !folder) out->st_mode &= (mode_t)~0200;
    out->st_nlink = (int)facts.nNumberOfLinks;
    out->st_size = (int64_t)((uint64_t)facts.nFileSizeHigh << 32 | facts.nFileSizeLow);
    out->st_mtim = time_of(facts.ftLastWriteTime);
    return 0;
}

/* Describe the file of a path, or (`links`) a link itself. */
static int describe_path(const char *path, struct stat *out, bool links) {
    struct wide_name name;
    int descriptor = names_descriptor(path);
    if (descriptor >= 0) return fstat(descriptor, out);
    if (names_device_folder(path)) {
        *out = (struct stat){.st_mode = S_IFDIR | 0500, .st_nlink = 1};
        return 0;
    }
    if (!names_wide(path, &name)) return -1;
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (links ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    HANDLE file = CreateFileW(name.at, FILE_READ_ATTRIBUTES, ALL_SHARE, NULL, OPEN_EXISTING, flags, NULL);
    if (file == INVALID_HANDLE_VALUE) return names_fail();
    int outcome = describe(file, out);
    CloseHandle(file);
    return outcome;
}

int windows_stat(const char *path, struct stat *out) { return describe_path(path, out, false); }
int lstat(const char *path, struct stat *out) { return describe_path(path, out, true); }

int windows_fstat(int file, struct stat *out) {
    HANDLE handle = handle_of(file);
    if (handle == INVALID_HANDLE_VALUE || handle == (HANDLE)-2) return errno = EBADF, -1;
    return describe(handle, out);
}

int fstatat(int folder, const char *name, struct stat *out, int flags) {
    char path[PATH_MAX];
    return names_join(folder, name, path) < 0 ? -1 : describe_path(path, out, flags & AT_SYMLINK_NOFOLLOW);
}

int windows_access(const char *path, int mode) {
    struct stat facts;
    if (windows_stat(path, &facts)) return -1;
    if (!(mode & W_OK) || S_ISDIR(facts.st_mode) || facts.st_mode & 0200) return 0;
    return errno = EACCES, -1;
}

int futimens(int file, const struct timespec times[2]) {
    FILETIME now;
    if (times) return errno = EINVAL, -1;
    GetSystemTimeAsFileTime(&now);
    return SetFileTime(handle_of(file), NULL, NULL, &now) ? 0 : names_fail();
}

char *realpath(const char *path, char *out) {
    struct wide_name name;
    if (names_device_folder(path)) return strcpy(out, path);
    if (!*path) return errno = ENOENT, NULL;
    if (!names_wide(path, &name)) return NULL;
    HANDLE file = CreateFileW(name.at, 0, ALL_SHARE, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE) return names_fail(), NULL;
    int n = names_of_handle(file, out, PATH_MAX);
    CloseHandle(file);
    return n < 0 ? NULL : out;
}

ssize_t readlink(const char *path, char *out, size_t bytes) {
    int descriptor = strncmp(path, "/dev/fd/", 8) ? names_descriptor(path) : -1;
    if (descriptor < 0) return errno = EINVAL, -1;
    int n = snprintf(out, bytes, "/dev/fd/%d", descriptor);
    return n < (int)bytes ? n : (ssize_t)bytes;
}

/* ---- opening ---- */

static DWORD rights_of(int flags) {
    if (flags & O_DIRECTORY) return FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES;
    int how = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    return how == O_RDONLY   ? GENERIC_READ | FILE_WRITE_ATTRIBUTES
           : how == O_WRONLY ? GENERIC_WRITE | FILE_READ_ATTRIBUTES
                             : GENERIC_READ | GENERIC_WRITE;
}

static DWORD creation_of(int flags) {
    if (!(flags & O_CREAT)) return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
    return flags & O_EXCL ? CREATE_NEW : flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
}

/* Open a file.  The right to set its time, for futimens, is left out if it is refused. */
static HANDLE open_handle(const wchar_t *name, int flags) {
    static const DWORD spare[] = {0, FILE_WRITE_ATTRIBUTES};
    bool inherited = !(flags & O_CLOEXEC);
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = inherited};
    DWORD how = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS;
    if (flags & O_NOFOLLOW) how |= FILE_FLAG_OPEN_REPARSE_POINT;
    HANDLE file = INVALID_HANDLE_VALUE;
    for (int i = 0; i < 2 && file == INVALID_HANDLE_VALUE; i++) {
        file = CreateFileW(name, rights_of(flags) & ~spare[i], ALL_SHARE, &inherit, creation_of(flags), how,
                           NULL);
        DWORD why = GetLastError();
        if (why != ERROR_ACCESS_DENIED && why != ERROR_SHARING_VIOLATION && why != ERROR_INVALID_PARAMETER)
            break;
    }
    return file;
}

/* Refuse a folder as a file, a file as a folder, and a link that must not be followed. */
static bool is_wanted(HANDLE file, int flags) {
    struct stat facts;
    if (describe(file, &facts)) return false;
    int why = flags & O_NOFOLLOW && S_ISLNK(facts.st_mode)                      ? ELOOP
              : flags & O_DIRECTORY && !S_ISDIR(facts.st_mode)                  ? ENOTDIR
              : flags & (O_WRONLY | O_RDWR | O_CREAT) && S_ISDIR(facts.st_mode) ? EISDIR
                                                                                : 0;
    if (why) errno = why;
    return !why;
}

int windows_open(const char *path, int flags, ...) {
    struct wide_name name;
    int descriptor = names_descriptor(path);
    if (descriptor >= 0) return names_copy(descriptor);
    if (!names_wide(path, &name)) return -1;
    HANDLE handle = open_handle(name.at, flags);
    if (handle == INVALID_HANDLE_VALUE) return names_fail();
    if (!is_wanted(handle, flags)) return CloseHandle(handle), -1;
    int kept = flags & (O_RDONLY | O_WRONLY | O_RDWR | O_APPEND | _O_NOINHERIT);
    int file = _open_osfhandle((intptr_t)handle, kept | _O_BINARY);
    if (file < 0) CloseHandle(handle);
    return file;
}

int openat(int folder, const char *name, int flags, ...) {
    char path[PATH_MAX];
    return names_join(folder, name, path) < 0 ? -1 : windows_open(path, flags);
}

FILE *windows_fopen(const char *path, const char *mode) {
    bool update = strchr(mode, '+');
    int flags = *mode == 'r' ? 0 : *mode == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    flags |= update ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    if (strchr(mode, 'e')) flags |= O_CLOEXEC;
    if (strchr(mode, 'x')) flags |= O_EXCL;
    int file = windows_open(path, flags);
    if (file < 0) return NULL;
    char plain[] = {*mode, 'b', update ? '+' : 0, 0};
    FILE *stream = _fdopen(file, plain);
    if (!stream) _close(file);
    return stream;
}

/* ---- changing folders ---- */

/* Rename over a file that others may have open, as NTFS can since Windows 10; false: this system cannot. */
static bool rename_over(const wchar_t *from, const wchar_t *to) {
    enum { REPLACE = 1, POSIX_SEMANTICS = 2, RENAME_EX = 22 }; /* FileRenameInfoEx */
    struct {
        DWORD flags;
        HANDLE root;
        DWORD bytes;
        wchar_t name[PATH_MAX];
    } how = {.flags = REPLACE | POSIX_SEMANTICS};
    size_t n = wcslen(to);
    if (n >= PATH_MAX) return false;
    how.bytes = (DWORD)(n * sizeof *to);
    wcscpy(how.name, to);
    HANDLE file =
        CreateFileW(from, DELETE, ALL_SHARE, NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file == INVALID_HANDLE_VALUE) return false;
    bool done = SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)RENAME_EX, &how, sizeof how);
    CloseHandle(file);
    return done;
}

int windows_rename(const char *from, const char *to) {
    struct wide_name old, new, whole;
    if (!names_wide(from, &old) || !names_wide(to, &new)) return -1;
    DWORD n = GetFullPathNameW(new.at, PATH_MAX, whole.at, NULL);
    if (n && n < PATH_MAX && rename_over(old.at, whole.at)) return 0;
    return MoveFileExW(old.at, new.at, MOVEFILE_REPLACE_EXISTING) ? 0 : names_fail();
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    char old[PATH_MAX], new[PATH_MAX];
    if (names_join(from_folder, from, old) < 0 || names_join(to_folder, to, new) < 0) return -1;
    return windows_rename(old, new);
}

int windows_unlink(const char *path) {
    struct wide_name name;
    if (!names_wide(path, &name)) return -1;
    return DeleteFileW(name.at) ? 0 : names_fail();
}

int unlinkat(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    if (flags) return errno = EINVAL, -1;
    return names_join(folder, name, path) < 0 ? -1 : windows_unlink(path);
}

int windows_rmdir(const char *path) {
    struct wide_name name;
    if (!names_wide(path, &name)) return -1;
    return RemoveDirectoryW(name.at) ? 0 : names_fail();
}

int windows_remove(const char *path) {
    struct stat facts;
    if (lstat(path, &facts)) return -1;
    return S_ISDIR(facts.st_mode) ? windows_rmdir(path) : windows_unlink(path);
}

int symlink(const char *target, const char *path) {
    struct wide_name to, name;
    enum { UNPRIVILEGED = 2 };
    if (!names_wide(target, &to) || !names_wide(path, &name)) return -1;
    return CreateSymbolicLinkW(name.at, to.at, UNPRIVILEGED) ? 0 : names_fail();
}

int windows_mkdir(const char *path, mode_t mode) {
    struct wide_name name;
    (void)mode; /* rights are those of the folder above */
    if (!names_wide(path, &name)) return -1;
    if (CreateDirectoryW(name.at, NULL)) return 0;
    names_fail();
    struct stat facts; /* drives exist, although they are refused for another reason */
    if (errno != EEXIST && !windows_stat(path, &facts)) errno = EEXIST;
    return -1;
}
