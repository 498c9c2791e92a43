// dodona-evidence fits the numbers of hardware/ and of frameworks to published measurements, and writes how far
// predictions are off. Users do not run it.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/whole_file.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"
#include "files/library.hpp"
#include "files/run_conventions.hpp"
#include "lab/evidence/accuracy_page.hpp"
#include "lab/evidence/fits/fit_frameworks.hpp"
#include "lab/evidence/fits/fit_kernels.hpp"
#include "lab/evidence/fits/fit_likeness.hpp"
#include "lab/evidence/fits/fit_links.hpp"
#include "lab/evidence/leave_one_out.hpp"
#include "validate/comparison.hpp"

namespace {

using namespace dodona;
using cli::Arguments;

const cli::Option kData{.names = "--data",
                        .value = "FOLDER",
                        .description = "holds oracle/, models/, hardware/ and calibrate/; default: ."};
const cli::Option kConventions{.names = "--conventions",
                               .value = "FILE",
                               .description = "of the tables of runs; default: lab/evidence/conventions.yaml"};

std::string data_folder(Arguments& arguments) { return arguments.text("--data").value_or("."); }

std::string evidence(Arguments& arguments, const char* file) {
    return (std::filesystem::path(data_folder(arguments)) / "lab/evidence" / file).lexically_normal().string();
}

std::string conventions_file(Arguments& arguments) {
    return arguments.text("--conventions").value_or(evidence(arguments, "conventions.yaml"));
}

int fit_kernels(Arguments& arguments) {
    const calibrate::KernelFitOptions options{.rows = arguments.text("TABLES").value_or(""),
                                              .out = arguments.text("--output").value_or(""),
                                              .data = data_folder(arguments)};
    arguments.throw_if_faults();
    calibrate::fit_kernels(options);
    return cli::kAnswered;
}

int fit_links(Arguments& arguments) {
    const calibrate::LinkFitOptions options{
        .tables = arguments.text("TABLES").value_or(""),
        .out = arguments.required_text("--output", "--output FOLDER: where the link files are written"),
        .names = arguments.all("--link")};
    arguments.throw_if_faults();
    calibrate::fit_links(options);
    return cli::kAnswered;
}

int fit_frameworks(Arguments& arguments) {
    const calibrate::FrameworkFitOptions options{.runs = arguments.text("RUNS").value_or(""),
                                                 .data = data_folder(arguments),
                                                 .conventions = conventions_file(arguments),
                                                 .frameworks = arguments.all("--framework"),
                                                 .held_out = arguments.text("--held-out").value_or(""),
                                                 .write = arguments.has("--write"),
                                                 .verbose = arguments.has("--verbose")};
    arguments.throw_if_faults();
    calibrate::fit_frameworks(options);
    return cli::kAnswered;
}

int fit_likeness(Arguments& arguments) {
    const calibrate::LikenessFitOptions options{.runs = arguments.text("RUNS").value_or(""),
                                                .data = data_folder(arguments),
                                                .conventions = conventions_file(arguments)};
    arguments.throw_if_faults();
    calibrate::fit_likeness(options);
    return cli::kAnswered;
}

int accuracy_page(Arguments& arguments) {
    const std::vector<std::string> tables = arguments.all("RUNS");
    const std::string conventions = conventions_file(arguments);
    const std::string out = arguments.text("--output").value_or("");
    arguments.throw_if_faults();

    const Location asked = files::command_line();
    std::vector<files::MeasuredRun> runs;
    for (const std::string& table : tables) {
        for (files::MeasuredRun& run : files::load_runs(table, asked)) {
            // A run that is in several tables counts once.
            if (std::none_of(runs.begin(), runs.end(), [&](const files::MeasuredRun& r) { return r.id == run.id; })) {
                runs.push_back(std::move(run));
            }
        }
    }
    validate::Questions questions(files::Library(data_folder(arguments)), {},
                                  files::load_run_conventions(conventions, asked));
    const validate::Comparison comparison =
        validate::compare(runs, questions, [](std::int64_t, std::int64_t) { return true; });
    const std::string page = calibrate::accuracy_page(
        {.tables = tables,
         .peers = calibrate::load_peers(evidence(arguments, "pages/peers.yaml"), asked),
         .left_out = calibrate::load_left_out(evidence(arguments, "pages/leave_one_out.yaml"), asked),
         .totals = calibrate::load_part_totals(evidence(arguments, "pages/part_totals.yaml"), asked)},
        comparison);
    if (out.empty()) {
        cli::print(page);
    } else {
        write_whole(out, page);
    }
    return cli::kAnswered;
}

std::vector<cli::Command> commands() {
    return {{.program = "dodona-evidence",
             .name = "fit kernels",
             .summary = "Fits kernel models to measured kernels: hardware/profiles",
             .positionals = {{.name = "TABLES", .description = "folder of measured kernels, gzip-compressed CSV"}},
             .options = {{.names = "-o,--output",
                          .value = "FOLDER",
                          .description = "of the profiles; default: only the errors are printed"},
                         kData},
             .run = fit_kernels},
            {.program = "dodona-evidence",
             .name = "fit links",
             .summary = "Fits protocols to measured collectives: hardware/links",
             .usage = "--output FOLDER",
             .positionals = {{.name = "TABLES", .description = "folder of measured collectives"}},
             .options = {{.names = "-o,--output", .value = "FOLDER", .description = "of the link files"},
                         {.names = "--link", .value = "NAME", .description = "only this link", .repeats = true}},
             .run = fit_links},
            {.program = "dodona-evidence",
             .name = "fit frameworks",
             .summary = "Fits what software adds to published runs",
             .positionals = {{.name = "RUNS", .description = "table of runs"}},
             .options = {{.names = "--framework", .value = "NAME", .description = "only this one", .repeats = true},
                         {.names = "--held-out",
                          .value = "FILE",
                          .description = "fit again without each group, and write their errors to this file"},
                         {.names = "--write", .description = "write the framework files anew"},
                         {.names = "--verbose", .description = "print every step"},
                         kData,
                         kConventions},
             .run = fit_frameworks},
            {.program = "dodona-evidence",
             .name = "fit likeness",
             .summary = "Fits how alike the errors of a user's runs are; prints what is likeliest",
             .positionals = {{.name = "RUNS", .description = "table of runs"}},
             .options = {kData, kConventions},
             .run = fit_likeness},
            {.program = "dodona-evidence",
             .name = "accuracy page",
             .summary = "Writes the page of errors over tables of runs",
             .positionals = {{.name = "RUNS", .description = "tables of measured runs", .many = true}},
             .options = {{.names = "-o,--output", .value = "FILE", .description = "default: standard output"},
                         kData,
                         kConventions},
             .run = accuracy_page}};
}

int run(const std::vector<std::string>& words) {
    const std::vector<cli::Command> all = commands();
    const std::string name = words.size() < 2 ? "" : words[0] + " " + words[1];
    const auto command = std::find_if(all.begin(), all.end(), [&](const cli::Command& c) { return c.name == name; });
    if (command != all.end()) {
        return cli::run_command(*command, {words.begin() + 2, words.end()}, all);
    }
    std::string overview = "Usage:\n";
    for (const cli::Command& known : all) {
        overview += fmt::format("  {}\n      {}\n", cli::usage(known), known.summary);
    }
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
        cli::print(overview);
        return cli::kAnswered;
    }
    fail({}, "a command of dodona-evidence is missing", "`dodona-evidence --help` lists them");
}

}  // namespace

int main(int argc, char** argv) { return cli::run_process(argc, argv, "dodona-evidence", run); }
