// What a tensor of a traced graph is of a layer's result: the same numbers with axes split, joined and exchanged.
//
// A layer has named dimensions and keeps them; graphs of exporters reshape and transpose between any two operators. Each
// axis of a tensor is a product of factors of dimensions, the outer one first: of 768 features as 12 heads of 64, the
// heads are the factor of extent 12 that steps by 64.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "files/traced/traced_graph.hpp"

namespace dodona::files {

struct AxisFactor {
    int dimension = 0;      ///< of the layer's result, the batch is 0; kRepeated: the same numbers again
    std::int64_t step = 1;  ///< positions of the dimension from one to the next
    std::int64_t extent = 1;
    bool operator==(const AxisFactor&) const = default;
};
inline constexpr int kRepeated = -1;

using AxisFactors = std::vector<AxisFactor>;  ///< of one axis; extents of 1 are left out

struct TensorView {
    std::size_t layer = 0;
    std::vector<AxisFactors> axes;
    bool is_part = false;  ///< not all of the layer's result
};

/// All of a layer's result; `extents` has the batch first.
TensorView whole_view(std::size_t layer, const Shape& extents);

Shape shape_of(const TensorView& view);

/// Nothing where an axis of the new shape would be no product of factors.
std::optional<TensorView> reshaped(const TensorView& view, const Shape& shape);
TensorView transposed(const TensorView& view, const std::vector<std::int64_t>& axes);
/// `extent` positions of an axis.
std::optional<TensorView> sliced(const TensorView& view, std::size_t axis, std::int64_t extent);
/// Axes of extent 1 repeated to a larger shape, which may have more axes in front.
std::optional<TensorView> expanded(const TensorView& view, const Shape& shape);

/// All factors, outer ones first, those that are neighbours in their dimension joined.
AxisFactors factors_of(const TensorView& view);

/// Positions of a dimension that the view has.
std::int64_t extent_in(const TensorView& view, int dimension);

/// Whether an axis is a dimension of this extent, all of it, in order.
bool is_dimension(const AxisFactors& axis, int dimension, std::int64_t extent);

}  // namespace dodona::files
