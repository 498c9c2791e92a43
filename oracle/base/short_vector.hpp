// A vector whose first elements lie in the object itself: lists that are made by the million and are nearly always short
// need no memory of their own.
#pragma once

#include <cstddef>

#include <boost/container/small_vector.hpp>

namespace dodona {

/// Up to `N` elements in place; all of them elsewhere where there are more.
template <class T, std::size_t N>
using ShortVector = boost::container::small_vector<T, N>;

}  // namespace dodona
