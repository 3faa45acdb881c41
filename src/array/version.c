/* The version of the library that runs. */
#include <tyto/core.h>

#define QUOTED(x) #x
#define TEXT(major, minor, patch) QUOTED(major) "." QUOTED(minor) "." QUOTED(patch)

const char *ty_version(void) { return TEXT(TY_VERSION_MAJOR, TY_VERSION_MINOR, TY_VERSION_PATCH); }

bool ty_version_at_least(int major, int minor, int patch) {
    if (major != TY_VERSION_MAJOR) return major < TY_VERSION_MAJOR;
    if (minor != TY_VERSION_MINOR) return minor < TY_VERSION_MINOR;
    return patch <= TY_VERSION_PATCH;
}
