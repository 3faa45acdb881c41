/* Boxes: joins, lists of disjoint boxes, and boxes seen through strides, against all elements one by one. */
#include "array/box.h"
#include <string.h>
#include "tests/support/harness.h"

enum { MOST = 4, SIZE = 6 };

static struct box random_box(int rank, const int64_t *shape) {
    struct box b = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        b.low[i] = test_between(0, shape[i] - 1);
        b.high[i] = test_between(b.low[i], shape[i] - 1) + 1;
    }
    return b;
}

static bool has(const struct box *b, const int64_t *index) {
    for (int i = 0; i < b->rank; i++)
        if (index[i] < b->low[i] || index[i] >= b->high[i]) return false;
    return true;
}

/* Set index[] to the indices of element `at` of a dense block. */
static void indices_of(int64_t at, int rank, const int64_t *shape, int64_t *index) {
    for (int i = rank - 1; i >= 0; i--) {
        index[i] = at % shape[i];
        at /= shape[i];
    }
}

/* ---- lists ---- */

static void lists(void) {
    int64_t shape[] = {30, 30};
    for (int round = 0; round < test_some(2000, 200, 1); round++) {
        struct boxes list = {0};
        struct box added[12];
        int n = (int)test_between(1, 12);
        for (int i = 0; i < n; i++) {
            added[i] = random_box(2, shape);
            for (int a = 0; a < 2; a++)
                if (added[i].high[a] > added[i].low[a] + 3) added[i].high[a] = added[i].low[a] + 3;
            boxes_add(&list, &added[i]);
        }
        int64_t size = 0;
        for (int64_t at = 0; at < 900; at++) {
            int64_t index[2] = {at / 30, at % 30};
            int times = 0, wanted = 0;
            for (int i = 0; i < list.n; i++) times += has(&list.list[i], index);
            for (int i = 0; i < n; i++) wanted += has(&added[i], index);
            CHECK(times <= 1 && times >= (wanted > 0), "element %lld: %d times", (long long)at, times);
            size += times;
        }
        CHECK(list.n <= BOX_COUNT && size == boxes_count(&list), "%d boxes", list.n);
    }
}

static void joins(void) {
    struct box a = {2, {1, 2}, {3, 4}}, b = {2, {3, 2}, {5, 4}}, c = {2, {3, 2}, {5, 5}},
               d = {2, {4, 2}, {5, 4}}, to;
    CHECK(box_join(&a, &b, &to) && to.low[0] == 1 && to.high[0] == 5, "neighbours");
    CHECK(!box_join(&a, &c, &to) && !box_join(&a, &d, &to), "their union is no box");
    CHECK(box_join(&c, &b, &to) && box_contains(&c, &b) && !box_contains(&b, &c), "one inside the other");
    CHECK(!box_whole(&to, BOX_RANK + 1, (int64_t[BOX_RANK + 1]){0}), "too many axes");
    CHECK(box_whole(&to, BOX_RANK, (int64_t[BOX_RANK]){0}) && box_count(&to) == 0, "no elements");
}

/* ---- strides ---- */

/* A random view of a dense block: slices, reversals, permutations, windows, reshapes, broadcasts. */
struct view {
    int rank;
    int64_t shape[MOST];
    struct layout_room x;
};

static void draw(struct view *v) {
    struct layout *l = layout_room_init(&v->x, v->rank = (int)test_between(1, MOST));
    for (int i = 0; i < v->rank; i++) v->shape[i] = l->shape[i] = test_between(1, SIZE);
    shape_row_major(v->rank, v->shape, l->strides);
    for (int steps = (int)test_between(0, 5); steps > 0; steps--) {
        int i = (int)test_between(0, l->rank - 1), k = (int)test_between(0, l->rank - 1);
        int64_t low = test_between(0, l->shape[i] - 1), step = test_between(1, 2), size = l->shape[i];
        switch (test_between(0, 5)) {
        case 0: /* slice */
            l->offset += low * l->strides[i];
            l->shape[i] = (size - low + step - 1) / step;
            l->strides[i] *= step;
            break;
        case 1: /* reverse */
            l->offset += (size - 1) * l->strides[i];
            l->strides[i] = -l->strides[i];
            break;
        case 2: /* permute */
            l->shape[i] = l->shape[k], l->shape[k] = size;
            low = l->strides[i], l->strides[i] = l->strides[k], l->strides[k] = low;
            break;
        case 3: /* windows */
            if (l->rank == BOX_RANK) break;
            l->shape[l->rank] = test_between(1, size);
            l->shape[i] -= l->shape[l->rank] - 1;
            l->strides[l->rank++] = l->strides[i];
            break;
        case 4: /* merge all axes */
            if (layout_is_contiguous(l)) {
                l->shape[0] = shape_size(l->rank, l->shape);
                l->strides[0] = 1;
                l->rank = 1;
            }
            break;
        default: /* broadcast */
            if (size == 1) l->shape[i] = 3, l->strides[i] = 0;
        }
    }
}

