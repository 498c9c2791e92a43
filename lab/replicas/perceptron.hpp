// A perceptron that is trained by stochastic gradient descent: affine layers with ReLU between them, softmax and cross
// entropy at the end. With one layer it is a softmax regression.
//
//   a_0 = x,  z_l = W_l a_{l-1} + b_l,  a_l = max(0, z_l),  p = softmax(z_L),  loss = mean of -log p_label
//   d_L = (p - onehot(label)) / batch,  dW_l = d_l a_{l-1}^T,  db_l = sum of d_l,  d_{l-1} = (W_l^T d_l) * (z_{l-1} > 0)
//
// Weights and gradients are one vector each, layer by layer: W_l by columns, then b_l.
// Source: Goodfellow, Bengio and Courville, Deep Learning (2016), section 6.5.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace dodona::calibrate {

struct Batch {
    Eigen::MatrixXf inputs;   ///< a sample a column
    std::vector<int> labels;  ///< classes
};

class Perceptron {
public:
    /// Features of each layer: inputs first, classes last. Domain: two widths at least.
    explicit Perceptron(std::vector<int> widths);

    struct Layer {
        std::size_t first = 0;  ///< of its weights in the vector
        std::size_t count = 0;
        int inputs = 0;
        int outputs = 0;
    };
    [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }
    [[nodiscard]] std::size_t weights() const { return layers_.back().first + layers_.back().count; }

    /// Gaussian, with variance 2 / inputs (He et al., ICCV 2015); biases are zero.
    [[nodiscard]] std::vector<float> first_weights(std::uint64_t seed) const;

    void start(Batch batch);
    void forward(std::size_t layer, std::span<const float> weights);
    /// Writes the layer's part of `gradient`. Layers in falling order.
    void backward(std::size_t layer, std::span<const float> weights, std::span<float> gradient);
    /// After the forward pass of all layers.
    [[nodiscard]] double loss() const;

private:
    void start_backward();

    std::vector<Layer> layers_;
    Batch batch_;
    std::vector<Eigen::MatrixXf> values_;  ///< a_0 ... a_{L-1}, z_L
    Eigen::MatrixXf slopes_;               ///< d of the layer that is next in the backward pass
};

/// Samples of a linear teacher: Gaussian inputs, and the class whose random direction they have most of. Those of one
/// `stream` and `step` are always the same.
Batch generated_batch(int inputs, int classes, int samples, std::uint64_t stream, std::uint64_t step);

}  // namespace dodona::calibrate
