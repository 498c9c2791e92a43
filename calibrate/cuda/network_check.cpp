#include "calibrate/cuda/network_check.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::calibrate::cuda {

namespace {

using Index = std::int64_t;

/// Where an element of {n, c, h, w} lies, and back.
struct Places {
    Index channels, height, width;
    bool last;

    [[nodiscard]] std::size_t at(Index n, Index c, Index h, Index w) const {
        return static_cast<std::size_t>(last ? ((n * height + h) * width + w) * channels + c
                                             : ((n * channels + c) * height + h) * width + w);
    }
    struct Place {
        Index n, c, h, w;
    };
    [[nodiscard]] Place of(Index at) const {
        if (last) {
            const Index pixel = at / channels;
            return {pixel / (height * width), at % channels, pixel / width % height, pixel % width};
        }
        return {at / (channels * height * width), at / (height * width) % channels, at / width % height, at % width};
    }
};

double number(const std::vector<float>& of, std::size_t at) { return static_cast<double>(of[at]); }

/// A convolution in two dimensions, by its definition: y[n,f,p] = sum over c, r of x[n,c,p stride - pad + r dilation]
/// w[f,c,r].
struct Convolution {
    const ConvolutionShape& shape;
    Places x, w, y;

    explicit Convolution(const ConvolutionShape& of)
        : shape(of),
          x{of.channels, of.input[0], of.input[1], of.channels_last},
          w{of.channels / of.groups, of.window[0], of.window[1], of.channels_last},
          y{of.filters, of.output()[0], of.output()[1], of.channels_last} {}

    /// The input's row under the window's row `r` of output row `p`, of dimension d; -1 in the padding.
    [[nodiscard]] Index under(std::size_t d, Index p, Index r) const {
        const Index at = p * shape.strides[d] - shape.pads[d] + r * shape.dilations[d];
        return at >= 0 && at < shape.input[d] ? at : -1;
    }
    [[nodiscard]] Index first_channel(Index filter) const {
        return filter / (shape.filters / shape.groups) * w.channels;
    }

    [[nodiscard]] double forward(const std::vector<float>& xs, const std::vector<float>& ws, Places::Place to) const {
        double sum = 0;
        for (Index c = 0; c < w.channels; ++c) {
            for (Index r = 0; r < w.height; ++r) {
                for (Index s = 0; s < w.width; ++s) {
                    const Index h = under(0, to.h, r);
                    const Index v = under(1, to.w, s);
                    if (h >= 0 && v >= 0) {
                        sum += number(xs, x.at(to.n, first_channel(to.c) + c, h, v)) * number(ws, w.at(to.c, c, r, s));
                    }
                }
            }
        }
        return sum;
    }

    [[nodiscard]] double backward_input(const std::vector<float>& ys, const std::vector<float>& ws,
                                        Places::Place to) const {
        double sum = 0;
        const Index group = to.c / w.channels;
        const Index filters = shape.filters / shape.groups;
        for (Index f = group * filters; f < (group + 1) * filters; ++f) {
            for (Index r = 0; r < w.height; ++r) {
                for (Index s = 0; s < w.width; ++s) {
                    const Index h = to.h + shape.pads[0] - r * shape.dilations[0];
                    const Index v = to.w + shape.pads[1] - s * shape.dilations[1];
                    if (h < 0 || v < 0 || h % shape.strides[0] != 0 || v % shape.strides[1] != 0 ||
                        h / shape.strides[0] >= y.height || v / shape.strides[1] >= y.width) {
                        continue;
                    }
                    sum += number(ys, y.at(to.n, f, h / shape.strides[0], v / shape.strides[1])) *
                           number(ws, w.at(f, to.c % w.channels, r, s));
                }
            }
        }
        return sum;
    }

