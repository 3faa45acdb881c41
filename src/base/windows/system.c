/* The machine, processes, libraries, the environment. */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <windows.h>
#include <psapi.h>
#include "base/windows/names.h"

/* ---- the machine ---- */

long sysconf(int name) {
    SYSTEM_INFO facts;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    GetSystemInfo(&facts);
    if (name == _SC_PAGESIZE) return (long)facts.dwPageSize;
    if (name == _SC_NPROCESSORS_ONLN) return (long)facts.dwNumberOfProcessors;
    if (name != _SC_PHYS_PAGES || !GlobalMemoryStatusEx(&memory)) return errno = EINVAL, -1;
    return (long)(memory.ullTotalPhys / facts.dwPageSize);
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set) {
    DWORD_PTR ours, all;
    if (process || bytes < sizeof *set) return errno = EINVAL, -1;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all)) return names_fail();
    set->bits = ours;
    return 0;
}

int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set) {
    if (process || bytes < sizeof *set) return errno = EINVAL, -1;
    return SetProcessAffinityMask(GetCurrentProcess(), set->bits) ? 0 : names_fail();
}

int getrusage(int who, struct rusage *usage) {
    PROCESS_MEMORY_COUNTERS facts = {.cb = sizeof facts};
    enum { KIB = 1024 };
    if (who != RUSAGE_SELF) return errno = EINVAL, -1;
    if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &facts, sizeof facts)) return names_fail();
    *usage = (struct rusage){.ru_maxrss = (long)(facts.PeakWorkingSetSize / KIB),
                             .ru_minflt = (long)facts.PageFaultCount};
    return 0;
}

/* ---- processes ---- */

pid_t fork(void) { return errno = ENOSYS, -1; }

int kill(pid_t process, int number) {
    if (number) return errno = EINVAL, -1;
    HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process);
    DWORD why = GetLastError();
    bool ended = handle && WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
    if (handle) CloseHandle(handle);
    if (handle && !ended) return 0;
    errno = !handle && why == ERROR_ACCESS_DENIED ? EPERM : ESRCH;
    return -1;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    static void (*volatile handlers[NSIG])(int);
    bool known = number == SIGINT || number == SIGTERM || number == SIGABRT || number == SIGFPE ||
                 number == SIGSEGV || number == SIGILL;
    if (!known) return errno = EINVAL, -1;
    if (before) *before = (struct sigaction){.sa_handler = handlers[number]};
    if (!action) return 0;
    if (signal(number, action->sa_handler) == SIG_ERR) return -1;
    handlers[number] = action->sa_handler;
    return 0;
}

/* ---- libraries ---- */

static _Thread_local char message[128]; /* of dlerror; "": none */

static void *refuse(const char *name) {
    snprintf(message, sizeof message, "%.80s: error %lu of Windows", name, GetLastError());
    return NULL;
}

void *dlopen(const char *path, int flags) {
    static const char *const names[][2] = {{"libOpenCL.so.1", "OpenCL.dll"}};
    struct wide_name wide;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(path, names[i][0])) path = names[i][1];
    bool placed = strpbrk(path, "/\\");
    if (!(placed ? names_wide : names_text)(path, &wide)) return refuse(path);
    for (wchar_t *c = wide.at; *c; c++)
        if (*c == L'/') *c = L'\\';
    if (flags & RTLD_NOLOAD) {
        HMODULE loaded = NULL;
        return GetModuleHandleExW(0, wide.at, &loaded) ? loaded : refuse(path);
    }
    /* a name without a folder is not looked for in the current one */
    DWORD where = placed ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    HMODULE library = LoadLibraryExW(wide.at, NULL, where);
    return library ? library : refuse(path);
}

void *dlsym(void *library, const char *name) {
    FARPROC found = GetProcAddress(library, name);
    void *address = NULL;
    memcpy(&address, &found, sizeof address);
    return address ? address : refuse(name);
}

int dlclose(void *library) { return FreeLibrary(library) ? 0 : (refuse("FreeLibrary"), -1); }

