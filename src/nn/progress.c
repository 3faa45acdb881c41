/*
 * One line that is redrawn in place.  Nothing but a carriage return and blanks is used: no colours, no cursor
 * codes, so NO_COLOR has nothing to forbid; a dumb terminal or a file gets nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <tyto/nn.h>
#include <unistd.h>

enum { BAR = 24 };

static bool can_draw(FILE *file) {
    const char *term = getenv("TERM");
    return file && isatty(fileno(file)) && term && strcmp(term, "dumb");
}

bool ty_progress_draw(void *context, ty_moment now) {
    ty_progress *p = context;
    bool last = now.step >= now.steps;
    if (!can_draw(p->file) || (now.seconds - p->drawn < 0.1 && !last)) return true;
    p->drawn = now.seconds;
    char bar[BAR + 1];
    int full = now.steps > 0 ? (int)(BAR * now.step / now.steps) : BAR;
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(full > BAR ? BAR : full));
    bar[BAR] = 0;
    double left = (double)(now.steps - now.step) * now.ms / 1e3;
    char line[160];
    int n = snprintf(line, sizeof line, "[%s] %lld/%lld  loss %.4f  %.1f ms/step  %d:%02d left", bar,
                     (long long)now.step, (long long)now.steps, now.loss, now.ms, (int)(left / 60),
                     (int)left % 60);
    fprintf(p->file, "\r%-*s", p->width, line);
    fflush(p->file);
    p->width = n;
    return true;
}

void ty_progress_end(ty_progress *p) {
    if (!p->width) return;
    fprintf(p->file, "\r%*s\r", p->width, "");
    fflush(p->file);
    p->width = 0;
}
