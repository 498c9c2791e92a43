#include "lab/replicas/perceptron.hpp"

#include <cmath>
#include <random>

#include "base/check.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::calibrate {

namespace {

using simulate::random_bits;
using Weights = Eigen::Map<const Eigen::MatrixXf>;
using Biases = Eigen::Map<const Eigen::VectorXf>;

constexpr std::uint64_t kTeacher = 0x74656163;

Weights matrix_of(const Perceptron::Layer& layer, std::span<const float> weights) {
    return {weights.data() + layer.first, layer.outputs, layer.inputs};
}

Biases biases_of(const Perceptron::Layer& layer, std::span<const float> weights) {
    return {weights.data() + layer.first + static_cast<std::ptrdiff_t>(layer.outputs) * layer.inputs, layer.outputs};
}

Eigen::MatrixXf gaussian(int rows, int columns, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::normal_distribution<float> normal;
    Eigen::MatrixXf values(rows, columns);
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        values.data()[i] = normal(bits);
    }
    return values;
}

/// Of each column, log of the sum of the exponentials.
Eigen::RowVectorXf log_sums(const Eigen::MatrixXf& z) {
    const Eigen::RowVectorXf most = z.colwise().maxCoeff();
    return (z.rowwise() - most).array().exp().colwise().sum().log().matrix() + most;
}

}  // namespace

Perceptron::Perceptron(std::vector<int> widths) {
    check(widths.size() >= 2, "a perceptron has inputs and classes");
    std::size_t first = 0;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
        const auto outputs = static_cast<std::size_t>(widths[l + 1]);
        const std::size_t count = outputs * (static_cast<std::size_t>(widths[l]) + 1);
        layers_.push_back({first, count, widths[l], widths[l + 1]});
        first += count;
    }
    values_.resize(widths.size());
}

std::vector<float> Perceptron::first_weights(std::uint64_t seed) const {
    std::vector<float> weights(this->weights(), 0.0F);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const Layer& layer = layers_[l];
        const Eigen::MatrixXf drawn = gaussian(layer.outputs, layer.inputs, random_bits(seed, l)) *
                                      std::sqrt(2.0F / static_cast<float>(layer.inputs));
        std::copy_n(drawn.data(), drawn.size(), weights.begin() + static_cast<std::ptrdiff_t>(layer.first));
    }
    return weights;
}

void Perceptron::start(Batch batch) {
    batch_ = std::move(batch);
    values_[0] = batch_.inputs;
}

void Perceptron::forward(std::size_t layer, std::span<const float> weights) {
    const Layer& at = layers_[layer];
    values_[layer + 1].noalias() = matrix_of(at, weights) * values_[layer];
    values_[layer + 1].colwise() += biases_of(at, weights);
    if (layer + 1 < layers_.size()) {
        values_[layer + 1] = values_[layer + 1].cwiseMax(0.0F);
    }
}

void Perceptron::start_backward() {
    const Eigen::MatrixXf& z = values_.back();
    slopes_ = (z.rowwise() - log_sums(z)).array().exp();
    for (std::size_t sample = 0; sample < batch_.labels.size(); ++sample) {
        slopes_(batch_.labels[sample], static_cast<Eigen::Index>(sample)) -= 1.0F;
    }
    slopes_ /= static_cast<float>(batch_.labels.size());
}

void Perceptron::backward(std::size_t layer, std::span<const float> weights, std::span<float> gradient) {
    if (layer + 1 == layers_.size()) {
        start_backward();
    }
    const Layer& at = layers_[layer];
    float* own = gradient.data() + at.first;
    Eigen::Map<Eigen::MatrixXf>(own, at.outputs, at.inputs).noalias() = slopes_ * values_[layer].transpose();
    Eigen::Map<Eigen::VectorXf>(own + static_cast<std::ptrdiff_t>(at.outputs) * at.inputs, at.outputs) =
        slopes_.rowwise().sum();
    if (layer > 0) {
        const Eigen::MatrixXf before = matrix_of(at, weights).transpose() * slopes_;
        slopes_ = (values_[layer].array() > 0.0F).select(before, 0.0F);
    }
}

double Perceptron::loss() const {
    const Eigen::MatrixXf& z = values_.back();
    const Eigen::RowVectorXf sums = log_sums(z);
    double loss = 0;
    for (std::size_t sample = 0; sample < batch_.labels.size(); ++sample) {
        const auto column = static_cast<Eigen::Index>(sample);
        loss += sums(column) - z(batch_.labels[sample], column);
    }
    return loss / static_cast<double>(batch_.labels.size());
}

Batch generated_batch(int inputs, int classes, int samples, std::uint64_t stream, std::uint64_t step) {
    const Eigen::MatrixXf teacher = gaussian(classes, inputs, kTeacher);
    Batch batch{gaussian(inputs, samples, random_bits(stream, step)), {}};
    const Eigen::MatrixXf scores = teacher * batch.inputs;
    for (Eigen::Index sample = 0; sample < samples; ++sample) {
        Eigen::Index best = 0;
        scores.col(sample).maxCoeff(&best);
        batch.labels.push_back(static_cast<int>(best));
    }
    return batch;
}

}  // namespace dodona::calibrate
