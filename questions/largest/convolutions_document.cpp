#include "questions/largest/convolutions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::largest {

namespace {

using namespace reports;
using cost::ConvolutionAlgorithm;

/// "winograd 3, implicit-gemm 2"
std::string algorithms_text(const ConvolutionBatch& batch) {
    std::string text;
    for (const ConvolutionAlgorithm algorithm : cluster::kConvolutionAlgorithms) {
        double layers = 0;
        for (const ConvolutionLayer& layer : batch.layers) {
            layers += layer.taken.algorithm == algorithm ? layer.instances : 0;
        }
        if (layers > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(algorithm), whole(layers));
        }
    }
    return text;
}

/// The best, and those at which algorithms change or that are much larger than the one shown before.
bool is_shown(const ConvolutionBatch& batch, const ConvolutionBatch* before, const ConvolutionBatch& best) {
    constexpr double kMuchLarger = 1.5;
    return before == nullptr || &batch == &best || algorithms_text(batch) != algorithms_text(*before) ||
           static_cast<double>(batch.batch) >= kMuchLarger * static_cast<double>(before->batch);
}

Table batch_table(const ConvolutionAnswer& answer, const ConvolutionBatch& best) {
    Table table({{"batch", Align::right},
                 {"memory left", Align::right},
                 {"workspace", Align::right},
                 {"algorithms"},
                 {"step", Align::right},
                 {"without", Align::right},
                 {"throughput", Align::right}});
    const ConvolutionBatch* before = nullptr;
    for (const ConvolutionBatch& batch : answer.batches) {
        if (!is_shown(batch, before, best) && &batch != &answer.batches.back()) {
            continue;
        }
        before = &batch;
        table.row({Cell(Count{batch.batch}, &batch == &best ? Mark::answer : Mark::none), batch.room, batch.workspace,
                   algorithms_text(batch), batch.step, batch.implicit, Rate{batch.samples_per_second(), "samples"}});
    }
    return table;
}

Table layer_table(const ConvolutionBatch& best) {
    Table table({{"convolution"},
                 {"algorithm"},
                 {"workspace", Align::right},
                 {"time", Align::right},
                 {"implicit-gemm", Align::right}});
    for (const ConvolutionLayer& layer : best.layers) {
        const std::string times = layer.instances > 1 ? fmt::format(" x {}", whole(layer.instances)) : "";
        table.row({layer.name + times, std::string(name(layer.taken.algorithm)), layer.taken.workspace,
                   layer.taken.time, layer.implicit});
    }
    return table;
}

/// Evidence, on a device with measured convolutions by algorithm.
std::string measured_note(const ConvolutionBatch& best) {
    const auto with = [&](Evidence evidence) {
        return std::count_if(best.layers.begin(), best.layers.end(),
                             [=](const ConvolutionLayer& layer) { return layer.taken.evidence == evidence; });
    };
    return fmt::format(
        "of {}, {} measured with so many samples and {} with others; transforms of other layers take the device's time "
        "for their products and passes, times how far that is off in similar layers that were measured; transforms "
        "that were not measured in any layer are left out",
        counted(static_cast<std::int64_t>(best.layers.size()), "convolution"), with(Evidence::measured),
        with(Evidence::interpolated));
}

}  // namespace

void add_convolutions(Document& document, const ConvolutionAnswer& answer) {
    if (answer.batches.empty()) {
        add_section(document, {"Algorithms of convolutions"},
                    {List{{"no batch fits with data parallelism alone, where they are chosen"}}});
        return;
    }
    const ConvolutionBatch& best = *max_element(
        answer.batches, [](const auto& a, const auto& b) { return a.samples_per_second() < b.samples_per_second(); });
    const std::string held = answer.workspaces == search::Workspaces::each ? "every layer keeps its own workspace"
                                                                           : "layers take turns in one workspace";
    add_section(
        document, {"Algorithms of convolutions"},
        {batch_table(answer, best),
         List{{fmt::format("batch {} trains most samples a second: {} of workspace, {} a step against {} without",
                           whole(best.batch), text(best.workspace), text(best.step), text(best.implicit)),
               held + "; the more samples, the less memory is left for it",
               "times and memory of the batches above are those of these algorithms; without --convolutions a step is "
               "as frameworks choose, whose workspaces are not counted"}}});
    add_section(document, {fmt::format("Convolutions of batch {}", whole(best.batch))}, {layer_table(best)});
    add(document,
        Note{answer.measured
                 ? measured_note(best)
                 : "times of algorithms are those of the device for their products and passes over memory, in fp32 "
                   "where they transform; implicit and precomputed products take the same time here"});
}

}  // namespace dodona::questions::largest
