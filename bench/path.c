/*
 * Random networks of many tensors: Tyto's einsum against NumPy's with optimize=True and torch.einsum. NumPy's cap on
 * intermediates is lifted: with it, some networks end in one loop over all letters and take seconds. torch.einsum takes
 * part if its order from left to right is feasible. The peers search for their path in each call. Tyto caches it, as
 * programs that contract the same shapes repeatedly need.
 *
 * A line under each row compares the arithmetic of the paths. Tyto minimises flops; opt_einsum, if installed, or NumPy
 * tries all orders for up to 7 operands, dynamic programming for up to 12, and greedy search for more.
 */
#include <math.h>
#include <string.h>
#include "bench/support/harness.h"

enum { NETWORKS = 30, MOST_OPERANDS = 40, MOST_AXES = 6, MOST_LETTERS = 52, ALL_ORDERS = 7, BEST_ORDER = 12 };
static const double least_flops = 3e4, most_flops = 3e7;

struct network {
    int n, letters;
    char terms[MOST_OPERANDS][MOST_AXES + 1];
    int64_t sizes[MOST_LETTERS];
    char output[MOST_AXES + 1], equation[512];
};

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64_t state = 1;
static int64_t between(int64_t low, int64_t high) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return low + (int64_t)((z ^ z >> 31) % (uint64_t)(high - low + 1));
}

static char letter(int i) { return (char)(i < 26 ? 'a' + i : 'A' + i - 26); }

static bool add_axis(char *term, int label) {
    size_t n = strlen(term);
    if (n == MOST_AXES || strchr(term, letter(label))) return false;
    term[n] = letter(label);
    term[n + 1] = 0;
    return true;
}

/* Add a letter to two operands, sometimes to a third and to the output. */
static void connect(struct network *net, int i, int j, int64_t largest) {
    int label = net->letters;
    if (label == MOST_LETTERS || strlen(net->terms[i]) == MOST_AXES || strlen(net->terms[j]) == MOST_AXES)
        return;
    net->sizes[net->letters++] = between(2, largest);
    add_axis(net->terms[i], label);
    add_axis(net->terms[j], label);
    if (between(0, 9) == 0) add_axis(net->terms[between(0, net->n - 1)], label);
    if (between(0, 9) == 0) add_axis(net->output, label);
}

static void make(struct network *net, int n) {
    int64_t largest = n > 12 ? between(2, 4) : between(4, 40);
    memset(net, 0, sizeof *net);
    net->n = n;
    for (int i = 1; i < n; i++) connect(net, (int)between(i > 4 ? i - 4 : 0, i - 1), i, largest);
    for (int extra = n / 2; extra > 0; extra--)
        connect(net, (int)between(0, n - 2), n - 1 - (int)between(0, n / 3), largest);
    /* letters of one operand and the output */
    for (int open = 0; open < 3 && net->letters < MOST_LETTERS; open++) {
        int i = (int)between(0, n - 1);
        if (strlen(net->terms[i]) == MOST_AXES || strlen(net->output) == MOST_AXES) continue;
        net->sizes[net->letters] = between(2, largest);
        add_axis(net->terms[i], net->letters);
        add_axis(net->output, net->letters++);
    }
    for (int i = 0; i < n; i++) strcat(strcat(net->equation, i ? "," : ""), net->terms[i]);
    strcat(strcat(net->equation, "->"), net->output);
}

static void shape_of(const struct network *net, int i, struct bench_input *in) {
    *in = (struct bench_input){.dtype = TY_F32, .rank = (int)strlen(net->terms[i]), .low = -1, .high = 1};
    for (int k = 0; k < in->rank; k++) {
        char c = net->terms[i][k];
        in->shape[k] = net->sizes[c >= 'a' ? c - 'a' : c - 'A' + 26];
    }
}

