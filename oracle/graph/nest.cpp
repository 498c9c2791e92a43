#include "graph/nest.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::graph {

namespace {

double product(const std::vector<TensorDimension>& dimensions) {
    double elements = 1;
    for (const TensorDimension& dimension : dimensions) {
        elements *= dimension.density * static_cast<double>(dimension.extent);
    }
    return elements;
}

}  // namespace

std::optional<std::size_t> Tensor::find(std::string_view dimension) const {
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (dimensions[i].name == dimension) {
            return i;
        }
    }
    return std::nullopt;
}

TensorDimension ragged(std::string name, std::vector<Extent> each) {
    const Extent largest = *std::max_element(each.begin(), each.end());
    const double sum = std::accumulate(each.begin(), each.end(), 0.0);
    const double mean = sum / static_cast<double>(each.size());
    return {.name = std::move(name),
            .extent = largest,
            .density = mean / static_cast<double>(largest),
            .each = std::move(each)};
}

double Tensor::elements() const { return product(dimensions); }

std::string Tensor::shape() const {
    std::string text;
    for (std::size_t i = 1; i < dimensions.size(); ++i) {
        text += fmt::format("{}{} {}", i > 1 ? ", " : "", dimensions[i].name, dimensions[i].extent);
    }
    return fmt::format("({})", text);
}

bool Operand::has(int loop) const { return std::find(loops.begin(), loops.end(), loop) != loops.end(); }

double Weight::elements() const { return product(dimensions); }

int Nest::loop(std::string_view name) const {
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (loops[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return kNoLoop;
}

LocalExtents Nest::whole() const {
    LocalExtents local;
    append(local.loops, loops, [](const Loop& loop) { return loop.density * static_cast<double>(loop.extent); });
    return local;
}

}  // namespace dodona::graph
