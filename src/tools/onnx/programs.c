/* Programs of a run, and the nodes between them. */
#include "tools/onnx/programs.h"
#include <stdlib.h>
#include "base/alloc.h"
#include "base/context/stop.h"
#include "onnx/trace.h"
#include "tools/onnx/tally.h"
#include "tools/onnx/use.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

/* Count the programs of a chain, and the nodes at their ends: [1]: those that choose a graph. */
static int count_chain(const struct chain *chain, struct tally endings[2]) {
    int programs = 0;
    for (int i = 0; i < chain->nsegments; i++) {
        const struct segment *s = &chain->segments[i];
        programs += s->program != NULL;
        if (s->node) tally_add(&endings[s->chooses], s->node->proto, 1);
    }
    return programs;
}

static void print_endings(struct tally *t, const char *why) {
    tally_sort(t);
    for (int64_t i = 0; i < t->n; i++) {
        say("  %6.0f ", t->items[i].amount);
        tally_say(t->items[i].domain, t->items[i].name);
        say(" between them%s\n", why);
    }
}

bool programs_print(ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                    struct onnx_value *outputs) {
    struct fault fault = {0}, stopped = {0};
    struct tally endings[2] = {{0}, {0}};
    bool drawn, ran = use_run(model, USE_COMPILED, inputs, arena, NULL, outputs, &drawn, &fault);
    if (!stop_check_thread(&stopped)) return complain_fault(&stopped) == EXIT_SUCCESS;
    const struct onnx_trace *t = model->traces;
    if (!ran || !t || t->failed) {
        say("programs: none: %s\n", ran ? model->untraced.text : fault.text);
        return true;
    }
    int programs = count_chain(t->chains, endings);
    bool counted = !endings[0].failed && !endings[1].failed;
    if (counted) {
        say("programs: %d\n", programs);
        result_whole("programs", programs);
        print_endings(&endings[0], " on values, since elements decide on shapes");
        print_endings(&endings[1], ": the chosen graph alone is compiled, since both cannot be one");
    }
    for (int i = 0; i < 2; i++) mem_free(endings[i].items);
    return counted || complain("out of memory") == EXIT_SUCCESS;
}
