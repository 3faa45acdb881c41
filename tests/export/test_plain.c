/* Texts of kernels become plain C: macros are expanded, and only declarations that functions use stay, under the file's
   names. */
#include <string.h>

#include "base/alloc.h"
#include "export/plain/plain.h"
#include "tests/support/harness.h"

static void describe(const void *context, const char *step, struct text *comment, const char **word) {
    (void)context, (void)step;
    text_add(comment, "one line");
    *word = "exp";
}
/* Return the text of `from` and of functions that call it; NULL without memory. */
static const char *plain(const char *from, const char *functions, const char *header) {
    struct text calls = {0}, words = {0}, to = {0};
    const struct plain_names names = {
        .prefix = "m", .functions = &calls, .header = &words, .describe = describe};
    text_add(&calls, "%s", functions);
    text_add(&words, "%s", header);
    bool done = !calls.failed && !words.failed && plain_make(&to, from, &names);
    text_drop(&calls);
    text_drop(&words);
    if (!done) text_drop(&to);
    CHECK(done || test_starving(), "no text");
    return done ? test_own(text_take(&to), mem_free) : NULL;
}
static void expect(const char *from, const char *want) {
    const char *found = plain(from, "int f(void) { return use(); }\n", "f");
    char *whole = test_room(strlen(want) + 64);
    if (!found) return;
    text_print(whole, strlen(want) + 64, "%sint f(void) { return m_use(); }\n", want);
    CHECK(!strcmp(found, whole), "found\n%sinstead of\n%s", found, whole);
}

