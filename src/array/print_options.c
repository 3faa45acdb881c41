/* Print options: options of a call override those of the thread, which override NumPy's defaults. */
#include "array/print.h"
#include "base/options.h"
#include <stdio.h>
#include "base/context/context.h"

enum { TEXT = 16, MOST_DIGITS = 320 /* after the point, enough for the least f64 */ };

static const ty_print_options defaults = {.precision = 8,
                                          .threshold = 1000,
                                          .edge_items = 3,
                                          .line_width = 75,
                                          .sign = '-',
                                          .nan_text = "nan",
                                          .inf_text = "inf"};

static _Thread_local ty_print_options chosen;
static _Thread_local char nan_text[TEXT], inf_text[TEXT];
static _Thread_local unsigned uses; /* changes of context of the thread when `chosen` was set */

/* Return the options `o`, with unset fields from *under. `suppress` holds if either sets it. */
static ty_print_options over(ty_print_options o, const ty_print_options *under) {
    if (o.precision == 0) o.precision = under->precision;
    if (o.threshold <= 0) o.threshold = under->threshold;
    if (o.edge_items <= 0) o.edge_items = under->edge_items;
    if (o.line_width <= 0) o.line_width = under->line_width;
    if (o.sign != '-' && o.sign != '+' && o.sign != ' ') o.sign = under->sign;
    if (o.mode == TY_MAXPREC) o.mode = under->mode;
    if (!o.nan_text) o.nan_text = under->nan_text;
    if (!o.inf_text) o.inf_text = under->inf_text;
    o.suppress |= under->suppress;
    return o;
}

/* Copy `text` into room[TEXT], cut to its size, and return `room`; NULL stays NULL. `text` may lie in `room`. */
static const char *copy(char room[TEXT], const char *text) {
    if (!text) return NULL;
    char words[TEXT];
    snprintf(words, sizeof words, "%s", text); /* `text` may be `room` */
    snprintf(room, TEXT, "%s", words);
    return room;
}

void ty_set_print_options_sized(const ty_print_options *given, size_t given_size) {
    ty_print_options options;
    struct fault unheard;
    fault_clear(&unheard);
    if (!OPTIONS_READ(options, given, given_size, &unheard)) return;
    uses = context_thread.uses;
    chosen = options;
    chosen.nan_text = copy(nan_text, options.nan_text);
    chosen.inf_text = copy(inf_text, options.inf_text);
}

/* Return the thread's options, over those of its context and the defaults. */
static ty_print_options options_now(void) {
    if (uses != context_thread.uses) ty_set_print_options(context_now()->print);
    return over(chosen, &defaults);
}

void ty_print_options_now_sized(ty_print_options *options, size_t size) {
    ty_print_options now = options_now();
    options_write(options, size, &now, sizeof now);
}

ty_print_options print_options_fill(ty_print_options options) {
    ty_print_options now = options_now();
    options = over(options, &now);
    if (options.precision < 0) options.precision = 0;
    if (options.precision > MOST_DIGITS) options.precision = MOST_DIGITS;
    return options;
}
