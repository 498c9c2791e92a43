// Layers of LSTM cells as a framework's executor runs them: weights, states, and one cell in parts.
//
//   z = W [x; h(t-1)],  c(t) = sigmoid(z_f) c(t-1) + sigmoid(z_i) tanh(z_g),  h(t) = sigmoid(z_o) tanh(c(t))
//
// A part of a cell has some of its hidden units: it reads all inputs and states and writes those of its own units, so
// parts may run side by side, and every unit's arithmetic is the same however many parts there are.
// Source: Hochreiter and Schmidhuber, "Long short-term memory", Neural Computation 9(8), 1997, with forget gates.
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Dense>

#include "threads/operator_graph.hpp"

namespace dodona::calibrate {

struct LstmShape {
    std::int64_t layers = 1;
    std::int64_t steps = 1;
    std::int64_t inputs = 1;
    std::int64_t hidden = 1;
    std::int64_t samples = 1;
};

/// The one stack of cells in one direction that these operators are. Throws InputError where they are anything else.
LstmShape lstm_shape(const threads::OperatorGraph& graph);

class Lstm {
public:
    /// Weights and inputs are drawn from `seed`.
    Lstm(const LstmShape& shape, std::uint32_t seed);

    /// Part `part` of `parts` of a cell; cells are numbered as the operators of the graph are, layer by layer.
    void run_part(std::size_t cell, std::int64_t part, std::int64_t parts);

    /// h of the last layer's last step, a column a sample.
    [[nodiscard]] const Eigen::MatrixXf& result() const { return states_.back(); }

private:
    using Weights = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    [[nodiscard]] const Eigen::MatrixXf& below(std::size_t cell) const;

    LstmShape shape_;
    std::vector<Weights> of_input_;         ///< by layer; rows: the four gates of a unit one after the other
    std::vector<Weights> of_state_;         ///< by layer
    std::vector<Eigen::MatrixXf> words_;    ///< inputs, by step
    std::vector<Eigen::MatrixXf> states_;   ///< h, by cell
    std::vector<Eigen::MatrixXf> carried_;  ///< c, by cell
};

}  // namespace dodona::calibrate
