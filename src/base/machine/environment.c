#include "base/machine/environment.h"
#include <errno.h>
#include <stdlib.h>

const char *environment_value(const struct environment_row *row) {
    const char *value = getenv(row->name);
    return value && *value && row->allows(value) ? value : NULL;
}

bool environment_number(const char *value, int64_t most, int64_t *number) {
    char *end;
    if (*value < '0' || *value > '9') return false;
    errno = 0;
    long long n = strtoll(value, &end, 10);
    *number = n;
    return !errno && !*end && n <= most;
}

bool environment_switch(const char *value) { return !value[1] && (*value == '0' || *value == '1'); }