    [[nodiscard]] double backward_weight(const std::vector<float>& xs, const std::vector<float>& ys,
                                         Places::Place to) const {
        double sum = 0;
        for (Index n = 0; n < shape.images; ++n) {
            for (Index p = 0; p < y.height; ++p) {
                for (Index q = 0; q < y.width; ++q) {
                    const Index h = under(0, p, to.h);
                    const Index v = under(1, q, to.w);
                    if (h >= 0 && v >= 0) {
                        sum += number(xs, x.at(n, first_channel(to.n) + to.c, h, v)) * number(ys, y.at(n, to.n, p, q));
                    }
                }
            }
        }
        return sum;
    }
};

/// Some places of `count`, spread over all of it.
std::vector<Index> places_in(Index count) {
    constexpr Index kPlaces = 96;
    constexpr Index kStride = 7919;  // prime
    std::vector<Index> places;
    for (Index i = 0; i < std::min(kPlaces, count); ++i) {
        places.push_back(i * kStride % count);
    }
    return places;
}

void append(std::vector<double>& all, const std::vector<double>& some) {
    all.insert(all.end(), some.begin(), some.end());
}

/// `width` numbers of a row.
void append_row(std::vector<float>& all, const std::vector<float>& from, Index row, Index width) {
    all.insert(all.end(), from.begin() + row * width, from.begin() + (row + 1) * width);
}

HostAttention on_host(const BenchmarkContext& context, const AttentionShape& shape, const AttentionTensors& t) {
    return {shape, numbers_of(context, t.q), numbers_of(context, t.k), numbers_of(context, t.v),
            t.dout.memory ? numbers_of(context, t.dout) : std::vector<float>{}};
}

struct Query {
    Index batch, head, query;
    [[nodiscard]] Index row(const AttentionShape& of) const { return (batch * of.queries + query) * of.heads + head; }
};

/// The first, the last and two between.
std::vector<Query> some_queries(const AttentionShape& of) {
    return {{0, 0, 0},
            {of.batch - 1, of.heads - 1, of.queries - 1},
            {0, of.heads / 2, of.queries / 2},
            {of.batch / 2, of.heads - 1, of.queries / 3}};
}

}  // namespace

double convolution_entry(const ConvolutionShape& shape, const std::string& direction, const std::vector<float>& x,
                         const std::vector<float>& w, const std::vector<float>& y, std::int64_t at) {
    const Convolution by_definition(shape);
    if (direction == "forward") {
        return by_definition.forward(x, w, by_definition.y.of(at));
    }
    return direction == "backward-input" ? by_definition.backward_input(y, w, by_definition.x.of(at))
                                         : by_definition.backward_weight(x, y, by_definition.w.of(at));
}

double convolution_error(const BenchmarkContext& context, const ConvolutionShape& shape,
                         const ConvolutionTensors& tensors, const std::string& direction) {
    const auto x = numbers_of(context, tensors.x);
    const auto w = numbers_of(context, tensors.w);
    const auto y = numbers_of(context, tensors.y);
    const auto& result = direction == "forward" ? y : direction == "backward-input" ? x : w;
    std::vector<float> measured;
    std::vector<double> expected;
    for (const Index at : places_in(static_cast<Index>(result.size()))) {
        measured.push_back(result[static_cast<std::size_t>(at)]);
        expected.push_back(convolution_entry(shape, direction, x, w, y, at));
    }
    return deviation(measured, expected);
}

std::vector<double> HostAttention::shares(Index batch, Index head, Index query) const {
    const Index context = head / (shape.heads / shape.kv_heads);
    const Index seen = shape.causal ? std::min(query + 1, shape.keys) : shape.keys;
    const Index q_at = ((batch * shape.queries + query) * shape.heads + head) * shape.head;
    std::vector<double> scores(static_cast<std::size_t>(shape.keys));
    double most = -INFINITY;
    for (Index key = 0; key < seen; ++key) {
        const Index k_at = ((batch * shape.keys + key) * shape.kv_heads + context) * shape.head;
        double sum = 0;
        for (Index i = 0; i < shape.head; ++i) {
            sum += number(q, static_cast<std::size_t>(q_at + i)) * number(k, static_cast<std::size_t>(k_at + i));
        }
        scores[static_cast<std::size_t>(key)] = sum / std::sqrt(static_cast<double>(shape.head));
        most = std::max(most, scores[static_cast<std::size_t>(key)]);
    }
    double all = 0;
    for (Index key = 0; key < seen; ++key) {
        double& score = scores[static_cast<std::size_t>(key)];
        score = std::exp(score - most);
        all += score;
    }
    for (double& score : scores) {
        score /= all;
    }
    return scores;
}

std::vector<double> HostAttention::output(Index batch, Index head, Index query) const {
    const auto of = shares(batch, head, query);
    const Index context = head / (shape.heads / shape.kv_heads);
    std::vector<double> out(static_cast<std::size_t>(shape.head));
    for (Index key = 0; key < shape.keys; ++key) {
        const Index v_at = ((batch * shape.keys + key) * shape.kv_heads + context) * shape.head;
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] += of[static_cast<std::size_t>(key)] * number(v, static_cast<std::size_t>(v_at) + i);
        }
    }
    return out;
}