static ty_einsum_report report_of(const struct network *net, ty_einsum_options options) {
    struct bench_input inputs[MOST_OPERANDS];
    ty_einsum_operand operands[MOST_OPERANDS];
    for (int i = 0; i < net->n; i++) {
        shape_of(net, i, &inputs[i]);
        operands[i] = (ty_einsum_operand){inputs[i].rank, inputs[i].shape, NULL};
    }
    ty_einsum_plan *plan = ty_einsum_plan_new(net->equation, TY_F32, net->n, operands, options);
    ty_einsum_report report;
    ty_einsum_plan_report(plan, &report);
    if (*ty_einsum_plan_error(plan)) report.flops = INFINITY;
    ty_einsum_plan_free(plan);
    return report;
}

static const struct network *current;
static ty_tensor *contract(ty_tensor *const *x) {
    return ty_einsum_of(current->equation, current->n, x, (ty_einsum_options){0});
}

/* Write the arguments as in "'ab,bc->ac', a, b"; returns out. */
static const char *arguments(const struct network *net, char *out) {
    int n = sprintf(out, "'%s'", net->equation);
    for (int i = 0; i < net->n; i++) n += sprintf(out + n, ", %c", letter(i));
    return out;
}

/* Print the command that repeats this network. */
static void tell_command(const struct network *net) {
    printf("    tyto bench '%s'", net->equation);
    for (int i = 0; i < net->letters; i++) printf(" %c=%lld", letter(i), (long long)net->sizes[i]);
    printf("\n");
}

static bool has_opt_einsum(struct bench *b) {
    return bench_value(b, "float(__import__('importlib.util').util.find_spec('opt_einsum') is not None)") ==
           1;
}

/* Compare our flops with the path of a peer: opt_einsum if installed, with all orders or dynamic
   programming within their limits; otherwise NumPy. */
static void compare_paths(struct bench *b, const struct network *net, const char *words) {
    char text[1200];
    bool all = net->n <= ALL_ORDERS, asked = net->n <= BEST_ORDER && has_opt_einsum(b);
    const char *how = all ? "optimal" : asked ? "dp" : "greedy";
    double ours = report_of(net, (ty_einsum_options){.objective = TY_EINSUM_FLOPS}).flops;
    if (asked)
        snprintf(text, sizeof text, "__import__('opt_einsum').contract_path(%s, optimize='%s')[1].opt_cost",
                 words, how);
    else
        snprintf(
            text, sizeof text,
            "np.einsum_path(%s, optimize=('%s', 10**18))[1].split('Optimized FLOP count:')[1].split()[0]",
            words, how);
    double theirs = bench_value(b, text);
    printf("    flops: %.4g in the path for time, %.4g in the path for flops, %s %s %.4g: %.3f of it\n",
           report_of(net, (ty_einsum_options){0}).flops, ours, asked ? "opt_einsum" : "NumPy", how, theirs,
           ours / theirs);
}

static void bench_network(struct bench *b, const struct network *net, int number) {
    char name[64], numpy[1024], torch[1024], words[800];
    struct bench_case c = {
        .name = name, .ninputs = net->n, .run = contract, .numpy = numpy, .roof = BENCH_NO_ROOF};
    double left = report_of(net, (ty_einsum_options){.strategy = TY_EINSUM_LEFT_TO_RIGHT}).flops;
    ty_einsum_report report = report_of(net, (ty_einsum_options){0});
    snprintf(name, sizeof name, "%d: %d operands, %.2g flops", number, net->n, report.flops);
    arguments(net, words);
    snprintf(numpy, sizeof numpy, "np.einsum(%s, optimize=('greedy', 10**18))", words);
    snprintf(torch, sizeof torch, "torch.einsum(%s)", words);
    if (left < 10 * report.flops) c.torch = torch;
    for (int i = 0; i < net->n; i++) shape_of(net, i, &c.inputs[i]);
    current = net;
    bench_case(b, &c);
    compare_paths(b, net, words);
    tell_command(net);
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "path");
    if (!b) return 1;
    for (int i = 0; i < NETWORKS; i++) {
        struct network net;
        double flops;
        do {
            make(&net, i < 24 ? 4 + i % 9 : 20 + 4 * (i - 24));
            flops = report_of(&net, (ty_einsum_options){0}).flops;
        } while (flops < least_flops || flops > most_flops);
        if (!bench_quick(b) || i % 3 == 0) bench_network(b, &net, i + 1);
    }
    return bench_close(b);
}
