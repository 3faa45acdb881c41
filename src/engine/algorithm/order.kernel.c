/* Text, template: keys of complex numbers (array/order_key.h), two words for each.  Parameter: TYPE, c64 or c128. */
static void T(order_keys)(i64 item, MEMORY const TYPE *x, MEMORY u64 *keys) {
    const struct order_key key = order_key_complex(x[item].x, x[item].y);
    keys[2 * item] = key.first;
    keys[2 * item + 1] = key.second;
}