/* Names are pasted from arguments that are not expanded, and expanded then; a macro does not expand itself. */
static void macros(void) {
    expect("#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\n#define L(name) JOIN(name##_, LANE)\n"
           "#define LANE f32\n#define fabs(x) fabs(x)\nstatic float L(abs)(float x) { return fabs(x); }\n"
           "int use(void) { return L(abs)(1); }\n",
           "static float m_abs_f32(float x) { return fabs(x); }\nint m_use(void) { return m_abs_f32(1); }\n");
    expect("#define TO_f32(x) (float)(x)\n#define TO(kind) TO_##kind\n#define ADD(a, b) ((a) + (b))\n"
           "int use(int x) { return TO(f32)(ADD(x, (2, 3))) + ADD(, 1); }\n",
           "int m_use(int x) { return (float)(((x) + ((2, 3)))) + (() + (1)); }\n");
    expect("#define NOTHING\n#define use2 use\nNOTHING int use2(void) { return - -1; }\n",
           "int m_use(void) { return - -1; }\n");
}
static void conditions(void) {
    expect("#define BITS 32\n#if BITS == 64 || (BITS > 16 && !defined(NONE))\nint "
           "use(void);\n#else\nlost\n#endif\n"
           "#ifndef BITS\nlost\n#elif BITS - 32\nlost\n#else\nint use(void) { return BITS; }\n#endif\n",
           "int m_use(void);\nint m_use(void) { return 32; }\n");
    /* The compiler of the file decides. */
    expect("#if defined(__GNUC__) && 1\n#define FAST fast\n#else\n#define FAST\n#endif\n"
           "#ifdef __cplusplus\n#define UNUSED 1\n#endif\nint use(void) { return FAST 1; }\n",
           "#if defined(__GNUC__) && 1\n#define m_FAST fast\n#else\n#define m_FAST\n#endif\n"
           "int m_use(void) { return m_FAST 1; }\n");
    /* It decides on names that its branches define, but within a branch these are known. */
    expect(
        "#if defined(__GNUC__)\n#define FAST 2 * 3\n#if FAST == 6\nint use(void) { return FAST; }\n#endif\n"
        "#else\n#ifdef FAST\nlost\n#endif\nint use(void);\n#endif\n#if FAST\nint use(int);\n#endif\n"
        "#ifdef FAST\nint use(long);\n#endif\n",
        "#if defined(__GNUC__)\n#define m_FAST 2 * 3\nint m_use(void) { return 2 * 3; }\n"
        "#else\nint m_use(void);\n#endif\n#if m_FAST\nint m_use(int);\n#endif\n"
        "#if defined m_FAST\nint m_use(long);\n#endif\n");
    /* Macros keep their definitions after the condition, unless it changes them. */
    expect("#define A 1\n#define B 2\n#if defined(__GNUC__)\n#undef A\n#define A 3\n#else\n#undef A\n#define "
           "A 4\n"
           "#endif\nint use(void) { return A + B; }\n",
           "#if defined(__GNUC__)\n#define m_A 3\n#else\n#define m_A 4\n#endif\n"
           "int m_use(void) { return m_A + 2; }\n");
}
/* Types and functions of each branch have the same names; each has what its own functions call. */
static void branches(void) {
    expect(
        "#if defined(__GNUC__)\n#define MADE(type) typedef float __attribute__((vector_size(16))) type; \\\n"
        "    static inline __attribute__((always_inline)) type sum_##type(type a, type b) { return a + b; }\n"
        "MADE(f32x4)\nstatic f32x4 twice(f32x4 a) { return sum_f32x4(a, a); }\n"
        "typedef f32x4 vector;\nstatic f32x4 lost(vector a) { return twice(a); }\n"
        "static vector use(vector a) { return twice(a); }\n"
        "#else\ntypedef struct f32x4 { float lane[4]; } f32x4;\nstatic f32x4 twice(f32x4 a) { return a; }\n"
        "static f32x4 sum_f32x4(f32x4 a, f32x4 b) { return a; }\nstatic f32x4 use(f32x4 a) { return a; }\n"
        "#endif\n",
        "#if defined(__GNUC__)\ntypedef float __attribute__((vector_size(16))) m_f32x4;\n"
        "static inline __attribute__((always_inline)) m_f32x4 m_sum_f32x4(m_f32x4 a, m_f32x4 b) { return a + "
        "b; }\n"
        "static m_f32x4 m_twice(m_f32x4 a) { return m_sum_f32x4(a, a); }\n"
        "static m_f32x4 m_use(m_f32x4 a) { return m_twice(a); }\n"
        "#else\ntypedef struct m_f32x4 {\n    float lane[4];\n} m_f32x4;\n"
        "static m_f32x4 m_use(m_f32x4 a) { return a; }\n#endif\n");
    /* A type that each branch defines is not replaced by its definition. */
    expect("#ifdef __GNUC__\ntypedef float real;\n#else\ntypedef double real;\n#endif\nreal use(real x);\n",
           "#if defined __GNUC__\ntypedef float m_real;\n#else\ntypedef double m_real;\n#endif\n"
           "m_real m_use(m_real x);\n");
    /* Definitions may have braces and parentheses that do not end. */
    expect("#ifdef __GNUC__\n#define BEGIN(x) (x){\n#else\n#define BEGIN(x) {\n#endif\n"
           "int use(void) { return 1; }\nint more = BEGIN(int);\n",
           "int m_use(void) { return 1; }\n");
}
/* Declarations that nothing needs are left out, and typedefs of numbers are replaced. */
static void uses(void) {
    expect("#include <math.h>\ntypedef float f32;\ntypedef f32 vector;\nstruct pair { f32 x, y; };\n"
           "typedef struct other { int x; } other;\nenum { LOST = 1 };\nenum { SIZE = 2 };\n"
           "static const f32 table[SIZE] = {1, 2}, more[] = {3};\nstatic int lost(other x) { return x.x; }\n"
           "static vector use(struct pair p) { return p.x + table[0]; }\n",
           "#include <math.h>\nstruct m_pair {\n    float x, y;\n};\nenum {\n    m_SIZE = 2\n};\n"
           "static const float m_table[m_SIZE] = {1, 2}, m_more[] = {3};\n"
           "static float m_use(struct m_pair p) { return p.x + m_table[0]; }\n");
}
/* Steps of equal text are one function; names of the header are not taken. */
static void steps(void) {
    const char *found =
        plain("#define STEP static void\nSTEP k0123456789abcdef_0(int x) { go(x); }\n"
              "STEP k1123456789abcdef_0(int x) { go(x); }\nSTEP k2123456789abcdef_0(void) {}\n"
              "static void go(int x) { }\n",
              "void f(void) {\nk1123456789abcdef_0(1);\nk0123456789abcdef_0(2);\n}\n",
              "void m_exp_0(void); int m_go;");
    const char *want =
        "/* one line */\nstatic void m_exp_0_(int x) { m_go_(x); }\n\nstatic void m_go_(int x) {\n}\n\n"
        "void f(void) {\n    m_exp_0_(1);\n    m_exp_0_(2);\n}\n";
    CHECK(!found || !strcmp(found, want), "found\n%sinstead of\n%s", found, want);
}
/* Texts that end within a definition, a call, a string or a comment. */
static void texts_that_end(void) {
    static const char *const texts[] = {"#define",
                                        "#define use(a",
                                        "#define use(a) a\nuse(1",
                                        "\"a\\",
                                        "/* a",
                                        "#if (1",
                                        "#if defined(",
                                        "#endif\n#else",
                                        "int use(void) {",
                                        "#elif 1\nuse;",
                                        "}}} use ; }{",
                                        "struct use",
                                        "enum use {",
                                        "typedef use use",
                                        "#if defined(__GNUC__)\n#define use 1\n#else",
                                        "__attribute__((use",
                                        "__attribute__",
                                        "#if __GNUC__(\nint use;"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) plain(texts[i], "use();", "");
}

TESTS_MAIN(TEST(macros), TEST(conditions), TEST(branches), TEST(uses), TEST(steps), TEST(texts_that_end))
