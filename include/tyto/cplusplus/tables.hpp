/* Tables of named columns.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_TABLES_HPP
#define TYTO_CPLUSPLUS_TABLES_HPP

#include <tyto/cplusplus/handles.hpp>

TY_CXX_BEGIN

/* Columns of one length, which never change: members return other tables, which share the memory of unchanged columns.
   Indices of columns and rows count from 0. */
class table : public handle<ty_table, ty_table_free, ty_table_error> {
  public:
    table() noexcept = default;
    /* Read the delimited text at `path`, such as csv. */
    explicit table(const cstring &path, const ty_table_options &options = {})
        : handle((ty_table_read)(path.get(), options)) {}
    explicit table(ty_table *owned) : handle(owned) {}
    /* Read delimited text in memory. */
    static table parse(const std::string &text, const ty_table_options &options = {}) {
        return table((ty_table_parse)(text.data(), text.size(), options));
    }
    /* Make a table of vectors of one length, whose names differ. */
    static table of(const std::vector<std::string> &names, const list &columns) {
        int n = detail::same_length("table", names.size(), static_cast<std::size_t>(columns.count()));
        if (n < 0) return table();
        return table((ty_table_new)(n, texts(names).data(), columns.get()));
    }

    int64_t rows() const noexcept { return ty_table_rows(get()); }
    int64_t columns() const noexcept { return ty_table_columns(get()); }
    /* Return the name of column i; NULL if i is outside. */
    const char *name(int64_t i) const noexcept { return ty_table_name(get(), i); }
    /* Return the index of a column; -1 if there is none. */
    int64_t find(const cstring &name) const noexcept { return ty_table_find(get(), name.get()); }
    ty_column_kind kind(int64_t i) const noexcept { return ty_table_kind(get(), i); }
    /* Return the number of distinct words of column i, and word `code` of it (NULL: none). */
    int64_t words(int64_t i) const noexcept { return ty_table_words(get(), i); }
    const char *word(int64_t i, int64_t code) const noexcept { return ty_table_word(get(), i, code); }

    /* Return a column [rows]: numbers with NaN where they are missing, or codes of words, -1 where missing. */
    tensor operator[](int64_t i) const { return detail::take((ty_table_at)(get(), i)); }
    tensor operator[](const cstring &name) const {
        return detail::take((ty_table_column)(get(), name.get()));
    }
    /* Return the stored values of column i in their own dtype, and the mask of missing elements. */
    tensor values(int64_t i) const { return detail::take((ty_table_values)(get(), i)); }
    tensor missing(int64_t i) const { return detail::take((ty_table_missing)(get(), i)); }
    /* Return columns of numbers as a matrix [rows, columns]. */
    tensor matrix(ty_dtype as) const { return detail::take((ty_table_matrix)(get(), as)); }
    template <class T> tensor matrix() const { return matrix(dtype_of<T>()); }

    /* Return a table with a column replaced, or added behind the others; `missing`, bool, marks missing elements. */
    table with(const cstring &name, const tensor &values, const tensor &missing = {}) const {
        return table((ty_table_with)(get(), name.get(), values.get(), missing.get()));
    }
    /* Return a table of these columns, in this order. */
    table select(const std::vector<std::string> &names) const {
        return table((ty_table_select)(get(), size(names), texts(names).data()));
    }
    /* Return a table of the rows of an index, a mask, or start <= i < stop. */
    table take(const tensor &index) const { return table((ty_table_take)(get(), index.get())); }
    table where(const char *expression) const { return table((ty_table_where)(get(), expression)); }
    table filter(const tensor &mask) const { return table((ty_table_filter)(get(), mask.get())); }
    table between(int64_t start, int64_t stop) const {
        return table((ty_table_rows_between)(get(), start, stop));
    }
    /* Return the rows in ascending order of columns, the first name most significant. */
    table sort(const std::vector<std::string> &names) const {
        return table((ty_table_sort)(get(), size(names), texts(names).data(), nullptr));
    }

    /* Return a line of names, one of kinds, and rows. */
    std::string to_string(const ty_table_print_options &options = {}) const {
        return detail::text((ty_table_to_string)(get(), options));
    }
    /* Write the table to a file of delimited text, atomically; gzipped if the path ends in .gz. */
    void write(const cstring &path, const ty_table_write_options &options = {}) const {
        ty_tensor *reason = nullptr;
        detail::done((ty_table_write)(path.get(), get(), options, &reason), reason);
    }

  private:
    static int64_t size(const std::vector<std::string> &names) noexcept {
        return static_cast<int64_t>(names.size());
    }
    static std::vector<const char *> texts(const std::vector<std::string> &names) {
        std::vector<const char *> words;
        for (const std::string &name : names) words.push_back(name.c_str());
        return words;
    }
};

template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out, const table &x) {
    return out << x.to_string().c_str();
}

TY_CXX_END
#endif
