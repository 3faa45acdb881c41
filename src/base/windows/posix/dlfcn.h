/* Libraries that are opened at run time. */
#ifndef WINDOWS_DLFCN_H
#define WINDOWS_DLFCN_H

enum {
    RTLD_LAZY = 1,
    RTLD_NOW = 2,
    RTLD_LOCAL = 0,
    RTLD_GLOBAL = 256,
    RTLD_NOLOAD = 4,
    RTLD_NODELETE = 0x1000
};
/* Open a library by its path, or by its name on Linux: libOpenCL.so.1 is OpenCL.dll. */
void *dlopen(const char *path, int flags);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
/* Return the message of this thread's last failure once, then NULL. */
char *dlerror(void);
#endif
