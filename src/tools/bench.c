/* tyto bench: measures an einsum of given sizes on this machine against the machine's peaks. */
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compile/passes.h"
#include "ops/core/kernel/kernel.h"
#include "ops/einsum/einsum.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/options/shapes.h"
#include "tools/roof.h"
#include "tools/timing.h"

struct settings {
    const char *equation;
    int dtype; /* 0, or 1 + a ty_dtype */
    struct option_list sizes;
    struct option_threads_list threads;
    int64_t rounds, memory, workspace;
};

/* An einsum that is measured. */
struct bench_problem {
    const struct settings *s;
    struct shapes of;
    ty_dtype dtype;
    ty_einsum_operand operands[MOST_OPERANDS];
    ty_tensor *x[MOST_OPERANDS];
    double bytes, written; /* bytes of operands and result; of the result */
};

/* Create p->x, the operands' values for their shapes, describe them in p->operands, and add their bytes to
   p->bytes; false after a message on stderr. */
static bool fill_operands(struct bench_problem *p) {
    for (int k = 0; k < p->of.equation.noperands; k++) {
        ty_einsum_operand *o = &p->operands[k];
        *o = (ty_einsum_operand){p->of.equation.operands[k].count, p->of.shapes[k], NULL};
        p->x[k] = shapes_fill(p->dtype, o->rank, o->shape, k);
        if (!ty_ok(p->x[k])) return complain_about(p->x[k], "%s", p->s->equation) == EXIT_SUCCESS;
        p->bytes += (double)ty_size(p->x[k]) * (double)ty_dtype_size(p->dtype);
    }
    return true;
}

/* ---- measuring ---- */

struct runs {
    struct bench_problem *p;
    ty_einsum_plan *plan;
};

/* Run the plan once, for timing, and wait for the engine; false after a message on stderr. context is the struct runs. */
static bool run_once(void *context) {
    const struct runs *r = context;
    ty_scope *scope = ty_open();
    ty_tensor *y = ty_einsum_plan_run(r->plan, r->p->of.equation.noperands, r->p->x);
    bool well = ty_ok(y) || complain_of(y) == EXIT_SUCCESS;
    ty_close(scope);
    return well && engine_wait();
}

/* Set *best to the time of one run of the plan in milliseconds, the fastest of the rounds, and raise *peak and *stream to
   the best samples of the machine's arithmetic and memory, taken between them; false after a message on stderr. */
static bool measure(struct bench_problem *p, ty_einsum_plan *plan, double *best, double *peak,
                    double *stream) {
    struct runs runs = {p, plan};
    struct timing timing = {0};
    if (!run_once(&runs)) return false;
    while (timing.rounds < p->s->rounds) {
        if (!timing_round(&timing, run_once, &runs)) return false;
        if (engine_current()->device) continue; /* the peaks are those of this machine's processors */
        *peak = fmax(*peak, roof_flops_sample(p->dtype, ty_threads()));
        *stream = fmax(*stream, roof_memory_sample(p->bytes - p->written, p->written, ty_threads()));
    }
    *best = timing.best;
    return true;
}

/* Return a new plan of the equation for the current number of threads, which the caller frees; NULL after a
   message on stderr. */
static ty_einsum_plan *prepare(struct bench_problem *p) {
    ty_einsum_plan *plan = ty_einsum_plan_new(p->s->equation, p->dtype, p->of.equation.noperands, p->operands,
                                              (ty_einsum_options){.memory = p->s->memory});
    if (!*ty_einsum_plan_error(plan)) return plan;
    COMPLAIN_FAILURE(ty_einsum_plan_failure(plan));
    ty_einsum_plan_free(plan);
    return NULL;
}

/* Print a line of the table: time `ms`, speed and transfer, with their shares of the rates `peak` (in
   flop/s) and `stream` (in bytes/s) unless these are 0. `flops` are those of one run. */
static void print_row(const struct bench_problem *p, double ms, double flops, double peak, double stream) {
    say("%7d %12s %10s", ty_threads(), shown((char[SHOWN]){0}, 4, ms),
        shown((char[SHOWN]){0}, 2, 1e-6 * flops / ms));
    if (peak > 0)
        say(" %6s %%", shown((char[SHOWN]){0}, 1, 100 * 1e3 * flops / ms / peak));
    else
        say(" %8s", "-");
    say(" %9s", shown((char[SHOWN]){0}, 2, 1e-6 * p->bytes / ms));
    if (stream > 0) say(" %6s %%", shown((char[SHOWN]){0}, 1, 100 * 1e3 * p->bytes / ms / stream));
    if (peak > 0) say("   peak %s GFLOP/s,", shown((char[SHOWN]){0}, 1, 1e-9 * peak));
    if (stream > 0) say(" stream %s GB/s", shown((char[SHOWN]){0}, 1, 1e-9 * stream));
    say("\n");
    fflush(stdout);
    result_open(NULL, '{');
    result_whole("threads", ty_threads());
    result_number("milliseconds", ms);
    result_number("flops", flops);
    result_number("bytes", p->bytes);
    result_number("peak", peak > 0 ? peak : NAN);
    result_number("stream", stream > 0 ? stream : NAN);
    result_close();
}

