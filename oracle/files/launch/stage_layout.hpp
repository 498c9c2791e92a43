// Layouts of pipelines as Megatron writes them: "Et*3|(tt|)*29,m|L". Stages in the order of the passes stand between `|`;
// E is the embedding, t a layer, m a layer that predicts one more token, L the loss; `*3` repeats a letter or what is in
// parentheses, commas say nothing (NVIDIA/Megatron-LM: megatron/core/transformer/pipeline_parallel_layer_layout.py).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/document.hpp"

namespace dodona::files {

struct StageLayout {
    std::vector<std::int64_t> layers;  ///< t of each stage
    bool has_lone_m = false;           ///< some stage has m alone, which Dodona counts with the loss
};

/// Throws InputError at the node where its text is no layout.
StageLayout read_layout(const Node& layout);

/// "Et*17|t*15L"
std::string layout_of_layers(const std::vector<std::int64_t>& layers);

}  // namespace dodona::files
