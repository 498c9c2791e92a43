#include "cli/measured_runs.hpp"

#include <map>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "files/run_conventions.hpp"
#include "files/run_table.hpp"
#include "reports/document/number_format.hpp"
#include "validate/comparison.hpp"

namespace dodona::cli {

std::vector<Option> measured_options() {
    return {{"--measured", "FILE",
             "a table of measured runs, as `dodona validate` takes it: those of this\n"
             "model and machine are shown beside the predictions",
             "Measured"},
            {"--conventions", "FILE", "what words of that table mean, before what they mean in any table", "Measured"}};
}

void read_measured(Arguments& arguments, const std::string& model, const std::string& machine,
                   questions::report::Report& report) {
    const auto file = arguments.text("--measured");
    const auto conventions = arguments.text("--conventions");
    if (!file) {
        if (conventions) {
            arguments.missing("--measured", "the table whose words --conventions explains");
        }
        return;
    }
    std::vector<files::MeasuredRun> runs = files::load_runs(*file, {});
    const std::size_t all = runs.size();
    std::erase_if(runs, [&](const files::MeasuredRun& run) { return run.model != model || run.machine != machine; });
    if (runs.size() < all) {
        report.measured_notes.push_back(fmt::format("{} of {} in {} are of other models or machines",
                                                    reports::whole(all - runs.size()), reports::counted(all, "run"),
                                                    *file));
    }
    validate::Questions questions(
        library(), {}, conventions ? files::load_run_conventions(*conventions, {}) : files::RunConventions{});
    const validate::Comparison compared =
        validate::compare(runs, questions, [](std::int64_t, std::int64_t) { return !interrupted(); });
    std::map<std::string, std::size_t> refusals;
    for (std::size_t i = 0; i < compared.rows.size(); ++i) {
        const validate::RunResult& result = compared.rows[i];
        if (!result.refusal.empty()) {
            ++refusals[result.refusal];
        } else if (result.predicted && result.measured) {
            report.measured.push_back({.id = result.id,
                                       .strategy = runs[i].cell("strategy"),
                                       .devices = runs[i].gpus,
                                       .batch = runs[i].global_batch,
                                       .measured = *result.measured,
                                       .predicted = *result.predicted});
        }
    }
    for (const auto& [refusal, count] : refusals) {
        report.measured_notes.push_back(fmt::format("{} refused: {}", reports::counted(count, "run"), refusal));
    }
}

}  // namespace dodona::cli
