/* tyto train: whether data, network and loss fit each other, said in the words of the user. */
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/text.h"
#include "tools/train/train.h"
#include "tools/train/train_loss.h"
#include "tools/options/message.h"

int session_loss(const struct session *r) {
    if (r->s->loss >= 0) return r->s->loss;
    return r->data.loaded.parts[0] || r->data.classes ? LOSS_OF_CLASSES : LOSS_OF_NUMBERS;
}

/* Return the name of the data for messages. */
static const char *data_name(const struct session *r) { return r->s->data ? r->s->data : "digits"; }

/* ---- inputs ---- */

/* Append the names of the table's features: the first ones, if they are many. */
static void add_features(struct text *t, const ty_preparation *p) {
    enum { SHOWN = 200 }; /* bytes */
    for (int64_t i = 0; ty_preparation_feature(p, i); i++) {
        if (t->length > SHOWN) {
            text_add(t, ", ...");
            return;
        }
        text_add(t, "%s", i ? ", " : ": ");
        text_add_visible(t, ty_preparation_feature(p, i));
    }
}

/* Return true unless tables or arrays have another shape than the network expects; false after a message. */
static bool check_inputs(const struct session *r) {
    char wanted[FORM_WORDS], found[FORM_WORDS];
    const ty_tensor *x = r->data.images;
    const ty_preparation *p = r->data.table.preparation;
    struct text features = {0};
    struct form f;
    if (x && p && r->network.known && strcmp(r->network.known->name, "mlp") != 0)
        return complain("%s: a table needs the network mlp, or a description of inputs of %lld features",
                        r->s->data, (long long)ty_shape(x)[1]) == EXIT_SUCCESS;
    if (!x || !network_form(&r->network, &f) || network_fits(&f, x, 1)) return true;
    /* Known networks accept other sizes of images, or say in which layer they do not; mlp flattens any shape. */
    bool mlp = r->network.known && !strcmp(r->network.known->name, "mlp");
    if (mlp || (r->network.known && f.rank == ty_rank(x) - 1)) return true;
    network_form_words(wanted, f.rank, f.shape);
    network_form_words(found, ty_rank(x) - 1, ty_shape(x) + 1);
    if (p) add_features(&features, p);
    complain("%s: the network expects examples of %s, found %s%s%s", data_name(r), wanted, found,
             ty_rank(x) == 2 ? ", besides the target" : "", features.length ? features.data : "");
    text_drop(&features);
    return false;
}

/* ---- outputs ---- */

/* Return an example of the data, or else of the network's input, for its shape alone; NULL: there is none. */
static ty_tensor *example_of(const struct session *r) {
    int64_t shape[TY_MAX_RANK] = {1};
    struct form f;
    if (r->data.images) return ty_slice(r->data.images, 0, 0, 1, 1);
    if (!network_form(&r->network, &f)) return NULL;
    memcpy(shape + 1, f.shape, (size_t)f.rank * sizeof *shape);
    return ty_zeros(f.dtype, f.rank + 1, shape);
}

/* The network's output for an example, and the target that the loss compares it with. */
struct outcome {
    const char *data, *kind, *target; /* kind: "column " or "array ", before the name of the target */
    const char *loss;
    int64_t given, wanted, classes; /* numbers of an example; classes of the target, 0: none */
    bool known, table;              /* the network is one of the library; the data are a table */
};

/* Print that the last layer needs `units`, as an example has `wanted`; always return false. */
static bool refuse_units(const struct outcome *o, const char *given, const char *wanted, int64_t units) {
    return complain(
               "%s: the network gives %lld %s%s for each example, and the target, %s%s, has %s: its last "
               "layer needs units %lld",
               o->data, (long long)o->given, given, plural(o->given), o->kind, o->target, wanted,
               (long long)units) == EXIT_SUCCESS;
}

/* Check scores of classes, of which a table needs as many as its target has; false after a message. */
static bool check_scores(const struct outcome *o) {
    char wanted[40];
    if (!o->classes && o->given == o->wanted && o->given > 1) return true; /* probabilities of classes */
    if (!o->classes)
        return complain("%s: the target, %s%s, has numbers, and the loss %s compares classes; --loss mse "
                        "compares numbers%s",
                        o->data, o->kind, o->target, o->loss,
                        o->table ? ", and --task classes makes classes of them" : "") == EXIT_SUCCESS;
    text_print(wanted, sizeof wanted, "%lld class%s", (long long)o->classes, o->classes == 1 ? "" : "es");
    return o->given == o->classes || (o->given > o->classes && !o->table) ||
           refuse_units(o, "score", wanted, o->classes);
}

/* Check numbers that are compared one by one; false after a message. */
static bool check_numbers(const struct outcome *o) {
    char wanted[40];
    if (o->given == o->wanted) return true;
    if (o->classes && o->given >= o->classes)
        return complain(
                   "%s: the network gives %lld scores for each example, and the loss %s compares one number; "
                   "--loss cross_entropy compares scores with classes%s",
                   o->data, (long long)o->given, o->loss,
                   o->known ? "" : ", or its last layer needs units 1") == EXIT_SUCCESS;
    text_print(wanted, sizeof wanted, "%lld number%s", (long long)o->wanted, plural(o->wanted));
    return refuse_units(o, "number", wanted, o->wanted);
}

/* Return the number of elements of an example. */
static int64_t elements(const ty_tensor *x) {
    int64_t n = 1;
    for (int i = 1; i < ty_rank(x); i++) n *= ty_shape(x)[i];
    return n;
}

/* Check the result y of one example, whose loss is number `loss`; false after a message. */
static bool check_result(const struct session *r, const ty_tensor *y, int loss) {
    const ty_tensor *t = r->data.labels;
    const ty_preparation *p = r->data.table.preparation;
    struct outcome o = {.data = data_name(r), .kind = "the ", .target = "folder", .loss = loss_name(loss)};
    if (t) o.kind = "array ", o.target = "y";
    if (p) o.kind = "column ", o.target = ty_preparation_target(p);
    o.given = elements(y);
    o.wanted = t ? elements(t) : 1;
    o.classes = r->data.classes;
    o.known = r->network.known;
    o.table = p;
    if (!loss_compares_classes(loss)) return check_numbers(&o);
    return ty_rank(y) != 2 || check_scores(&o); /* of scores of each place, the loss itself speaks */
}

/* Return true if a network of one input and one output is there; false after a message. */
static bool check_ends(const struct session *r) {
    const ty_model *m = r->network.model;
    int inputs = ty_model_operands(m), results = ty_model_results(m);
    if (inputs == 1 && results == 1) return true;
    return complain("%s: the network has %d input%s and %d output%s; training here needs one of each",
                    r->s->network, inputs, plural(inputs), results, plural(results)) == EXIT_SUCCESS;
}

bool session_fits(struct session *r) {
    if (!check_ends(r) || !check_inputs(r)) return false;
    if (r->data.loaded.tokens[0]) return true;
    ty_scope *scope = ty_open();
    ty_tensor *x = example_of(r);
    if (x && ty_model_is_lazy(r->network.model)) x = ty_lazy(x);
    ty_tensor *y = x ? ty_model_forward(r->network.model, x, NULL) : NULL;
    bool well = !y || ty_ok(y) || complain_about(y, "%s", data_name(r)) == EXIT_SUCCESS;
    well = well && (!y || check_result(r, y, session_loss(r)));
    ty_close(scope);
    return well;
}
