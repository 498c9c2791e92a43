// How fast the search is: processor time on one core, configurations a second, memory.
//
//   ninja -C build/test tests/benchmarks/search_benchmark && DODONA_SOURCE=$PWD
//   build/test/tests/benchmarks/search_benchmark
//
// Ratios to the exhaustive walk are of the same run. `--quick` leaves out what takes more than a few seconds.
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/library.hpp"
#include "reports/document/number_format.hpp"
#include "search/search.hpp"
#include "search/space.hpp"

namespace {

using namespace dodona;

struct Question {
    std::string title;
    std::string model;
    std::string machine;
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    search::Vary vary;
    std::vector<std::pair<std::string, std::string>> settings;
};

struct Run {
    double seconds = 0;
    search::SearchCounts counts;
    [[nodiscard]] double per_second() const { return static_cast<double>(counts.configurations) / seconds; }
};

files::Library library() {
    const char* root = std::getenv("DODONA_SOURCE");
    return files::Library(root == nullptr ? "." : root);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

Run run(const Question& question, bool exhaustive) {
    std::vector<files::Setting> settings;
    for (const auto& [name, value] : question.settings) {
        settings.push_back({name, value, {}});
    }
    const graph::Graph graph = graph::build(library().model(question.model, settings));
    const cluster::Cluster cluster = library().cluster(question.machine);
    search::Space space;
    space.devices = question.devices;
    space.batch = question.batch;
    space.vary = question.vary;
    space.exhaustive = exhaustive;
    space.workers = 1;
    space.framework = library().framework("megatron-2024");
    space.memory = library().memory_profile(space.framework.memory);
    for (const std::string& name : library().strategies()) {
        plan::Strategy strategy = library().strategy(name);
        if (search::considered(strategy, graph)) {
            space.strategies.push_back(std::move(strategy));
        }
    }
    const double start = processor_seconds();
    const search::Answer answer = search::search(graph, cluster, space);
    return {processor_seconds() - start, answer.counts};
}

void print(const std::string& title, const Run& run) {
    fmt::print("{:<58} {:>12} {:>10.3f} {:>12} {:>8.2f} {:>8.0f}\n", title, reports::whole(run.counts.configurations),
               run.seconds, reports::whole(run.per_second()), 1e6 / run.per_second(), peak_mib());
}

void print_heading(std::string_view what) {
    fmt::print("\n{}\n{:<58} {:>12} {:>10} {:>12} {:>8} {:>8}\n", what, "", "plans", "seconds", "plans/s", "us/plan",
               "MiB");
}

const Question kGpt3{"gpt3-175b, 4,096 of selene", "gpt3-175b", "selene", 4096, 1536, {}, {}};

void questions(bool quick) {
    print_heading("Questions");
    print(kGpt3.title, run(kGpt3, false));
    const auto varied = [](const char* title, search::Vary vary) {
        Question question = kGpt3;
        question.title += title;
        question.vary = vary;
        print(question.title, run(question, false));
    };
    varied(", group", {.group = true});
    varied(", overlap", {.overlap = true});
    if (quick) {
        return;
    }
    varied(", placement, group, overlap", {.placement = true, .group = true, .overlap = true});
    const Question llama{"llama-3.1-405b, 16,384 of dgx-h100", "llama-3.1-405b", "dgx-h100", 16384, 2048, {}, {}};
    print(llama.title, run(llama, false));
    const Question offload{"gpt3-175b, 4,096 of alps, overlap, offload", "gpt3-175b", "alps", 4096, 1536,
                           {.overlap = true, .offload = true},           {}};
    print(offload.title, run(offload, false));
    const Question deepseek{"deepseek-v3, 2,048 of dgx-h100", "deepseek-v3", "dgx-h100", 2048, 2048, {}, {}};
    print(deepseek.title, run(deepseek, false));
}

void exhaustive() {
    print_heading("Against every plan one by one");
    Question small = kGpt3;
    small.devices = 512;
    const Run tables = run(small, false);
    const Run walk = run(small, true);
    print("gpt3-175b, 512 of selene, tables and bounds", tables);
    print("gpt3-175b, 512 of selene, exhaustive", walk);
    fmt::print("ratio {:.1f}\n", walk.seconds / tables.seconds);
}

void growth() {
    print_heading("By devices (gpt3-175b on dgx-h100, batch 4,096)");
    for (const std::int64_t devices : {64, 256, 1024, 4096, 16384}) {
        const Question question{fmt::format("{} devices", devices), "gpt3-175b", "dgx-h100", devices, 4096, {}, {}};
        print(question.title, run(question, false));
    }
    print_heading("By layers (gpt on 1,024 of selene, batch 1,536)");
    for (const int layers : {12, 24, 48, 96, 192}) {
        const Question question{fmt::format("{} layers", layers),
                                "gpt",
                                "selene",
                                1024,
                                1536,
                                {},
                                {{"layers", std::to_string(layers)}, {"hidden", "6144"}, {"heads", "48"}}};
        print(question.title, run(question, false));
    }
}

}  // namespace

int main(int count, char** values) {
    const bool quick = count > 1 && std::string_view(values[1]) == "--quick";
    questions(quick);
    if (!quick) {
        exhaustive();
        growth();
    }
    return 0;
}
