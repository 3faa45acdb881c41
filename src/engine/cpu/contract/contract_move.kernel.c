/*
 * Copies rows x columns runs of bytes, any steps, unaligned; a run is at least one vector, and its end is copied by
 * an overlapping vector. Packing reads its source in memory order, so that lines come as streams.
 */
typedef char move_vector __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

/* Copy rows x columns runs of m->run bytes each by whole vectors; runs are at least one vector long. */
static void move_runs(const struct move_call *m) {
    for (int64_t j = 0; j < m->rows; j++)
        for (int64_t i = 0; i < m->columns; i++) {
            const char *from = m->from + j * m->from_row + i * m->from_column;
            char *to = m->to + j * m->to_row + i * m->to_column;
            int64_t k = 0;
            for (; k + 2 * VECTOR_BYTES <= m->run; k += 2 * VECTOR_BYTES) {
                move_vector x = *(const move_vector *)(from + k),
                            y = *(const move_vector *)(from + k + VECTOR_BYTES);
                *(move_vector *)(to + k) = x;
                *(move_vector *)(to + k + VECTOR_BYTES) = y;
            }
            if (k + VECTOR_BYTES <= m->run) *(move_vector *)(to + k) = *(const move_vector *)(from + k);
            if (m->run % VECTOR_BYTES)
                *(move_vector *)(to + m->run - VECTOR_BYTES) =
                    *(const move_vector *)(from + m->run - VECTOR_BYTES);
        }
}
