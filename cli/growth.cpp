#include "cli/growth.hpp"

#include <algorithm>

namespace dodona::cli {

void add_growth_options(std::vector<Option>& options) {
    const auto batch = std::find_if(options.begin(), options.end(),
                                    [](const Option& option) { return option.long_name() == "--batch"; });
    batch->description =
        "samples a step that all GPUs share, however many (strong\nscaling); default for models with tokens: "
        "about 4 million\ntokens";
    options.insert(batch + 1, {"--batch-per-gpu", "B",
                               "samples that each GPU brings, so that the batch grows (weak\nscaling); default "
                               "for others: 64, fewer of large images",
                               batch->group});
}

search::Growth usual_growth(const Workload& workload) {
    search::Growth growth{.batch = {}, .machine = workload.cluster.devices(), .asked = {}};
    const std::int64_t on_one = default_batch(workload.graph, workload.cluster, 1);
    growth.samples_per_device = on_one;
    if (default_batch(workload.graph, workload.cluster, 2) == on_one && on_one > 1) {
        growth.batch = on_one;
    }
    return growth;
}

}  // namespace dodona::cli
