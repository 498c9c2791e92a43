// Algorithms of convolutions under the memory that is left, as a part of the document of `dodona largest`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/convolution_algorithms.hpp"
#include "reports/document/document.hpp"
#include "search/convolution_choice.hpp"
#include "search/largest.hpp"

namespace dodona::questions::largest {

struct ConvolutionLayer {
    std::string name;
    double instances = 1;
    cost::AlgorithmCost taken;
    std::vector<cost::AlgorithmCost> possible;  ///< all that were compared, with room for them or not
    Seconds implicit;                           ///< with implicit-gemm
};

/// A batch that fits.
struct ConvolutionBatch {
    std::int64_t batch = 0;
    Bytes room;        ///< left on a device
    Bytes workspace;   ///< of the algorithms taken
    Seconds implicit;  ///< the step if no convolution had a workspace
    Seconds step;
    std::vector<ConvolutionLayer> layers;
    [[nodiscard]] double samples_per_second() const { return static_cast<double>(batch) / step.in(unit::second); }
};

struct ConvolutionAnswer {
    search::Workspaces workspaces{};
    bool measured = false;                  ///< the device has measured convolutions by algorithm
    std::vector<ConvolutionBatch> batches;  ///< rising
};

/// For the batches that fit. Throws InputError where the network has no convolutions.
ConvolutionAnswer convolution_choices(search::Workspaces workspaces, const graph::Graph& graph,
                                      const cluster::Cluster& cluster, const search::Largest& found);

/// Batches with the time and the memory of the algorithms chosen.
search::Largest with_algorithms(search::Largest found, const ConvolutionAnswer& answer);

/// Below what is said of the batches.
void add_convolutions(reports::Document& document, const ConvolutionAnswer& answer);

}  // namespace dodona::questions::largest
