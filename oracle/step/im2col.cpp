#include "step/im2col.hpp"

#include <algorithm>

namespace dodona::step {

using graph::Direction;
using graph::Kernel;

namespace {

/// Of a matrix of windows: a row for each result of a filter, a column for each number that the filter weighs.
struct Columns {
    double rows = 0, columns = 0, groups = 1;
    [[nodiscard]] double elements() const { return groups * rows * columns; }
};

/// Groups are multiplied one after the other.
Kernel product(const Kernel& convolution, double filters, const Columns& of) {
    switch (convolution.direction) {
        case Direction::forward: return graph::matmul(of.rows, filters, of.columns);
        case Direction::backward_input: return graph::matmul(of.rows, of.columns, filters);
        case Direction::backward_weight: break;
    }
    Kernel sum = graph::matmul(filters, of.columns, of.rows);
    sum.elements += filters * of.columns;  // what other samples gave is read
    return sum;
}

}  // namespace

std::vector<Kernel> im2col(const Kernel& convolution, double at_once) {
    if (convolution.samples <= 0) {
        return {convolution};
    }
    const double parts = std::max(1.0, convolution.samples / at_once);
    const double groups = convolution.batch;
    const double weighed =
        convolution.flops.in(unit::flop) / (2 * convolution.positions * convolution.filters * groups);
    const Columns columns{.rows = convolution.positions / parts, .columns = weighed, .groups = groups};
    const double image = convolution.elements - groups * convolution.filters * (weighed + convolution.positions);

    Kernel pass = graph::stream(columns.elements() + image / parts);
    pass.times = parts * convolution.times;
    Kernel times = product(convolution, convolution.filters, columns);
    times.times = parts * groups * convolution.times;
    times.direction = pass.direction = convolution.direction;
    return {pass, times};
}

}  // namespace dodona::step
