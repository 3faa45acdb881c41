/* ty_own and ty_disown: references move between scopes and the caller, in any nesting and without a scope. */
#include <pthread.h>
#include <string.h>
#include "array/scope.h"
#include "tests/support/harness.h"

static int freed;
static void count(void *context, void *data) {
    (void)context, (void)data;
    freed++;
}
static double number = 3;
/* Return a tensor of which `freed` counts the end. */
static ty_tensor *counted(void) {
    freed = 0;
    return ty_borrow(TY_F64, TY_SCALAR, &number, count, NULL);
}

static void in_a_scope(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = counted();
    CHECK(ty_own(x) == x, "another tensor");
    ty_close(scope);
    CHECK(!freed || test_starving(), "the scope still owned it");
    CHECK(!ty_ok(x) || ty_item(x) == 3, "%s", ty_error(x));
    ty_release(x);
    CHECK(freed == 1, "freed %d times", freed);
}

static void in_scopes_inside_scopes(void) {
    for (int deep = 1; deep < 5; deep++) {
        ty_scope *outer = ty_open(), *inner = outer;
        for (int i = 1; i < deep; i++) inner = ty_open();
        ty_tensor *x = ty_own(counted());
        ty_close(inner);
        CHECK(!ty_ok(x) || ty_item(x) == 3, "%d scopes: %s", deep, ty_error(x));
        ty_close(outer);
        CHECK(!freed || test_starving(), "%d scopes: a scope still owned it", deep);
        ty_release(x);
        CHECK(freed == 1, "%d scopes: freed %d times", deep, freed);
    }
}

/* Results in front of others, and tensors beyond those that a scope stores in itself. */
static void in_any_order(void) {
    enum { MANY = 40 };
    ty_tensor *x[MANY];
    ty_scope *scope = ty_open();
    for (int i = 0; i < MANY; i++) x[i] = ty_scalar(TY_F64, i);
    for (int i = 0; i < MANY; i += 3) ty_own(x[i]);
    for (int i = 0; i < MANY; i++) CHECK(!ty_ok(x[i]) || ty_item(x[i]) == i, "%d", i);
    ty_close(scope);
    for (int i = 0; i < MANY; i += 3) {
        CHECK(!ty_ok(x[i]) || ty_item(x[i]) == i, "%d", i);
        ty_release(x[i]);
    }
}

/* One tensor that a scope owns twice, one that it does not own. */
static void shared_tensors(void) {
    ty_scope *outer = ty_open();
    ty_tensor *x = counted();
    ty_scope *inner = ty_open();
    ty_own(x); /* the outer scope owns it: another reference */
    ty_close(outer);
    (void)inner;
    CHECK(!freed || test_starving(), "freed with a reference");
    ty_release(x);
    CHECK(freed == 1, "freed %d times", freed);
}

static void and_back(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_own(counted());
    CHECK(ty_disown(x) == x || test_starving(), "another tensor");
    CHECK(!freed || test_starving(), "freed in the scope");
    ty_close(scope);
    CHECK(freed == 1, "freed %d times", freed);
}

static void of_nothing(void) {
    CHECK_POISON(ty_own(NULL), "NULL is not a tensor");
    CHECK_POISON(ty_disown(NULL), "NULL is not a tensor");
    ty_release(ty_own(NULL));
    ty_release(ty_own(ty_poison("spoilt")));
}

/* A new thread has no scope. */
static void *without_a_scope(void *unused) {
    (void)unused;
    ty_tensor *x = ty_own(counted());
    CHECK(scope_depth() == 0, "%d scopes are open", scope_depth());
    CHECK(ty_disown(x) == x, "another tensor");
    CHECK(!freed || !ty_ok(x), "freed without a scope");
    ty_release(x);
    CHECK(freed == 1, "freed %d times", freed);
    return NULL;
}
static void on_a_thread(void) {
    if (test_starving()) return; /* a failed check may not leave the thread */
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, without_a_scope, NULL), "no thread");
    pthread_join(thread, NULL);
}

TESTS_MAIN(TEST(in_a_scope), TEST(in_scopes_inside_scopes), TEST(in_any_order), TEST(shared_tensors),
           TEST(and_back), TEST(of_nothing), TEST(on_a_thread))
