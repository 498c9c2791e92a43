// dodona-evidence: what the numbers of hardware/ and of frameworks are fitted to, and how far predictions are off. It is
// no part of the programs that users run.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "calibrate/evidence/accuracy_page.hpp"
#include "calibrate/evidence/fits/fit_frameworks.hpp"
#include "calibrate/evidence/fits/fit_kernels.hpp"
#include "calibrate/evidence/fits/fit_links.hpp"
#include "calibrate/evidence/leave_one_out.hpp"
#include "calibrate/file/whole_file.hpp"
#include "files/library.hpp"
#include "files/run_conventions.hpp"
#include "validate/comparison.hpp"

namespace {

using namespace dodona;

constexpr int kBadInput = 2;
constexpr int kOurFault = 70;

/// Options of all commands.
struct Place {
    std::string data = ".";
    std::string conventions;  ///< empty: calibrate/evidence/conventions.yaml

    [[nodiscard]] std::string evidence(const char* file) const {
        return (std::filesystem::path(data) / "calibrate/evidence" / file).lexically_normal().string();
    }
    [[nodiscard]] std::string conventions_file() const {
        return conventions.empty() ? evidence("conventions.yaml") : conventions;
    }
};

struct PageOptions {
    std::vector<std::string> runs;
    std::string out;
};

void write_page(const Place& place, const PageOptions& options) {
    const Location asked = files::command_line();
    std::vector<files::MeasuredRun> runs;
    for (const std::string& table : options.runs) {
        for (files::MeasuredRun& run : files::load_runs(table, asked)) {
            // A run that is in several tables counts once.
            if (std::none_of(runs.begin(), runs.end(), [&](const files::MeasuredRun& r) { return r.id == run.id; })) {
                runs.push_back(std::move(run));
            }
        }
    }
    validate::Questions questions(files::Library(place.data), {},
                                  files::load_run_conventions(place.conventions_file(), asked));
    const validate::Comparison comparison =
        validate::compare(runs, questions, [](std::int64_t, std::int64_t) { return true; });
    const std::string page = calibrate::accuracy_page(
        {.tables = options.runs,
         .peers = calibrate::load_peers(place.evidence("pages/peers.yaml"), asked),
         .left_out = calibrate::load_left_out(place.evidence("pages/leave_one_out.yaml"), asked),
         .totals = calibrate::load_part_totals(place.evidence("pages/part_totals.yaml"), asked)},
        comparison);
    if (options.out.empty()) {
        fmt::print("{}", page);
    } else {
        calibrate::write_whole(options.out, page);
    }
}

CLI::App* command(CLI::App& parent, const char* name, const char* about, std::function<void()> run) {
    CLI::App* added = parent.add_subcommand(name, about);
    added->callback(std::move(run));
    return added;
}

}  // namespace

int main(int count, char** words) {
    CLI::App app(
        "The evidence behind Dodona's numbers: fits to published measurements, and errors over published runs.");
    app.require_subcommand(1);
    app.fallthrough();
    Place place;
    app.add_option("--data", place.data,
                   "the folder that holds oracle/, models/, hardware/ and calibrate/; default: .");
    app.add_option("--conventions", place.conventions, "default: calibrate/evidence/conventions.yaml there");

    CLI::App* fit = app.add_subcommand("fit", "fits parameters to published measurements");
    fit->require_subcommand(1);
    fit->fallthrough();

    calibrate::KernelFitOptions kernels;
    CLI::App* kernel_fit = command(*fit, "kernels", "kernel models to measured kernels: hardware/profiles", [&] {
        kernels.data = place.data;
        calibrate::fit_kernels(kernels);
    });
    kernel_fit->add_option("TABLES", kernels.rows, "folder of measured kernels, gzip-compressed CSV")->required();
    kernel_fit->add_option("-o", kernels.out, "folder of the profiles; default: only the errors are printed");

    calibrate::LinkFitOptions links;
    CLI::App* link_fit = command(*fit, "links", "protocols to measured collectives: hardware/links",
                                 [&] { calibrate::fit_links(links); });
    link_fit->add_option("TABLES", links.tables, "folder of measured collectives")->required();
    link_fit->add_option("-o", links.out, "folder of the link files")->required();
    link_fit->add_option("--link", links.names, "only this link; repeat for several");

    calibrate::FrameworkFitOptions frameworks;
    CLI::App* framework_fit = command(*fit, "frameworks", "what software adds to published runs", [&] {
        frameworks.data = place.data;
        frameworks.conventions = place.conventions_file();
        calibrate::fit_frameworks(frameworks);
    });
    framework_fit->add_option("RUNS", frameworks.runs, "table of runs")->required();
    framework_fit->add_option("--framework", frameworks.frameworks, "only this one; repeat for several");
    framework_fit->add_option("--held-out", frameworks.held_out,
                              "fit again without each group, and write their errors to this file");
    framework_fit->add_flag("--write", frameworks.write, "write the framework files anew");
    framework_fit->add_flag("--verbose", frameworks.verbose, "print every step");

    CLI::App* accuracy = app.add_subcommand("accuracy", "how far predictions are off");
    accuracy->require_subcommand(1);
    accuracy->fallthrough();
    PageOptions page;
    CLI::App* accuracy_page =
        command(*accuracy, "page", "the page of errors over tables of runs", [&] { write_page(place, page); });
    accuracy_page->add_option("RUNS", page.runs, "tables of measured runs")->required();
    accuracy_page->add_option("-o", page.out, "file of the page; default: standard output");

    try {
        app.parse(count, words);
        return 0;
    } catch (const CLI::ParseError& fault) {
        return app.exit(fault) == 0 ? 0 : kBadInput;
    } catch (const InputError& fault) {
        std::fputs(fault.what(), stderr);
        return kBadInput;
    } catch (const std::exception& fault) {
        fmt::print(stderr, "error: this is a fault in dodona-evidence, not in your input: {}\n", fault.what());
        return kOurFault;
    }
}
