/* Prints the difference of two files of plans: the lines that a change affects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/plans/plans.h"

/* The parts of a line: contraction and machine; the plan; and the time, which may change for an equal
   plan. */
struct line {
    const char *key, *plan, *time, *end;
};

/* Return the line at *at, without a key if invalid, and advance *at to the next. */
static struct line read_line(const char **at) {
    struct line l = {.key = *at, .end = strchr(*at, '\n')};
    if (!l.end) l.end = *at + strlen(*at);
    *at = *l.end ? l.end + 1 : l.end;
    const char *first = memchr(l.key, '|', (size_t)(l.end - l.key));
    l.plan = first ? memchr(first + 1, '|', (size_t)(l.end - first - 1)) : NULL;
    for (l.time = l.end; l.plan && l.time > l.plan && *l.time != '|';) l.time--;
    if (*l.key == '#' || !l.plan || l.time == l.plan) l.key = NULL;
    return l;
}

static bool equal(const char *a, const char *a_end, const char *b, const char *b_end) {
    return a_end - a == b_end - b && memcmp(a, b, (size_t)(a_end - a)) == 0;
}

/* Find the line with an equal key, searching from *hint on and around; *hint is set after it. No key: not
   found. */
static struct line find(const char *text, const char **hint, const struct line *like) {
    for (int round = 0; round < 2; round++)
        for (const char *at = round ? text : *hint; *at;) {
            struct line l = read_line(&at);
            if (!l.key || !equal(l.key, l.plan, like->key, like->plan)) continue;
            *hint = at;
            return l;
        }
    return (struct line){.key = NULL};
}

static void show(const char *sign, const struct line *l) {
    printf("  %s%.*s\n", sign, (int)(l->end - l->plan - 1), l->plan + 1);
}

static double time_of(const struct line *l) { return strtod(l->time + 1, NULL); }

struct tally {
    long lines, plans, times, gone;
    double least, most; /* range of the ratios new / old of times with an equal plan */
};

static void compare_line(struct tally *t, const char *old, const char **hint, const struct line *now) {
    struct line was = find(old, hint, now);
    t->lines++;
    if (was.key && equal(was.plan, was.end, now->plan, now->end)) return;
    if (was.key && equal(was.plan, was.time, now->plan, now->time)) {
        double ratio = time_of(&was) > 0 ? time_of(now) / time_of(&was) : 1;
        if (!t->times++ || ratio < t->least) t->least = ratio;
        if (t->times == 1 || ratio > t->most) t->most = ratio;
        return;
    }
    t->plans++;
    printf("%.*s\n", (int)(now->plan - now->key), now->key);
    if (was.key) show("-", &was);
    show("+", now);
}

/* Print the lines that no longer exist. */
static void list_gone(struct tally *t, const char *old, const char *new) {
    const char *hint = new;
    for (const char *at = old; *at;) {
        struct line l = read_line(&at);
        if (!l.key || find(new, &hint, &l).key) continue;
        t->gone++;
        printf("%.*s\n", (int)(l.plan - l.key), l.key);
        show("-", &l);
    }
}

long plans_compare(const char *old, const char *new) {
    struct tally t = {0};
    const char *hint = old;
    for (const char *at = new; *at;) {
        struct line now = read_line(&at);
        if (now.key) compare_line(&t, old, &hint, &now);
    }
    list_gone(&t, old, new);
    printf("%ld of %ld plans differ", t.plans, t.lines);
    if (t.gone) printf(", %ld are gone", t.gone);
    if (t.times)
        printf("; %ld are the same, predicted to take %.3g to %.3g times as long", t.times, t.least, t.most);
    printf("\n");
    return t.plans + t.gone + t.times;
}
