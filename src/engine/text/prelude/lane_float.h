/* Text, template: a lane of floating-point numbers. */
ALWAYS int L(negative)(SCALAR x) { return AS_INTS(x) < 0; }
ALWAYS SCALAR L(wrapping)(SCALAR x) { return x; }
