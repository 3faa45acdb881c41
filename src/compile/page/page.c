/*
 * Programs as self-contained HTML pages: page.html with the program's data inserted. The page's script does
 * layout and drawing.
 */
#include <string.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "compile/page/page.h"
#include "compile/program.h"
#include "compile/show/describe.h"
#include "compile/watch/profile.h"

static const char marked[] = "@DATA@"; /* placeholder for the data in the template */

/* Append the counts and times of a compilation report to t, as a JSON object. */
static void add_report(struct text *t, const ty_report *r) {
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
#define REPORT(member, key) {#member, r->member},
#include "compile/report.def"
    };
    text_add(t, "\"report\":{");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        text_add(t, "\"%s\":%lld,", rows[i].name, (long long)rows[i].value);
    text_add(t, "\"compile_ms\":%.3f}", r->compile_ms);
}

/* Append the number of rows and the total time of the profile (NULL: nothing) as a JSON field. */
static void add_profile(struct text *t, const ty_profile *profile) {
    double ms = 0;
    int n = ty_profile_count(profile);
    for (int i = 0; i < n; i++) {
        ty_profile_row row;
        ty_profile_at(profile, i, &row);
        ms += row.ms;
    }
    if (profile) text_add(t, ",\n\"profile\":{\"rows\":%d,\"ms\":%.6g}", n, ms);
}

/* Append all data of the page to t, as JSON: report, errors, graphs, passes, kernels and plans. `flops` and
   `bytes` are the machine's rates per second. */
static void add_data(struct text *t, const ty_program *p, struct page *page, double flops, double bytes) {
    ty_report report = program_report(p);
    text_add(t, "{\"tyto_page\":1,\"engine\":\"%s\",", p->engine ? p->engine->name : "");
    add_report(t, &report);
    if (p->broken.set) text_add(t, ",\n\"error\":");
    if (p->broken.set) describe_json(t, p->broken.text);
    if (flops > 0 || bytes > 0)
        text_add(t, ",\n\"peaks\":[%.6g,%.6g]", flops > 0 ? flops : 0, bytes > 0 ? bytes : 0);
    add_profile(t, page->profile);
    text_add(t, ",\n\"flow\":");
    if (p->broken.set)
        text_add(t, "null");
    else
        page_flow(t, &p->flow, &p->plan, page);
    if (p->story.text.length && !p->broken.set) {
        text_add(t, ",\n\"graph\":{");
        text_add_bytes(t, p->story.text.data, p->story.text.length);
        text_add(t, "}");
    }
    text_add(t, ",\n\"plans\":[");
    if (page->plans.length) text_add_bytes(t, page->plans.data, page->plans.length);
    text_add(t, "]}");
    t->failed |= page->plans.failed;
}

static bool find_rows(struct page *page) {
    for (int i = 0; i < ty_profile_count(page->profile); i++) {
        ty_profile_row row;
        ty_profile_at(page->profile, i, &row);
        if (!map_put(&page->rows, profile_key(row.name), i, NULL)) return false;
    }
    return true;
}

char *ty_program_html(const ty_program *program, const ty_profile *profile, double flops, double bytes) {
    FLOATING_DEFAULT;
    const char *template = (const char *)page_template, *place = strstr(template, marked);
    struct page page = {.profile = profile};
    struct text t = {.failed = !place};
    t.failed |= !find_rows(&page);
    if (place) {
        text_add_bytes(&t, template, (size_t)(place - template));
        add_data(&t, program_of(program), &page, flops, bytes);
        text_add(&t, "%s", place + sizeof marked - 1);
    }
    map_drop(&page.rows);
    map_drop(&page.plan_of);
    text_drop(&page.plans);
    return text_take(&t);
}
