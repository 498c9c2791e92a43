// What several operators share: shapes, windows, element-wise nests.
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr std::array<std::string_view, 4> kImageDimensions{"depth", "height", "width", "length"};

/// out = floor((in + 2*pad - span) / stride) + 1; in ceil mode rounded up, but no window starts in the far padding.
/// Source: PyTorch documentation, torch.nn.Conv2d and torch.nn.MaxPool2d ("Shape").
Extent positions(Extent in, const Window& window, bool ceil) {
    const Extent room = in + 2 * window.pad - window.span();
    Extent out = room / window.stride + 1;
    if (ceil && room % window.stride != 0 && out * window.stride < in + window.pad) {
        ++out;
    }
    return out;
}

}  // namespace

bool is_image(Attributes& attributes, const Tensor& x) {
    const auto& dimensions = x.dimensions;
    bool image = dimensions.size() >= 3 && dimensions.size() <= 5 && dimensions[1].name == "channel";
    for (std::size_t i = 2; image && i < dimensions.size(); ++i) {
        image = contains(kImageDimensions, dimensions[i].name);
    }
    if (!image) {
        attributes.error(fmt::format("reads {}, which is not an image", x.shape()),
                         "an image is: channel, then one to three of depth, height, width, length");
    }
    return image;
}

bool is_sequence(Attributes& attributes, const Tensor& x) {
    if (x.dimensions.size() == 3 && x.dimensions[1].name == "sequence" && x.dimensions[2].name == "feature") {
        return true;
    }
    attributes.error(fmt::format("reads {}, but needs sequence and feature", x.shape()));
    return false;
}

bool has_whole_documents(Attributes& attributes, const Tensor& x, Extent documents) {
    if (x.dimensions[1].extent % documents == 0) {
        return true;
    }
    attributes.error_at("documents",
                        fmt::format("a sequence of {} is not {} equal parts", x.dimensions[1].extent, documents));
    return false;
}

bool is_number_a_channel(const Tensor& vector, const Tensor& image) {
    return image.dimensions.size() > 2 && image.dimensions[1].name == "channel" && vector.dimensions.size() == 2 &&
           vector.dimensions[1] == TensorDimension{"feature", image.dimensions[1].extent};
}

bool has_features(Attributes& attributes, const Tensor& x) {
    if (x.dimensions.size() >= 2) {
        return true;
    }
    attributes.error("reads one number a sample, but needs a dimension to work on");
    return false;
}

bool same_shapes(Attributes& attributes, std::span<const Tensor> inputs) {
    for (const Tensor& other : inputs) {
        if (other.dimensions != inputs[0].dimensions) {
            attributes.error(
                fmt::format("reads {} and {}, but its inputs must have one shape", inputs[0].shape(), other.shape()));
            return false;
        }
    }
    return true;
}

std::size_t dimension_along(Attributes& attributes, const Tensor& x, const std::string& usual) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < x.dimensions.size(); ++i) {
        names.push_back(x.dimensions[i].name);
    }
    if (usual.empty() && !attributes.has("along")) {
        attributes.error_at("along", "missing", fmt::format("name a dimension: {}", join(names)));
    }
    return x.find(attributes.word("along", names, usual)).value_or(1);
}

ImageGeometry image_geometry(Attributes& attributes, const Tensor& x, WindowKind kind) {
    const bool pooling = kind == WindowKind::pooling;
    const bool image = is_image(attributes, x);
    const std::size_t count = image ? x.dimensions.size() - 2 : 1;
    const auto kernel = attributes.per_dimension("kernel", count, 1, true, 1);
    const auto stride = attributes.per_dimension("stride", count, 1, false, 1);
    const auto pad = attributes.per_dimension("pad", count, 0, false, 0);
    const auto dilation =
        pooling ? std::vector<Extent>(count, 1) : attributes.per_dimension("dilation", count, 1, false, 1);
    const bool ceil = pooling && attributes.flag("ceil", false);
    if (!image) {
        return {};
    }

    ImageGeometry geometry{.channels = x.dimensions[1].extent, .names = {}, .inputs = {}, .outputs = {}};
    for (std::size_t i = 0; i < count; ++i) {
        const TensorDimension& dimension = x.dimensions[i + 2];
        const Window window{.kernel = kernel[i],
                            .stride = pooling && !attributes.has("stride") ? kernel[i] : stride[i],
                            .pad = pad[i],
                            .dilation = dilation[i]};
        Extent out = 1;
        if (window.span() > dimension.extent + 2 * window.pad) {
            attributes.error_at("kernel", fmt::format("a window of {} is wider than the {} of {} with {} of padding",
                                                      window.span(), dimension.name, dimension.extent, 2 * window.pad));
        } else if (pooling && 2 * window.pad > window.kernel) {
            attributes.error_at("pad", fmt::format("{} is more than half the kernel of {}", window.pad, window.kernel),
                                "a window must not lie in the padding alone");
        } else {
            out = positions(dimension.extent, window, ceil);
        }
        geometry.names.push_back(dimension.name);
        geometry.inputs.push_back(dimension.extent);
        geometry.outputs.push_back(out);
        geometry.windows.push_back(window);
    }
    return geometry;
}

bool groups_divide(Attributes& attributes, Extent groups, Extent channels, Extent filters) {
    if (channels % groups == 0 && filters % groups == 0) {
        return true;
    }
    attributes.error_at(
        "groups", fmt::format("{} groups divide neither {} channels nor {} filters evenly", groups, channels, filters),
        "channels and filters must both be multiples of groups");
    return false;
}

Weight filter_bias(const Nest& nest) {
    Weight bias{.name = "bias", .dimensions = {}, .operand = {}};
    for (const char* name : {"group", "filter"}) {
        const int loop = nest.loop(name);
        bias.dimensions.push_back({name, nest.loops[static_cast<std::size_t>(loop)].extent});
        bias.operand.loops.push_back(loop);
    }
    return bias;
}

std::vector<int> all_loops(std::size_t count) {
    std::vector<int> loops(count);
    std::iota(loops.begin(), loops.end(), 0);
    return loops;
}

Loop loop_of(const TensorDimension& dimension) {
    return {.name = dimension.name,
            .extent = dimension.extent,
            .density = dimension.density,
            .imbalance = dimension.imbalance,
            .fullest = dimension.fullest};
}

Nest element_wise(const Tensor& x, std::size_t inputs) {
    Nest nest;
    append(nest.loops, x.dimensions, [](const TensorDimension& dimension) { return loop_of(dimension); });
    const Operand every{.loops = all_loops(nest.loops.size())};
    nest.inputs.assign(inputs, every);
    nest.output = every;
    nest.result = x;
    nest.follows = true;
    return nest;
}

double volume(const LocalExtents& local) { return volume_of_first(local, local.loops.size()); }

double volume_of_first(const LocalExtents& local, std::size_t count) {
    double product = 1;
    for (std::size_t i = 0; i < count; ++i) {
        product *= local.loops[i];
    }
    return product;
}

}  // namespace dodona::graph