static int64_t address(const struct layout *l, const int64_t *index) {
    int64_t at = l->offset;
    for (int i = 0; i < l->rank; i++) at += index[i] * l->strides[i];
    return at;
}

static bool is_simple(const struct view *v) {
    return v->x.layout.rank == v->rank && v->rank > 0 && layout_is_contiguous(&v->x.layout) &&
           !v->x.layout.offset && !memcmp(v->shape, v->x.shape, sizeof(int64_t) * (size_t)v->rank);
}

/* Every element in a box is seen inside of the box that box_seen gives, and the other way round. */
static void views(void) {
    for (int round = 0; round < test_some(30000, 3000, 1); round++) {
        struct view v;
        draw(&v);
        const struct layout *l = &v.x.layout;
        struct box b = random_box(v.rank, v.shape), part = random_box(l->rank, l->shape), seen, covered;
        bool any = box_seen(l, v.rank, v.shape, &b, &seen);
        box_covered(l, &part, v.rank, v.shape, &covered);
        for (int64_t at = 0; at < shape_size(l->rank, l->shape); at++) {
            int64_t index[BOX_RANK], element[MOST];
            indices_of(at, l->rank, l->shape, index);
            indices_of(address(l, index), v.rank, v.shape, element);
            CHECK(!has(&b, element) || (any && has(&seen, index)), "round %d: an element is not seen", round);
            CHECK(!has(&part, index) || has(&covered, element), "round %d: an element is not covered", round);
        }
        if (!is_simple(&v)) continue;
        CHECK(any && !memcmp(seen.low, b.low, sizeof(int64_t) * (size_t)v.rank), "round %d: the same box",
              round);
        CHECK(box_contains(&b, &seen) && box_contains(&part, &covered), "round %d: the same box", round);
    }
}

/* Boxes seen through windows, slices and reshapes are tight. */
static void tight(void) {
    int64_t shape[] = {100}, matrix[] = {10, 4};
    struct layout_room room;
    struct layout *l = layout_room_init(&room, 2);
    struct box b = {1, {50}, {53}}, seen;
    l->shape[0] = 96, l->shape[1] = 5, l->strides[0] = l->strides[1] = 1;
    CHECK(box_seen(l, 1, shape, &b, &seen) && seen.low[0] == 46 && seen.high[0] == 53, "windows");
    l->shape[0] = 20, l->strides[0] = 5;
    CHECK(box_seen(l, 1, shape, &b, &seen) && seen.low[0] == 10 && seen.high[0] == 11, "a reshape");
    CHECK(seen.low[1] == 0 && seen.high[1] == 5, "the columns of a reshape");
    l->shape[1] = 1, b.low[0] = 51;
    CHECK(!box_seen(l, 1, shape, &b, &seen), "between the elements of a slice");
    struct box rows = {2, {2, 1}, {4, 2}};
    l->rank = 1, l->shape[0] = 40, l->strides[0] = 1;
    CHECK(box_seen(l, 2, matrix, &rows, &seen) && seen.low[0] == 9 && seen.high[0] == 14, "merged axes");
    l->offset = -1;
    CHECK(box_seen(l, 2, matrix, &rows, &seen) && seen.high[0] == 40, "outside of the block");
    l->offset = 0, l->rank = 0;
    CHECK(box_seen(l, 0, shape, &(struct box){0}, &seen) && seen.rank == 0, "a scalar");
}

TESTS_MAIN(TEST(lists), TEST(joins), TEST(views), TEST(tight))
