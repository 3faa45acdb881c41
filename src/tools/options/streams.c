/* Descriptors in the place of files. */
#include "tools/options/streams.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/input.h"
#include "tools/command.h"
#include "tools/options/message.h"

enum { MOST_NOTED = 64 }; /* bits of `noted`; shells number substitutions from 63 downwards */
static uint64_t noted;

int stream_descriptor(const char *text) {
    static const char folder[] = "/dev/fd/";
    size_t n = strcspn(text, ":[");
    if ((n == 1 && *text == '-') || (n == strlen("/dev/stdin") && !strncmp(text, "/dev/stdin", n)))
        return STDIN_FILENO;
    if (strncmp(text, folder, strlen(folder)) != 0) return -1;
    char *end;
    long number = strtol(text + strlen(folder), &end, 10);
    return end == text + n && number >= 0 && number < MOST_NOTED ? (int)number : -1;
}

void stream_note(const char *text) {
    int descriptor = stream_descriptor(text);
    if (descriptor >= 0) noted |= UINT64_C(1) << descriptor;
}

/* Return true if readers can use a descriptor as it is: a file at its beginning, or a folder. */
static bool seeks(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status)) return false;
    return S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && lseek(descriptor, 0, SEEK_CUR) == 0);
}

bool streams_keep(uint64_t most) {
    for (int i = 0; i < MOST_NOTED; i++) {
        char name[32];
        struct fault fault = {0};
        if (!(noted >> i & 1) || seeks(i)) continue;
        text_print(name, sizeof name, i ? "/dev/fd/%d" : "the standard input", i);
        if (!stream_keep(i, name, most, &fault)) return complain_fault(&fault) == EXIT_SUCCESS;
    }
    return true;
}

void streams_guard(void) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF) /* open takes the least free number: i */
            (void)!open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
