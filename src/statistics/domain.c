/* Error messages for parameters outside their domain. */
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <string.h>
#include "base/text.h"
#include "statistics/words.h"

/* Write, such as "shape is -1, scale is 2", the values of parameters[n], with the names in `words`, at row-
   major index `at` of the shape of `like` to out[room]; a longer text is cut. False, with no fault set, if
   they cannot be computed. */
static bool found_words(char *out, size_t room, const char *words, T like, int64_t at, int n,
                        T const *parameters) {
    size_t used = 0;
    for (int i = 0; i < n; i++, words += strcspn(words, " "), words += *words == ' ') {
        T flat = ty_ravel(ty_broadcast(ty_cast(parameters[i], TY_F64), ty_rank(like), ty_shape(like)));
        T number = ty_slice(flat, 0, at, at + 1, 1);
        if (!ty_ok(number)) return false;
        int length = text_print(out + used, room - used, "%s%.*s is %.9g", i ? ", " : "",
                                (int)strcspn(words, " "), words, ty_item(number));
        if (length < 0 || (size_t)length >= room - used) return true;
        used += (size_t)length;
    }
    return true;
}

T distribution_refuse(const char *name, const char *row, const char *words, const char *domain, T outside,
                      int n, T const *parameters) {
    if (!ty_ok(outside)) return outside;
    ty_scope *scope = ty_open();
    T flat = ty_ravel(outside), any = ty_any(flat, TY_ALL);
    if (ty_ok(any) && ty_item(any) == 0) return ty_close(scope), NULL;
    T first = ty_ok(any) ? ty_argmax(ty_cast(flat, TY_U8), TY_ALL) : any;
    if (!ty_ok(first)) return leave(scope, first);
    int64_t at = (int64_t)ty_item(first);
    char found[160] = "", place[48] = "";
    if (!found_words(found, sizeof found, words, outside, at, n, parameters))
        return leave(scope, tensor_out_of_memory());
    if (ty_size(outside) > 1) text_print(place, sizeof place, " (element %lld)", (long long)at);
    return leave(scope, ty_poison_code(E_DOMAIN, "%s: %s expects %s%s%s%s", name, row, domain,
                                       n ? ", but here " : ", which does not hold", found, place));
}
