/* Graphs seen from outside: the nodes that lead to some tensors, and passes of the caller's over them.  Part of
   <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_WALK_HPP
#define TYTO_CPLUSPLUS_WALK_HPP

#include <tyto/cplusplus/handles.hpp>

#include <iterator>

TY_CXX_BEGIN

/* The nodes of a graph, operands first: for (const ty::tensor &x : ty::walk({y})) ...  (ty_walk) */
class walk : public handle<ty_walk, ty_walk_free, ty_walk_error> {
  public:
    /* A reader of a node, and which of its operands the node is. */
    struct use {
        int64_t node;
        int operand;
    };
    /* A place in the list of nodes. */
    class iterator {
      public:
        using value_type = tensor;
        using reference = tensor;
        using pointer = const tensor *;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        iterator(const walk *of, int64_t node) noexcept : of_(of), node_(node) {}
        tensor operator*() const { return (*of_)[node_]; }
        iterator &operator++() noexcept {
            ++node_;
            return *this;
        }
        iterator operator++(int) noexcept { return {of_, node_++}; }
        bool operator==(const iterator &x) const noexcept { return node_ == x.node_; }
        bool operator!=(const iterator &x) const noexcept { return node_ != x.node_; }

      private:
        const walk *of_;
        int64_t node_;
    };

    walk() noexcept = default;
    explicit walk(const list &roots) : handle((ty_walk_new)(roots.count(), roots.get())) {}
    int64_t size() const noexcept { return ty_walk_nodes(get()); }
    tensor operator[](int64_t node) const {
        return detail::shared([&] { return (ty_walk_node)(get(), node); });
    }
    iterator begin() const noexcept { return {this, 0}; }
    iterator end() const noexcept { return {this, size()}; }
    /* Return the number of the node x, -1 if there is none. */
    int64_t index(const tensor &x) const noexcept { return (ty_walk_index)(get(), x.get()); }
    int64_t operand(int64_t node, int i) const noexcept { return ty_walk_operand(get(), node, i); }
    /* Return the readers of a node inside of the graph. */
    std::vector<use> consumers(int64_t node) const {
        std::vector<use> uses(static_cast<std::size_t>(ty_walk_consumers(get(), node)));
        for (std::size_t i = 0; i < uses.size(); i++)
            uses[i].node = ty_walk_consumer(get(), node, static_cast<int64_t>(i), &uses[i].operand);
        return uses;
    }
    /* Return the number of the first node from `from` on that has this name, -1 if there is none. */
    int64_t find(const cstring &name, int64_t from = 0) const noexcept {
        return ty_walk_find(get(), name.get(), from);
    }
    /* Return the numbers of a node and of all that it is computed from. */
    std::vector<int64_t> ancestors(int64_t node, ty_walk_order order = TY_OPERANDS_FIRST) const {
        return visited(ty_walk_ancestors, node, order);
    }
    /* Return the numbers of a node and of all in the graph that is computed from it. */
    std::vector<int64_t> descendants(int64_t node, ty_walk_order order = TY_OPERANDS_FIRST) const {
        return visited(ty_walk_descendants, node, order);
    }

  private:
    using visitor = int64_t (*)(const ty_walk *, int64_t, ty_walk_order, ty_node_visitor, void *, ty_tensor **);
    std::vector<int64_t> visited(visitor visit, int64_t node, ty_walk_order order) const {
        std::vector<int64_t> numbers;
        numbers.reserve(static_cast<std::size_t>(size())); /* no exception passes through C */
        ty_tensor *reason = nullptr;
        auto note = [](void *context, int64_t number, ty_tensor *) -> bool {
            static_cast<std::vector<int64_t> *>(context)->push_back(number);
            return true;
        };
        detail::done(visit(get(), node, order, note, &numbers, &reason) >= 0, reason);
        return numbers;
    }
};

/* Return the roots computed from pass(x, y) of each node x, where y is x on its new operands (ty_transform).  An empty
   tensor stands for y. */
template <class F> std::vector<tensor> transform(F pass, const list &roots) {
    auto call = [](void *context, ty_tensor *x, ty_tensor *y) -> ty_tensor * {
        return detail::returned(
            [&] { return tensor((*static_cast<F *>(context))(tensor::share(x), tensor::share(y))); });
    };
    std::vector<tensor> results(roots.size());
    (ty_transform)(call, detail::context_of(pass), roots.count(), roots.get(),
                   detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    return results;
}

TY_CXX_END
#endif