/* Set the number of threads, measure, and print one line of the table, with a plan of its own, as the loops
   depend on the threads; false after a message on stderr. */
static bool show_row(struct bench_problem *p, int threads) {
    ty_set_threads(threads);
    double ms, peak = engine_current()->device ? 0 : roof_flops(p->dtype, threads), stream = 0;
    ty_einsum_plan *plan = prepare(p);
    bool well = plan && measure(p, plan, &ms, &peak, &stream);
    if (well) {
        ty_einsum_report report;
        ty_einsum_plan_report(plan, &report);
        print_row(p, ms, report.flops, peak, stream);
    }
    ty_einsum_plan_free(plan);
    return well;
}

/* Print the table, a line for each requested number of threads, or for the present one; false after a
   message on stderr. */
static bool show(struct bench_problem *p) {
    int here = ty_threads();
    say("\n%7s %12s %10s %8s %9s %8s\n", "threads", "ms", "GFLOP/s", "of peak", "GB/s", "of stream");
    bool well = true;
    result_text("equation", p->s->equation);
    result_text("dtype", ty_dtype_name(p->dtype));
    result_open("runs", '[');
    if (!p->s->threads.n) well = show_row(p, here);
    for (int i = 0; i < p->s->threads.n && well; i++) well = show_row(p, p->s->threads.counts[i]);
    result_close();
    return well;
}

/* Print the path, which does not depend on threads, and add the result's bytes to p->bytes; false after a
   message on stderr. */
static bool show_path(struct bench_problem *p) {
    ty_einsum_plan *plan = prepare(p);
    if (!plan) return false;
    char *text = ty_einsum_plan_text(plan);
    say("%s", text ? text : "");
    ty_free(text);
    ty_scope *scope = ty_open();
    ty_tensor *y = ty_einsum_plan_run(plan, p->of.equation.noperands, p->x);
    p->written = ty_ok(y) ? (double)ty_size(y) * (double)ty_dtype_size(p->dtype) : 0;
    p->bytes += p->written;
    ty_close(scope);
    ty_einsum_plan_free(plan);
    return true;
}

/* Read the sizes of the letters and measure and print the einsum; false after a message on stderr. */
static bool bench(struct bench_problem *p) {
    struct arena arena = {0};
    bool well = shapes_read(&p->of, p->s->equation, &p->s->sizes, &arena) && fill_operands(p);
    well = well && show_path(p) && show(p);
    arena_drop(&arena);
    return well;
}

/* Run the command bench with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    const struct settings *s = given;
    static struct bench_problem p;
    if (!s->equation) {
        complain("an equation is missing; see tyto bench --help");
        return EXIT_USAGE;
    }
    p = (struct bench_problem){.s = s, .dtype = s->dtype ? (ty_dtype)(s->dtype - 1) : TY_F32};
    if (s->workspace) ty_set_workspace(s->workspace);
    ty_scope *scope = ty_open();
    bool well = bench(&p);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"EQUATION", &option_equation, AT(equation), "\"km,nk->nm\", or a tree \"[[k,m],[n,k]->[n,m]]\""},
    {"NAME=SIZE", &option_sizes, AT(sizes), "the size of an axis, for each letter"},
    {"--dtype", &option_dtype, AT(dtype), "use this dtype for all operands (f32)"},
    {"--threads", &option_threads, AT(threads),
     "measure these numbers of threads, such as 1,2 (all processors)"},
    {"--rounds", &option_count, AT(rounds), "measure N rounds, and report the fastest (7)"},
    {"--memory", &option_count, AT(memory), "limit the bytes of intermediate results (none)"},
    {"--workspace", &option_count, AT(workspace), "limit the bytes of workspace of one contraction (none)"},
    {0}};
static const struct settings defaults = {.rounds = 7};

const struct command command_bench = {
    .name = "bench",
    .doc = "Time an einsum of given sizes, and compare it with this machine's peak.",
    .details =
        "  tyto bench 'km,nk->nm' k=1600 m=1600 n=1600\n"
        "  tyto bench 'efbad,cf->abcde' a=48 b=36 c=24 d=36 e=48 f=36 --threads 1,2\n"
        "  tyto bench 'ij,jk,kl->il' i=10 j=1000 k=1000 l=10 --dtype f64\n"
        "\"peak\" is the speed of fused multiply-adds in registers.  \"stream\" is the speed of reading and\n"
        "writing as many bytes as the operands and the result have, in the caches if they fit.  Both are\n"
        "measured in the same run.  GB/s counts each operand and the result once.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .prints = true,
    .computes = true,
    .own_line = true};
