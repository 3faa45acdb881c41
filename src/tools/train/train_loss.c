/* Losses of tyto train by name, for predictions with or without a last axis of size 1. */
#include "tools/train/train_loss.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "nn/loss/loss.h"

/* Return predictions x without their last axis if that has size 1 and targets y have one axis less; other
   predictions are unchanged. */
static ty_tensor *shaped(ty_tensor *x, ty_tensor *y) {
    if (ty_ok(x) && ty_rank(x) == ty_rank(y) + 1 && ty_shape(x)[ty_rank(x) - 1] == 1)
        return ty_squeeze(x, -1);
    return x;
}
#define SHAPED(name)                                                                                         \
    static ty_tensor *shaped_##name(ty_tensor *x, ty_tensor *y, const ty_loss_options *o, size_t size) {     \
        return ty_loss_##name##_sized(shaped(x, y), y, o, size);                                             \
    }
SHAPED(l2)
SHAPED(l1)
SHAPED(huber)
SHAPED(smooth_l1)
SHAPED(log_cosh)
SHAPED(poisson)
SHAPED(bce_logits)
SHAPED(focal)

static const struct {
    const char *name;
    ty_loss loss;
    bool numbers, classes; /* its targets are numbers; its predictions are scores of classes */
} losses[] = {[LOSS_OF_CLASSES] = {"cross_entropy", ty_loss_cross_entropy_sized, false, true},
              [LOSS_OF_NUMBERS] = {"mse", shaped_l2, true, false},
              {"mae", shaped_l1, true, false},
              {"huber", shaped_huber, true, false},
              {"smooth_l1", shaped_smooth_l1, true, false},
              {"log_cosh", shaped_log_cosh, true, false},
              {"poisson", shaped_poisson, true, false},
              {"bce", shaped_bce_logits, false, false},
              {"focal", shaped_focal, false, false},
              {"multi_hinge", ty_loss_multi_hinge_sized, false, true}};
enum { LOSSES = sizeof losses / sizeof *losses };

const char *loss_name(int i) { return i >= 0 && i < LOSSES ? losses[i].name : NULL; }
const struct option_type option_loss = OPTION_NAMED("NAME", loss_name);
ty_loss loss_at(int i) { return losses[i].loss; }
bool loss_of_numbers(int i) { return i >= 0 && losses[i].numbers; }
bool loss_compares_classes(int i) { return i < 0 || losses[i].classes; }

static const char *rule_name(int i) { return ty_rules[i] ? ty_rules[i]->name : NULL; }
const struct option_type option_rule = OPTION_NAMED("NAME", rule_name);

/* ---- options of losses ---- */

static bool parse_number(const char *text, void *place) {
    const char *equals = strchr(text, '=');
    struct nearest near = {0};
    for (int i = 0; equals && i < loss_numbers.n; i++) {
        const struct field *f = &loss_numbers.fields[i];
        size_t n = (size_t)(equals - text);
        if (strlen(f->name) == n && !memcmp(f->name, text, n))
            return field_parse(f, equals + 1, (char *)place + f->offset, &near);
    }
    return false;
}
const struct option_type option_loss_number = {
    .argument = "NAME=X",
    .expected = "NAME=X with one of smoothing, margin, delta, power, alpha, epsilon, in its range",
    .parse = parse_number};

/* ---- weights of classes ---- */

/* Set the weight of a class by n bytes of text, NAME=X; false if it is none. */
static bool put_weight(const char *text, size_t n, const struct labels *labels, int64_t classes,
                       float *weights) {
    const char *equals = NULL;
    char name[256], number[64];
    char *end;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '=') equals = text + i;
    size_t length = equals ? (size_t)(equals - text) : 0, digits = equals ? n - length - 1 : 0;
    if (!length || !digits || length >= sizeof name || digits >= sizeof number) return false;
    memcpy(name, text, length);
    name[length] = 0;
    memcpy(number, equals + 1, digits);
    number[digits] = 0;
    double value = 0;
    struct nearest near = {0};
    int64_t class = labels_find(labels, name);
    if (class < 0 && !labels->n) {
        class = strtoll(name, &end, 10);
        if (*end) class = -1;
    }
    if (class < 0 || class >= classes || !field_parse(&option_number.value, number, &value, &near))
        return false;
    weights[class] = (float)value;
    return true;
}

/* Set weights of a text, whole if it is one pair, else the pairs between commas; false if one is invalid. */
static bool put_weights(const char *text, const struct labels *labels, int64_t classes, float *weights) {
    if (put_weight(text, strlen(text), labels, classes, weights)) return true;
    for (size_t n; *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        if (!put_weight(text, n, labels, classes, weights)) return false;
    }
    return true;
}

ty_tensor *loss_weights(const struct option_list *texts, const struct labels *labels, int64_t classes) {
    float *weights = malloc((size_t)classes * sizeof *weights);
    ty_tensor *x = NULL;
    bool well = weights || complain("out of memory") == EXIT_SUCCESS;
    for (int64_t i = 0; i < classes && well; i++) weights[i] = 1;
    for (int i = 0; i < texts->n && well; i++) {
        if (put_weights(texts->items[i], labels, classes, weights)) continue;
        struct text known = {0};
        char room[LABEL_ROOM];
        for (int64_t k = 0; k < classes && known.length < 400; k++)
            text_add(&known, "%s%.60s", k ? ", " : "", labels->n ? labels_name(labels, k, room) : "");
        well = complain("--class-weight %s: expected CLASS=X for X above 0%s%s", texts->items[i],
                        labels->n ? " and a class of " : ", classes numbered from 0",
                        labels->n && !known.failed ? known.data : "") == EXIT_SUCCESS;
        text_drop(&known);
    }
    if (well) x = ty_from(TY_F32, 1, &classes, weights);
    free(weights);
    return x;
}
