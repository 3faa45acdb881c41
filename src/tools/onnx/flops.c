/* One run, node by node, with a profile of each node. */
#include "tools/onnx/flops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/profile.h>
#include "base/alloc.h"
#include "base/context/stop.h"
#include "onnx/api.h"
#include "tools/onnx/programs.h"
#include "tools/onnx/run_inputs.h"
#include "tools/onnx/tally.h"
#include "tools/onnx/use.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

/* Return the operations since the profile began, and begin another one. */
static double operations(struct tally *s) {
    double flops = 0;
    ty_profile_row row;
    ty_profile *profile = ty_profile_stop();
    s->failed = s->failed || !profile;
    for (int i = 0; i < ty_profile_count(profile); i++) {
        ty_profile_at(profile, i, &row);
        flops += row.flops;
    }
    ty_profile_free(profile);
    ty_profile_start();
    return flops;
}

static void after(void *context, const struct proto_node *node, const struct onnx_value *outputs) {
    struct tally *s = context;
    (void)outputs;
    tally_add(s, node, operations(s));
}

static void print_shares(struct tally *s) {
    say("operations: %.4g (a multiplication with an addition counts two)\n", s->all);
    result_number("operations", s->all);
    tally_sort(s);
    for (int64_t i = 0; i < s->n && s->items[i].amount > 0; i++) {
        say("  %9.4g ", s->items[i].amount);
        tally_say(s->items[i].domain, s->items[i].name);
        say("\n");
    }
}

/* Append " --size NAME=N" for the size of an axis, unless the words have it. */
static void add_option(char *words, size_t room, const ty_onnx_port *port, int axis) {
    struct text t = {0};
    size_t n = strlen(words);
    text_add(&t, " --size ");
    if (*port->symbols[axis])
        text_add_visible(&t, port->symbols[axis]);
    else
        text_add_visible(&t, port->name), text_add(&t, ".%d", axis);
    text_add(&t, "=N");
    char *one = text_take(&t);
    if (one && !strstr(words, one) && n + strlen(one) < room) memcpy(words + n, one, strlen(one) + 1);
    mem_free(one);
}

/* Return true if all open sizes are given, else print the options that give the others. */
static bool sizes_given(const ty_onnx *model, const struct option_list *sizes) {
    char words[1024] = "";
    bool given = true;
    ty_onnx_port port;
    for (int i = 0; ty_onnx_input(model, i, &port); i++)
        for (int axis = 0; axis < port.rank; axis++)
            if (port.shape[axis] < 0 && !form_size_given(&port, axis, sizes)) {
                add_option(words, sizeof words, &port, axis);
                given = false;
            }
    const char *first = strstr(words, "=N");
    if (!given) say("operations:%s count%s them\n", words, first && strstr(first + 1, "=N") ? "" : "s");
    return given;
}

/* Run node by node for at most `seconds`.  Print the reason of a failure; false after a message on stderr: the command
   must stop. */
static bool run(ty_onnx *model, double seconds, struct arena *arena, const struct onnx_value *inputs,
                struct onnx_value *outputs, struct tally *s, bool *counted) {
    struct fault fault = {0}, stopped = {0};
    const struct onnx_watch watch = {after, s};
    bool drawn;
    deadline_within(seconds);
    ty_profile_start();
    *counted = use_run(model, USE_EAGER, inputs, arena, &watch, outputs, &drawn, &fault);
    ty_profile_free(ty_profile_stop());
    deadline_within(INFINITY);
    if (!stop_check_thread(&stopped)) return complain_fault(&stopped) == EXIT_SUCCESS;
    if (!*counted && fault.code == E_TIMEOUT)
        say("operations: not counted in %g s; --seconds allows more\n", seconds);
    else if (!*counted)
        say("operations: not counted: %s\n", fault.text);
    return true;
}

/* Draw inputs, run, and print the operations and the programs. */
static bool count(ty_onnx *model, const struct option_list *sizes, double seconds, struct tally *s) {
    struct arena arena = {0};
    struct onnx_value *inputs = arena_array(&arena, (size_t)ty_onnx_inputs(model) + 1, sizeof *inputs);
    struct onnx_value *outputs = arena_array(&arena, (size_t)ty_onnx_outputs(model) + 1, sizeof *outputs);
    bool well = inputs && outputs, all = true, counted = false;
    if (!well) complain("out of memory");
    ty_scope *scope = ty_open();
    ty_onnx_port port;
    for (int i = 0; well && all && ty_onnx_input(model, i, &port); i++)
        all = run_input_draw(&port, sizes, i, &arena, &inputs[i]);
    if (!all) say("operations: not counted, as inputs cannot be drawn\n");
    if (well && all) well = run(model, seconds, &arena, inputs, outputs, s, &counted);
    if (s->failed) well = complain("out of memory") == EXIT_SUCCESS;
    if (well && counted) {
        print_shares(s);
        well = programs_print(model, inputs, &arena, outputs);
    }
    ty_close(scope);
    arena_drop(&arena);
    return well;
}

bool flops_print(ty_onnx *model, const struct option_list *sizes, double seconds) {
    struct tally s = {0};
    ty_onnx_port port;
    for (int i = 0; ty_onnx_input(model, i, &port); i++)
        if (port.kind != TY_ONNX_TENSOR || port.dtype >= TY_DTYPES || port.rank < 0 ||
            port.rank > TY_MAX_RANK) {
            say("operations: not counted, as inputs cannot be drawn\n");
            return true;
        }
    if (!sizes_given(model, sizes)) return true;
    bool well = count(model, sizes, seconds, &s);
    mem_free(s.items);
    return well;
}
