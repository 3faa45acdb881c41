/*
 * Makes golden plans, and compares them with a file or writes it.
 *
 *   plans FILE            prints the lines that differ; exits 1 if there are any
 *   plans FILE --accept   writes FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "tests/plans/plans.h"

static bool add_part(struct text *to, const struct plan_case *c, const ty_contraction *part, int number,
                     int machine) {
    static ty_contraction made; /* static, since it has some kilobytes */
    struct contract_machine m;
    struct fault fault = {0};
    made = *part;
    memcpy(made.constant, c->constant, sizeof made.constant);
    plans_machine(machine, &made, &m);
    if (!contraction_optimise(&made, &m, &fault) || !contraction_check(&made, &fault)) {
        fprintf(stderr, "plans: %s, %s: %s\n", c->name, plans_machine_name(machine), fault.text);
        return false;
    }
    text_add(to, "%s", c->name);
    if (number) text_add(to, " #%d", number + 1);
    text_add(to, " | %s | ", plans_machine_name(machine));
    plans_describe(&made, to);
    text_add(to, "\n");
    return true;
}

static bool add_case(void *context, const struct plan_case *c) {
    struct contraction_parts parts;
    struct contract_operand operands[3];
    struct arena arena = {0};
    struct fault fault = {0};
    for (int i = 0; i < 3; i++) operands[i] = (struct contract_operand){c->dtype[i], &c->rooms[i].layout};
    bool ok = contraction_lower(&parts, &c->attr, operands, &arena, &fault);
    if (!ok) fprintf(stderr, "plans: %s: %s\n", c->name, fault.text);
    for (int i = 0; ok && i < parts.n; i++)
        for (int m = 0; ok && m < PLAN_MACHINES; m++) ok = add_part(context, c, &parts.items[i], i, m);
    arena_drop(&arena);
    return ok;
}

/* Return the contents of a file; NULL: no such file, or out of memory. */
static char *read_file(const char *path) {
    struct text text = {0};
    char room[4096];
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    for (size_t n; (n = fread(room, 1, sizeof room, file)) > 0;) text_add_bytes(&text, room, n);
    fclose(file);
    text_add(&text, "%s", "");
    return text_take(&text);
}

static bool write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    bool ok = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0) ok = false;
    if (!ok) fprintf(stderr, "plans: cannot write %s\n", path);
    return ok;
}

int main(int argc, char **argv) {
    struct text text = {0};
    bool accept = argc == 3 && strcmp(argv[2], "--accept") == 0;
    if (argc != 2 && !accept) {
        fprintf(stderr, "plans FILE [--accept]\n");
        return 2;
    }
    text_add(&text, "%s", plans_head);
    if (!plans_cases(add_case, &text)) return 2;
    char *now = text_take(&text), *was = read_file(argv[1]);
    if (!now) return 2;
    bool same = was && strcmp(was, now) == 0;
    if (!same && plans_compare(was ? was : "", now) == 0) printf("the words at the head differ\n");
    if (accept)
        same = same || write_file(argv[1], now);
    else if (!same)
        printf("./dev plans --accept writes tests/plans.txt\n");
    mem_free(now);
    mem_free(was);
    return same ? 0 : 1;
}
