// Algorithms on whole ranges, and lists made of their elements, in their order.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace dodona {

/// Algorithms of the standard library on whole ranges: the compiler for browsers lacks std::ranges.
template <class Range, class Predicate>
bool any_of(const Range& range, const Predicate& holds) {
    return std::any_of(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
bool all_of(const Range& range, const Predicate& holds) {
    return std::all_of(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
bool none_of(const Range& range, const Predicate& holds) {
    return std::none_of(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
auto count_if(const Range& range, const Predicate& holds) {
    return std::count_if(std::begin(range), std::end(range), holds);
}
template <class Range, class Predicate>
auto find_if(Range& range, const Predicate& holds) {
    return std::find_if(std::begin(range), std::end(range), holds);
}
template <class Range, class Less = std::less<>>
auto min_element(Range& range, const Less& less = {}) {
    return std::min_element(std::begin(range), std::end(range), less);
}
template <class Range, class Less = std::less<>>
auto max_element(Range& range, const Less& less = {}) {
    return std::max_element(std::begin(range), std::end(range), less);
}
template <class Range, class Less>
void stable_sort(Range& range, const Less& less) {
    std::stable_sort(std::begin(range), std::end(range), less);
}

/// Whether an element equals the value.
template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
    return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

/// The first element of which `holds` is true; null where there is none.
template <class Range, class Predicate>
auto* found_in(Range& range, const Predicate& holds) {
    const auto found = std::find_if(std::begin(range), std::end(range), holds);
    return found == std::end(range) ? nullptr : &*found;
}

/// The first element whose member has the value; null where there is none.
template <class Range, class Member, class Value>
auto* found_in(Range& range, const Member& member, const Value& value) {
    return found_in(range, [&](const auto& element) { return std::invoke(member, element) == value; });
}

/// A T of each element: what `of`, a function or a member of the element, has for it.
template <class T, class Range, class Function>
std::vector<T> mapped(const Range& range, const Function& of) {
    std::vector<T> made;
    for (const auto& element : range) {
        made.emplace_back(std::invoke(of, element));
    }
    return made;
}

/// A T of each element of which `holds`, a function or a member, is true.
template <class T, class Range, class Predicate, class Function>
std::vector<T> mapped_where(const Range& range, const Predicate& holds, const Function& of) {
    std::vector<T> made;
    for (const auto& element : range) {
        if (std::invoke(holds, element)) {
            made.emplace_back(std::invoke(of, element));
        }
    }
    return made;
}

/// The elements of which `holds` is true.
template <class T, class Range, class Predicate>
std::vector<T> filtered(const Range& range, const Predicate& holds) {
    std::vector<T> kept;
    std::copy_if(std::begin(range), std::end(range), std::back_inserter(kept), holds);
    return kept;
}

/// The sum, from T{} on, of what `of`, a function or a member, has for each element.
template <class T, class Range, class Function>
T sum_of(const Range& range, const Function& of) {
    T sum{};
    for (const auto& element : range) {
        sum += std::invoke(of, element);
    }
    return sum;
}

/// The texts that `of` makes of the elements, one after the other.
template <class Range, class Function>
std::string concatenated(const Range& range, const Function& of) {
    return sum_of<std::string>(range, of);
}

/// Adds the elements, or what `of` makes of each, at the end of a list.
template <class List, class Range, class Function = std::identity>
void append(List& list, const Range& range, const Function& of = {}) {
    for (const auto& element : range) {
        list.emplace_back(std::invoke(of, element));
    }
}

}  // namespace dodona
