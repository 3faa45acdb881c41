/*
 * Template: the operators of elementwise.def in one type.  The includer defines
 *   T           the type;  ROW(name) the name of an operator's function;  TABLE the name of the table
 *   GET(e)      the element e as T;  PUT(e, v) stores the value v of a SAME or PART operator
 *   HAS_FLOAT HAS_FLOATC HAS_REAL HAS_BITS   0 or 1: whether the type has such operators
 */
#define HAS_REALB HAS_REAL
#define HAS_BOUNDED HAS_REAL
#define HAS_INTEGER HAS_BITS
#define HAS_NUMBER 1
#define HAS_NUMBERB 1
#define HAS_LOGIC 1
#define HAS_CHOICE 1
#define OUT_SAME(v) PUT(r->out, v)
#define OUT_PART(v) PUT(r->out, v)
#define OUT_BOOL(v) (r->out.i = (v) != 0)

/* clang-format off */
#define OP1(name, takes, yields, value, ...) \
    WHEN(HAS_##takes, static void ROW(name)(struct ref_row *r) { \
        const T x = GET(r->in[0]); \
        const int bits = r->bits; \
        const ty_dtype dtype = r->dtype; \
        (void)bits, (void)dtype; \
        OUT_##yields(value); \
    })
#define OP2(name, takes, yields, value, ...) \
    WHEN(HAS_##takes, static void ROW(name)(struct ref_row *r) { \
        const T a = GET(r->in[0]), b = GET(r->in[1]); \
        const int bits = r->bits; \
        const ty_dtype dtype = r->dtype; \
        (void)bits, (void)dtype; \
        OUT_##yields(value); \
    })
#define OP3(name, takes, yields, value, ...) \
    WHEN(HAS_##takes, static void ROW(name)(struct ref_row *r) { \
        const T a = GET(r->in[0]), b = GET(r->in[1]), c = GET(r->in[2]); \
        const int bits = r->bits; \
        const ty_dtype dtype = r->dtype; \
        (void)bits, (void)dtype; \
        OUT_##yields(value); \
    })
/* clang-format on */
#include <tyto/elementwise.def>

#define OP1(name, takes, ...) PICK(HAS_##takes, ROW(name)),
#define OP2(name, takes, ...) PICK(HAS_##takes, ROW(name)),
#define OP3(name, takes, ...) PICK(HAS_##takes, ROW(name)),
static void (*const TABLE[])(struct ref_row *) = {
#include <tyto/elementwise.def>
};

#undef HAS_REALB
#undef HAS_BOUNDED
#undef HAS_INTEGER
#undef HAS_NUMBER
#undef HAS_NUMBERB
#undef HAS_LOGIC
#undef HAS_CHOICE
#undef OUT_SAME
#undef OUT_PART
#undef OUT_BOOL
#undef T
#undef ROW
#undef TABLE
#undef GET
#undef PUT
#undef HAS_FLOAT
#undef HAS_FLOATC
#undef HAS_REAL
#undef HAS_BITS
