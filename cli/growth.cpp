#include "cli/growth.hpp"

#include <algorithm>

namespace dodona::cli {

void add_growth_options(std::vector<Option>& options, const std::vector<Option>& of_question) {
    const auto batch = std::find_if(options.begin(), options.end(),
                                    [](const Option& option) { return option.long_name() == "--batch"; });
    batch->description =
        "samples a step that all GPUs share, however many (strong scaling); default for models with tokens: "
        "about 4 million tokens";
    options.insert(batch + 1, of_question.begin(), of_question.end());
}

}  // namespace dodona::cli
