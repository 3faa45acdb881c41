/* Functions of strings and locales that msvcrt lacks. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

char *strndup(const char *text, size_t most) {
    size_t n = strnlen(text, most);
    char *copy = malloc(n + 1);
    if (!copy) return NULL;
    copy[n] = 0;
    return memcpy(copy, text, n);
}

char *strcasestr(const char *text, const char *part) {
    size_t n = strlen(part);
    for (; strlen(text) >= n; text++)
        if (!_strnicmp(text, part, n)) return (char *)(uintptr_t)text;
    return NULL;
}

void *memmem(const void *bytes, size_t n, const void *part, size_t length) {
    const char *at = bytes;
    for (size_t i = 0; length <= n && i <= n - length; i++)
        if (!memcmp(at + i, part, length)) return (char *)(uintptr_t)(at + i);
    return NULL;
}

/* ---- locales ---- */

/* Texts are UTF-8, unless the variables of POSIX ask for plain ones. */
char *nl_langinfo(nl_item item) {
    static char utf8[] = "UTF-8", ascii[] = "ANSI_X3.4-1968", none[] = "";
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (item != CODESET) return none;
    for (int i = 0; i < 3; i++) {
        const char *name = getenv(variables[i]);
        if (name && *name) return strcmp(name, "C") && strcmp(name, "POSIX") ? utf8 : ascii;
    }
    return utf8;
}

static const char plain[] = "C";
static SRWLOCK lock = SRWLOCK_INIT; /* guards the rest */
static int users;                   /* calls that need the locale of numbers changed */
static char kept[256];              /* its name before the first of them */

locale_t newlocale(int mask, const char *name, locale_t base) {
    (void)base;
    return mask == LC_ALL_MASK && strcmp(name, plain) ? NULL : plain;
}

locale_t uselocale(locale_t locale) {
    locale_t before = NULL;
    if (locale != kept && locale != plain) return NULL;
    AcquireSRWLockExclusive(&lock);
    if (locale == kept) {
        if (--users == 0) setlocale(LC_NUMERIC, kept);
    } else if (users > 0) {
        users++;
        before = kept;
    } else if (strcmp(localeconv()->decimal_point, ".") != 0) {
        const char *name = setlocale(LC_NUMERIC, NULL);
        if (name && strlen(name) < sizeof kept) {
            strcpy(kept, name);
            setlocale(LC_NUMERIC, plain);
            users = 1;
            before = kept;
        }
    }
    ReleaseSRWLockExclusive(&lock);
    return before;
}