char *dlerror(void) {
    static _Thread_local char told[sizeof message];
    if (!*message) return NULL;
    strcpy(told, message);
    *message = 0;
    return told;
}

/* msvcrt calls functions of its own list while all threads run.  A list of the library's own, which atexit of mingw-w64
   uses, is called when Windows has ended the other threads, or has locked its loader. */
int windows_atexit(void (*function)(void)) {
    HMODULE self, runtime = GetModuleHandleW(L"msvcrt.dll");
    FARPROC found = runtime ? GetProcAddress(runtime, "_onexit") : NULL;
    _onexit_t (*list)(_onexit_t) = NULL, listed;
    wchar_t *address = NULL;
    memcpy(&list, &found, sizeof list);
    memcpy(&listed, &function, sizeof listed);
    memcpy(&address, &function, sizeof address);
    DWORD how = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    return !list || !GetModuleHandleExW(how, address, &self) || !list(listed);
}

/* ---- the environment ---- */

/* A value that windows_getenv has returned, which is never freed. */
struct variable {
    struct variable *next;
    const char *name;
    char value[];
};
static struct variable *variables;
static SRWLOCK lock = SRWLOCK_INIT;

/* Return the variable's value in UTF-16, to be freed; NULL: it is not set. */
static wchar_t *ask(const wchar_t *name) {
    DWORD room = GetEnvironmentVariableW(name, NULL, 0);
    wchar_t *value = room ? calloc(room, sizeof *value) : NULL;
    if (value && GetEnvironmentVariableW(name, value, room) < room) return value;
    free(value);
    return NULL;
}

/* Return the stored value that equals this one, or a new one.  The lock is held. */
static char *store(const char *name, const wchar_t *value) {
    int n = WideCharToMultiByte(CP_UTF8, 0, value, -1, NULL, 0, NULL, NULL);
    size_t length = strlen(name) + 1;
    struct variable *v = n > 0 ? malloc(sizeof *v + (size_t)n + length) : NULL;
    if (!v) return NULL;
    WideCharToMultiByte(CP_UTF8, 0, value, -1, v->value, n, NULL, NULL);
    for (struct variable *old = variables; old; old = old->next)
        if (!strcmp(old->name, name) && !strcmp(old->value, v->value)) return free(v), old->value;
    v->name = memcpy(v->value + n, name, length);
    v->next = variables;
    variables = v;
    return v->value;
}

char *windows_getenv(const char *name) {
    static const char *const others[][2] = {{"TMPDIR", "TEMP"}, {"HOME", "USERPROFILE"}};
    struct wide_name wide;
    wchar_t *value = names_text(name, &wide) ? ask(wide.at) : NULL;
    for (size_t i = 0; !value && i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i][0]) && names_text(others[i][1], &wide)) value = ask(wide.at);
    if (!value) return NULL;
    AcquireSRWLockExclusive(&lock);
    char *stored = store(name, value);
    ReleaseSRWLockExclusive(&lock);
    free(value);
    return stored;
}

/* Return text in UTF-16, to be freed.  It may be longer than a path, and "/dev/null" stays.  NULL with errno. */
static wchar_t *widened(const char *text) {
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (!n) return errno = EILSEQ, NULL;
    wchar_t *out = calloc((size_t)n, sizeof *out);
    if (out) MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, n);
    return out;
}

int setenv(const char *name, const char *value, int overwrite) {
    struct wide_name wide;
    if (!*name || strchr(name, '=')) return errno = EINVAL, -1;
    if (!overwrite && windows_getenv(name)) return 0;
    wchar_t *text = names_text(name, &wide) ? widened(value) : NULL;
    if (!text) return -1;
    int outcome = SetEnvironmentVariableW(wide.at, text) ? 0 : names_fail();
    free(text);
    return outcome;
}

int unsetenv(const char *name) {
    struct wide_name wide;
    if (!*name || strchr(name, '=')) return errno = EINVAL, -1;
    if (!names_text(name, &wide)) return -1;
    return SetEnvironmentVariableW(wide.at, NULL) || GetLastError() == ERROR_ENVVAR_NOT_FOUND ? 0
                                                                                              : names_fail();
}
