#include "calibrate/mpi/by_hand.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "calibrate/cases/network_cases.hpp"
#include "calibrate/mpi/instrument.hpp"

namespace dodona::calibrate {

namespace {

constexpr const char* kHelp = "dodona-calibrate-mpi --help has the list";

double number(const std::string& option, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) {
        fail({}, fmt::format("{} takes a positive number, not \"{}\"", option, text), kHelp);
    }
    return value;
}

std::vector<Case> cases_in(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        fail({}, fmt::format("can't read {}", path), "--cases takes a file with a case a line, as JSON");
    }
    auto source = std::make_shared<Source>();
    source->name = path;
    std::vector<Case> cases;
    for (std::string line; std::getline(file, line);) {
        source->lines.push_back(line);
        if (!line.empty()) {
            cases.push_back(case_from(line, {.source = source, .line = static_cast<int>(source->lines.size())}));
        }
    }
    return cases;
}

class Output {
public:
    explicit Output(const std::string& path)
        : path_(path), file_(path.empty() ? stdout : std::fopen(path.c_str(), "w")) {
        if (file_ == nullptr) {
            fail({}, fmt::format("can't write {}", path), "give -o a file in a folder that exists");
        }
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        if (file_ != stdout) {
            std::fclose(file_);
        }
    }
    void add(std::variant<Environment, Measurement, Failure, Lacking> what) {
        const Record record{.backend = "mpi", .date = date_now(), .what = std::move(what)};
        if (std::fputs((to_line(record) + "\n").c_str(), file_) < 0 || std::fflush(file_) != 0) {
            fail({}, fmt::format("can't write {}", path_), "is the disk full?");
        }
    }

private:
    std::string path_;
    std::FILE* file_;
};

void measure_one(Instrument& instrument, const Case& one, Output& output) {
    try {
        Measurement measured = instrument.measure(one);
        fmt::print(stderr, "{:.4g} us\n", measured.time.value().in(1_us));
        output.add(std::move(measured));
    } catch (const CannotMeasure& error) {
        fmt::print(stderr, "{}\n", error.what());
        output.add(Failure{one, error.what()});
    }
}

}  // namespace

std::string usage() {
    return "usage: mpirun -np N dodona-calibrate-mpi [--quick] [-o FILE] [--cases FILE] [--most-seconds S] [--seed N]\n"
           "\n"
           "Measures messages and collectives among the ranks that MPI started, within hosts and between them, and\n"
           "writes one JSON line for each (docs/files.md, \"Calibration\"). Without any option it is a back end of\n"
           "`dodona calibrate` and reads settings and cases from standard input.\n"
           "\n"
           "  --quick           few sizes, few samples: some 25 s\n"
           "  -o FILE           where to write; standard output otherwise\n"
           "  --cases FILE      what to measure, a case a line; its own list otherwise\n"
           "  --most-seconds S  that one case may sample for; 1, with --quick 0.1\n"
           "  --seed N          of the order and of the data; 1\n";
}

ByHand by_hand_from(const std::vector<std::string>& words) {
    ByHand asked{.settings = {.most_seconds = 0}, .output = {}, .cases = {}};
    for (auto word = words.begin(); word != words.end(); ++word) {
        const std::string option = *word;
        if (option == "--quick") {
            asked.settings.quick = true;
            continue;
        }
        if (option != "-o" && option != "--cases" && option != "--most-seconds" && option != "--seed") {
            fail({}, fmt::format("unknown option {}", option), kHelp);
        }
        if (++word == words.end()) {
            fail({}, fmt::format("{} needs a value", option), kHelp);
        }
        if (option == "-o") {
            asked.output = *word;
        } else if (option == "--cases") {
            asked.cases = *word;
        } else if (option == "--most-seconds") {
            asked.settings.most_seconds = number(option, *word);
        } else {
            asked.settings.seed = static_cast<std::uint64_t>(number(option, *word));
        }
    }
    if (asked.settings.most_seconds == 0) {
        asked.settings.most_seconds = asked.settings.quick ? 0.1 : 1;
    }
    return asked;
}

int measure_by_hand(const ByHand& asked) {
    std::vector<Case> cases;
    if (!asked.cases.empty()) {
        cases = cases_in(asked.cases);
    }
    Output output(asked.output);
    try {
        const auto instrument = make_mpi_instrument(asked.settings);
        const Environment environment = instrument->environment();
        output.add(environment);
        if (asked.cases.empty()) {
            cases = network_cases(shape_of(environment), {.quick = asked.settings.quick});
        }
        std::mt19937_64 random(asked.settings.seed);
        std::shuffle(cases.begin(), cases.end(), random);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            fmt::print(stderr, "{}/{} {}: ", i + 1, cases.size(), cases[i].key());
            measure_one(*instrument, cases[i], output);
        }
    } catch (const InstrumentMissing& missing) {
        output.add(missing.lacking());
        fmt::print(stderr, "error: {}\n  help: {}\n", missing.lacking().why, missing.lacking().help);
        return 3;
    }
    return 0;
}

}  // namespace dodona::calibrate
