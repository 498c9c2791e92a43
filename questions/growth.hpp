// Growth of the batch with the number of GPUs, for questions about many.
#pragma once

#include <cstdint>
#include <optional>

#include "files/description_keys.hpp"
#include "questions/question.hpp"
#include "search/limits.hpp"

namespace dodona::questions {

struct GrowthOptions {
    std::optional<std::int64_t> batch;          ///< of a job's own options: strong scaling
    std::optional<std::int64_t> batch_per_gpu;  ///< weak scaling
};

/// Its key in the table of a question's options; `To`: from these to the growth.
template <auto... To>
files::Key batch_per_gpu_key() {
    return files::optional<To..., &GrowthOptions::batch_per_gpu>(
        "batch_per_gpu",
        "samples that each GPU brings, so that the batch grows (weak scaling); default for others: 64, fewer of large "
        "images",
        {.value_text = "B", .group = "Job"});
}

/// The default: images come with the devices, tokens are shared, as search::default_batch has it.
search::Growth default_growth(const graph::Graph& graph, const cluster::Cluster& cluster);

}  // namespace dodona::questions
