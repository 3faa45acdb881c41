/*
 * A progress line that is redrawn in place, with nothing but carriage return and blanks, so NO_COLOR does not
 * apply. Dumb terminals and files get nothing. The line stays within the terminal's width, or each drawing
 * would begin a new line.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <tyto/nn.h>
#include <unistd.h>
#include "base/math/scalar.h"
#include "base/text.h"

enum { BAR = 24, BAR_LEAST = 4, LINE = 160 };

static bool can_draw(FILE *file) {
    const char *term = getenv("TERM");
    return file && isatty(fileno(file)) && term && strcmp(term, "dumb");
}

/* Return the usable columns of the terminal `file`: one less than its width, as writing the last one wraps
   on some, and at most LINE - 1. 79 if it is unknown. */
static int columns_of(FILE *file) {
    struct winsize size = {0};
    bool known = !ioctl(fileno(file), TIOCGWINSZ, &size) && size.ws_col > 0;
    return known && size.ws_col < LINE ? size.ws_col - 1 : known ? LINE - 1 : 79;
}

/* Write a bar "[####....] " of the units done to `line`, which has room for `room` bytes and the final 0.
   Return its length, or 0, with nothing written, if there is no space for a useful bar. */
static int add_bar(char *line, int room, int64_t done, int64_t total) {
    int width = room < BAR + 3 ? room - 3 : BAR;
    if (width < BAR_LEAST) return 0;
    int full = total > 0 && done < total ? (int)(width * ((double)done / (double)total)) : width;
    line[0] = '[';
    memset(line + 1, '.', (size_t)width);
    memset(line + 1, '#', (size_t)full);
    memcpy(line + 1 + width, "] ", 3);
    return width + 3;
}

/* Draw a line of a bar of done / total units, which is left out if the total is 0, and the words. */
static void draw(ty_progress *p, int64_t done, int64_t total, const char *words) {
    char line[LINE];
    int columns = columns_of(p->file),
        bar = total > 0 ? add_bar(line, columns - (int)strlen(words), done, total) : 0;
    snprintf(line + bar, sizeof line - (size_t)bar, "%s", words);
    line[columns] = 0;
    fprintf(p->file, "\r%-*s", p->width < columns ? p->width : columns, line);
    fflush(p->file);
    p->width = (int)strlen(line);
}

bool ty_progress_report(void *progress, const ty_progress_state *now) {
    ty_progress *p = progress;
    char words[LINE];
    if (!p || !now || !can_draw(p->file)) return true;
    if (now->ended) {
        ty_progress_end(p);
        return true;
    }
    int n = text_print(words, sizeof words, "%.40s  ", now->what ? now->what : "");
    if (now->total > 0)
        n += text_print(words + n, sizeof words - (size_t)n, "%lld/%lld  ", (long long)now->done,
                        (long long)now->total);
    else if (now->done > 0)
        n += text_print(words + n, sizeof words - (size_t)n, "%lld  ", (long long)now->done);
    text_print(words + n, sizeof words - (size_t)n, "%.1f s", now->seconds);
    draw(p, now->done, now->total, words);
    return true;
}

bool ty_progress_draw(void *context, const ty_moment *now) {
    ty_progress *p = context;
    bool last = now && now->step >= now->steps;
    if (!p || !now || !can_draw(p->file) || (now->seconds - p->drawn < 0.1 && !last)) return true;
    p->drawn = now->seconds;
    double left = (double)(now->steps - now->step) * now->ms / 1e3;
    char words[LINE];
    text_print(words, sizeof words, "%lld/%lld  loss %.4f  %.1f ms/step  %.0f:%02d left",
               (long long)now->step, (long long)now->steps, now->loss, now->ms, floor(left / 60),
               (int)math_fmod(left, 60));
    draw(p, now->step, now->steps > 0 ? now->steps : 1, words);
    return true;
}

void ty_progress_end(ty_progress *p) {
    if (!p || !p->file || !p->width) return;
    fprintf(p->file, "\r%*s\r", p->width, "");
    fflush(p->file);
    p->width = 0;
}
