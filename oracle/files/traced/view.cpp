#include "files/traced/view.hpp"

#include <algorithm>

#include "base/ranges.hpp"

namespace dodona::files {

namespace {

AxisFactors joined(const AxisFactors& factors) {
    AxisFactors result;
    for (const AxisFactor& factor : factors) {
        if (!result.empty() && result.back().dimension == factor.dimension &&
            result.back().step == factor.step * factor.extent) {
            result.back().step = factor.step;
            result.back().extent *= factor.extent;
        } else {
            result.push_back(factor);
        }
    }
    return result;
}

std::int64_t extent_of(const AxisFactors& axis) {
    std::int64_t extent = 1;
    for (const AxisFactor& factor : axis) {
        extent *= factor.extent;
    }
    return extent;
}

}  // namespace

TensorView whole_view(std::size_t layer, const Shape& extents) {
    TensorView view{.layer = layer, .axes = {}};
    for (std::size_t i = 0; i < extents.size(); ++i) {
        view.axes.emplace_back();
        if (extents[i] != 1) {
            view.axes.back().push_back({.dimension = static_cast<int>(i), .step = 1, .extent = extents[i]});
        }
    }
    return view;
}

Shape shape_of(const TensorView& view) {
    Shape shape;
    append(shape, view.axes, [](const AxisFactors& axis) { return extent_of(axis); });
    return shape;
}

AxisFactors factors_of(const TensorView& view) {
    AxisFactors all;
    for (const AxisFactors& axis : view.axes) {
        all.insert(all.end(), axis.begin(), axis.end());
    }
    return joined(all);
}

std::optional<TensorView> reshaped(const TensorView& view, const Shape& shape) {
    AxisFactors left = factors_of(view);
    std::reverse(left.begin(), left.end());  // the next one is the last
    TensorView result{.layer = view.layer, .axes = {}, .is_part = view.is_part};
    for (std::int64_t extent : shape) {
        AxisFactors axis;
        while (extent > 1) {
            if (left.empty()) {
                return std::nullopt;
            }
            AxisFactor& next = left.back();
            if (extent % next.extent == 0) {
                extent /= next.extent;
                axis.push_back(next);
                left.pop_back();
            } else if (next.extent % extent == 0) {
                next.extent /= extent;
                axis.push_back({.dimension = next.dimension, .step = next.step * next.extent, .extent = extent});
                extent = 1;
            } else {
                return std::nullopt;
            }
        }
        result.axes.push_back(joined(axis));
    }
    return left.empty() ? std::optional(result) : std::nullopt;
}

TensorView transposed(const TensorView& view, const std::vector<std::int64_t>& axes) {
    TensorView result{.layer = view.layer, .axes = {}, .is_part = view.is_part};
    for (const std::int64_t axis : axes) {
        result.axes.push_back(view.axes[static_cast<std::size_t>(axis)]);
    }
    return result;
}

std::optional<TensorView> sliced(const TensorView& view, std::size_t axis, std::int64_t extent) {
    TensorView result = view;
    AxisFactors& factors = result.axes[axis];
    const std::int64_t whole = extent_of(factors);
    if (factors.empty() || extent < 1) {
        return extent == whole ? std::optional(result) : std::nullopt;
    }
    const std::int64_t inner = whole / factors.front().extent;
    if (extent % inner == 0) {
        factors.front().extent = extent / inner;
        if (factors.front().extent == 1) {
            factors.erase(factors.begin());
        }
    } else if (factors.size() == 1 || inner % extent == 0) {
        factors = {{.dimension = factors.back().dimension, .step = factors.back().step, .extent = extent}};
    } else {
        return std::nullopt;
    }
    result.is_part = result.is_part || extent != whole;
    return result;
}

std::optional<TensorView> expanded(const TensorView& view, const Shape& shape) {
    TensorView result = view;
    if (shape.size() < view.axes.size()) {
        return std::nullopt;
    }
    result.axes.insert(result.axes.begin(), shape.size() - view.axes.size(), AxisFactors());
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t extent = extent_of(result.axes[i]);
        if (extent == 1 && shape[i] != 1) {
            result.axes[i] = {{.dimension = kRepeated, .step = 1, .extent = shape[i]}};
        } else if (extent != shape[i]) {
            return std::nullopt;
        }
    }
    return result;
}

std::int64_t extent_in(const TensorView& view, int dimension) {
    std::int64_t extent = 1;
    for (const AxisFactors& axis : view.axes) {
        for (const AxisFactor& factor : axis) {
            extent *= factor.dimension == dimension ? factor.extent : 1;
        }
    }
    return extent;
}

bool is_dimension(const AxisFactors& axis, int dimension, std::int64_t extent) {
    return extent == 1 ? axis.empty() : axis == AxisFactors{{.dimension = dimension, .step = 1, .extent = extent}};
}

}  // namespace dodona::files
