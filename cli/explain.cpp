#include "cli/explain.hpp"

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "search/sensitivity.hpp"

namespace dodona::cli {

Option explain_option(const std::string& what) { return {"--explain", "", what, "Output"}; }

bool read_explain(Arguments& arguments, const Output& output) {
    const bool asked = arguments.has("--explain");
    if (asked && output.renderer->rows_only) {
        arguments.fault("--explain", fmt::format("{} lists plans and has no place for it", output.renderer->name),
                        "use --format text, json or md");
    }
    return asked;
}

void explain(const search::Inquiry& inquiry, search::Answer& answer) {
    if (answer.plans.empty() || interrupted()) {
        return;
    }
    ProgressLine line("changes");
    answer.explanation = search::explain(inquiry, answer, [&](std::int64_t done, std::int64_t all) {
        line.show(done, all);
        return !interrupted();
    });
    line.clear();
    if (!answer.explanation->complete) {
        note("stopped; ? marks what was not looked at");
    }
}

}  // namespace dodona::cli
