/* Logs of trainings, continued when a training is resumed. */
#define _POSIX_C_SOURCE 200809L
#include "tools/train/log.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "array/number_read.h"
#include "base/files/in_place.h"
#include "tools/command.h"
#include "tools/options/message.h"

enum { MOST_LINE = 80 }; /* most bytes of a line, which has two numbers */

/* Parse a line such as "12 0.25", which must end with a line break, into *step and *loss; false if it is
   invalid. */
static bool read_line(const char *line, int64_t *step, double *loss) {
    struct number number, value;
    size_t n = strcspn(line, " "), m = line[n] ? strcspn(line + n + 1, "\n") : 0;
    if (!n || !m || number_read(line, n, &number) != n || !number.whole || number.negative ||
        number.size > INT64_MAX)
        return false;
    if (number_read(line + n + 1, m, &value) != m || line[n + 1 + m] != '\n') return false;
    *step = (int64_t)number.size;
    *loss = value.value;
    return true;
}

/* Read past the lines of steps up to `done` (included), adding them to the curve unless that is NULL; *end
   receives the file offset behind them. An incomplete last line, as of a killed process, is ignored.
   Return false after a message on stderr if the file is no log. */
static bool pass(FILE *file, const char *path, int64_t done, struct curve *curve, long *end) {
    char line[MOST_LINE];
    int64_t step, number = 1;
    double loss;
    for (*end = 0; fgets(line, sizeof line, file); *end = ftell(file), number++) {
        bool whole = strchr(line, '\n');
        if (!whole && feof(file)) break;
        if (!whole || !read_line(line, &step, &loss)) {
            complain("%s: line %lld: expected a step and its loss; this log cannot be continued, so choose "
                     "another file",
                     path, (long long)number);
            return false;
        }
        if (step > done) break;
        if (curve) curve_add(curve, step, loss);
    }
    return true;
}

static FILE *lost(const char *path, FILE *file) {
    complain_code(TY_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    if (file) fclose(file);
    return NULL;
}

FILE *log_open(const char *path, bool resumed, int64_t step, struct curve *curve) {
    long end = 0;
    if (in_place_is(path)) {
        int in_place = in_place_open(path);
        FILE *file = in_place >= 0 ? fdopen(in_place, "w") : NULL;
        if (!file && in_place >= 0) close(in_place);
        return file ? file : lost(path, NULL);
    }
    FILE *file = resumed ? fopen(path, "r+e") : NULL;
    if (!file) {
        if (resumed && errno != ENOENT) return lost(path, NULL);
        file = fopen(path, "we");
        return file ? file : lost(path, NULL);
    }
    if (!pass(file, path, step, curve, &end)) {
        fclose(file);
        return NULL;
    }
    if (fseek(file, end, SEEK_SET) || ftruncate(fileno(file), end)) return lost(path, file);
    return file;
}