std::vector<double> HostAttention::score_gradient(Index batch, Index head, Index query) const {
    const auto of = shares(batch, head, query);
    const Index context = head / (shape.heads / shape.kv_heads);
    const Index q_at = ((batch * shape.queries + query) * shape.heads + head) * shape.head;
    std::vector<double> gradient(of.size());
    double inner = 0;
    for (Index key = 0; key < shape.keys; ++key) {
        const Index v_at = ((batch * shape.keys + key) * shape.kv_heads + context) * shape.head;
        double sum = 0;
        for (Index i = 0; i < shape.head; ++i) {
            sum += number(dout, static_cast<std::size_t>(q_at + i)) * number(v, static_cast<std::size_t>(v_at + i));
        }
        gradient[static_cast<std::size_t>(key)] = sum;
        inner += sum * of[static_cast<std::size_t>(key)];
    }
    for (std::size_t key = 0; key < gradient.size(); ++key) {
        gradient[key] = (gradient[key] - inner) * of[key] / std::sqrt(static_cast<double>(shape.head));
    }
    return gradient;
}

std::vector<double> HostAttention::query_gradient(Index batch, Index head, Index query) const {
    const auto of = score_gradient(batch, head, query);
    const Index context = head / (shape.heads / shape.kv_heads);
    std::vector<double> gradient(static_cast<std::size_t>(shape.head));
    for (Index key = 0; key < shape.keys; ++key) {
        const Index k_at = ((batch * shape.keys + key) * shape.kv_heads + context) * shape.head;
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            gradient[i] += of[static_cast<std::size_t>(key)] * number(k, static_cast<std::size_t>(k_at) + i);
        }
    }
    return gradient;
}

std::vector<double> HostAttention::key_gradient(Index batch, Index kv_head, Index key) const {
    const Index group = shape.heads / shape.kv_heads;
    const auto width = static_cast<std::size_t>(shape.head);
    std::vector<double> gradient(2 * width);
    for (Index head = kv_head * group; head < (kv_head + 1) * group; ++head) {
        for (Index query = 0; query < shape.queries; ++query) {
            const double score = score_gradient(batch, head, query)[static_cast<std::size_t>(key)];
            const double share = shares(batch, head, query)[static_cast<std::size_t>(key)];
            const auto at = width * static_cast<std::size_t>((batch * shape.queries + query) * shape.heads + head);
            for (std::size_t i = 0; i < width; ++i) {
                gradient[i] += score * number(q, at + i);
                gradient[width + i] += share * number(dout, at + i);
            }
        }
    }
    return gradient;
}

double attention_error(const BenchmarkContext& context, const AttentionShape& shape, const AttentionTensors& tensors) {
    const HostAttention host = on_host(context, shape, tensors);
    const auto output = numbers_of(context, tensors.output);
    std::vector<float> measured;
    std::vector<double> expected;
    for (const Query& one : some_queries(shape)) {
        append_row(measured, output, one.row(shape), shape.head);
        append(expected, host.output(one.batch, one.head, one.query));
    }
    return deviation(measured, expected);
}

double attention_backward_error(const BenchmarkContext& context, const AttentionShape& shape,
                                const AttentionTensors& tensors) {
    constexpr Index kAffordable = 1 << 26;  // multiplications of one key's gradient on the host
    const HostAttention host = on_host(context, shape, tensors);
    const auto dq = numbers_of(context, tensors.dq);
    std::vector<float> measured;
    std::vector<double> expected;
    for (const Query& one : some_queries(shape)) {
        append_row(measured, dq, one.row(shape), shape.head);
        append(expected, host.query_gradient(one.batch, one.head, one.query));
    }
    double worst = deviation(measured, expected);
    if (shape.queries * shape.keys * shape.head * (shape.heads / shape.kv_heads) > kAffordable) {
        return worst;
    }
    const auto dk = numbers_of(context, tensors.dk);
    const auto dv = numbers_of(context, tensors.dv);
    for (const Index key : {Index{0}, shape.keys / 2}) {
        const auto both = host.key_gradient(shape.batch - 1, shape.kv_heads - 1, key);
        const auto half = both.begin() + shape.head;
        const Index row = ((shape.batch - 1) * shape.keys + key) * shape.kv_heads + shape.kv_heads - 1;
        std::vector<float> of_key;
        std::vector<float> of_value;
        append_row(of_key, dk, row, shape.head);
        append_row(of_value, dv, row, shape.head);
        worst = std::max({worst, deviation(of_key, {both.begin(), half}), deviation(of_value, {half, both.end()})});
    }
    return worst;
}

}  // namespace dodona::calibrate::cuda
