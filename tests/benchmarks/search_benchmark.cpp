// How fast the search is: processor time on one core, configurations a second, memory.
//
//   ninja -C build/test tests/benchmarks/search_benchmark && DODONA_SOURCE=$PWD
//   build/test/tests/benchmarks/search_benchmark
//
// Ratios are of the same run. `--quick` leaves out what takes more than a few seconds. The signature is a hash of what
// was answered: numbers of configurations, best plans, crossovers; where it changes, a change of speed changed answers.
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text_hash.hpp"
#include "files/library.hpp"
#include "reports/document/number_format.hpp"
#include "search/limits.hpp"
#include "search/search.hpp"
#include "search/sensitivity.hpp"
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
    std::string best;  ///< step time of the best plan
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

graph::Graph network(const Question& question) {
    std::vector<files::Setting> settings;
    for (const auto& [name, value] : question.settings) {
        settings.push_back({name, value, {}});
    }
    return graph::build(library().model(question.model, settings));
}

search::Space space_of(const Question& question, const graph::Graph& graph, const cluster::Cluster& cluster) {
    search::Space space;
    space.precision = cluster.device.supports(Precision::bf16) ? Precision::bf16 : Precision::fp16;
    space.devices = question.devices;
    space.batch = question.batch;
    space.vary = question.vary;
    space.workers = 1;
    plan::Framework framework = library().framework("megatron-2024");
    plan::MemoryProfile memory = library().memory_profile(framework.memory);
    space.software = {{std::move(framework), std::move(memory), std::nullopt}};
    for (const std::string& name : library().strategies()) {
        plan::Strategy strategy = library().strategy(name);
        if (search::considered(strategy, graph)) {
            space.strategies.push_back(std::move(strategy));
        }
    }
    return space;
}

/// Of a time, to as many digits as do not depend on the compiler.
std::string digits(Seconds time) { return fmt::format("{:.9g}", time.in(unit::second)); }

Run run(const Question& question, bool exhaustive) {
    const graph::Graph graph = network(question);
    const cluster::Cluster cluster = library().cluster(question.machine);
    search::Space space = space_of(question, graph, cluster);
    space.exhaustive = exhaustive;
    const double start = processor_seconds();
    const search::Answer answer = search::search(graph, cluster, space);
    const double taken = processor_seconds() - start;
    return {taken, answer.counts, answer.plans.empty() ? "" : digits(answer.plans.front().step.value)};
}

/// What was answered so far.
class Signature {
public:
    void take(const std::string& title, const Run& run) {
        answers_ += fmt::format("{}: {} {}\n", title, run.counts.configurations, run.best);
    }
    void take(const search::Explanation& explanation) { answers_ += text(explanation); }
    void take(const search::StrategyLimits& limits) {
        answers_ += fmt::format("{}: {} devices\n", limits.strategy, limits.most);
        for (const search::ScalingPoint& point : limits.points) {
            answers_ += fmt::format("{} {}\n", point.devices,
                                    point.best ? digits(point.best->step.value) : why_not_text(point));
        }
    }
    [[nodiscard]] std::uint64_t value() const { return text_hash(answers_); }

    /// The crossovers of an explanation.
    static std::string text(const search::Explanation& explanation) {
        std::string text;
        for (const search::Sensitivity& of : explanation.parameters) {
            for (const search::Direction& direction : {of.less, of.more}) {
                const auto& crossover = direction.crossover;
                const bool fits = crossover && crossover->to;
                text += fmt::format("{}: {:.6g} {}\n", of.parameter.key, crossover ? crossover->factor : 1,
                                    fits ? digits(crossover->to->step.value) : "");
            }
        }
        return text;
    }

private:
    std::string answers_;
};

void print(const std::string& title, const Run& run, Signature& signature) {
    signature.take(title, run);
    fmt::print("{:<58} {:>12} {:>10.3f} {:>12} {:>8.2f} {:>8.0f}\n", title, reports::whole(run.counts.configurations),
               run.seconds, reports::whole(run.per_second()), 1e6 / run.per_second(), peak_mib());
}

void print_heading(std::string_view what) {
    fmt::print("\n{}\n{:<58} {:>12} {:>10} {:>12} {:>8} {:>8}\n", what, "", "plans", "seconds", "plans/s", "us/plan",
               "MiB");
}

const Question kGpt3{"gpt3-175b, 4,096 of selene", "gpt3-175b", "selene", 4096, 1536, {}, {}};

void questions(bool quick, Signature& signature) {
    print_heading("Questions");
    print(kGpt3.title, run(kGpt3, false), signature);
    const auto varied = [&signature](const char* title, search::Vary vary) {
        Question question = kGpt3;
        question.title += title;
        question.vary = vary;
        print(question.title, run(question, false), signature);
    };
    varied(", group", {.group = true});
    varied(", overlap", {.overlap = true});
    if (quick) {
        return;
    }
    varied(", placement, group, overlap", {.placement = true, .group = true, .overlap = true});
    const Question llama{"llama-3.1-405b, 16,384 of dgx-h100", "llama-3.1-405b", "dgx-h100", 16384, 2048, {}, {}};
    print(llama.title, run(llama, false), signature);
    const Question offload{"gpt3-175b, 4,096 of alps, overlap, offload", "gpt3-175b", "alps", 4096, 1536,
                           {.overlap = true, .offload = true},           {}};
    print(offload.title, run(offload, false), signature);
    const Question deepseek{"deepseek-v3, 2,048 of dgx-h100", "deepseek-v3", "dgx-h100", 2048, 2048, {}, {}};
    print(deepseek.title, run(deepseek, false), signature);
    const Question many{
        "deepseek-v3, 2,048 of dgx-h100, 15,360 samples", "deepseek-v3", "dgx-h100", 2048, 15360, {}, {}};
    print(many.title, run(many, false), signature);
}

void explanations(Signature& signature) {
    fmt::print("\nWhat would change the answer\n{:<58} {:>12} {:>10}\n", "", "searches", "seconds");
    const Question question{"llama-3.1-70b, 64 of dgx-h100", "llama-3.1-70b", "dgx-h100", 64, 512, {}, {}};
    const graph::Graph graph = network(question);
    const cluster::Cluster cluster = library().cluster(question.machine);
    search::Space space = space_of(question, graph, cluster);
    space.top = search::kCompetitors;
    const double start = processor_seconds();
    const search::Answer answer = search::search(graph, cluster, space);
    const double found = processor_seconds();
    const search::Explanation explanation = search::explain({graph, cluster, space}, answer);
    fmt::print("{:<58} {:>12} {:>10.3f}\n", question.title, explanation.searches, processor_seconds() - found);
    fmt::print("ratio to the search itself {:.1f}\n", (processor_seconds() - found) / (found - start));
    signature.take(explanation);
}

/// How far every strategy scales: many small searches for one plan each.
void limits(Signature& signature) {
    fmt::print("\nHow many devices strategies can use\n{:<58} {:>12} {:>10}\n", "", "points", "seconds");
    const Question question{"resnet50 on abci, 64 samples a device", "resnet50", "abci", 1, 64, {}, {}};
    const graph::Graph graph = network(question);
    const cluster::Cluster cluster = library().cluster(question.machine);
    const search::Space space = space_of(question, graph, cluster);
    const double start = processor_seconds();
    const std::vector<search::StrategyLimits> found =
        search::limits(graph, cluster, space, {.samples_per_device = 64, .machine = cluster.devices()});
    const double taken = processor_seconds() - start;
    std::size_t points = 0;
    for (const search::StrategyLimits& strategy : found) {
        points += strategy.points.size();
        signature.take(strategy);
    }
    fmt::print("{:<58} {:>12} {:>10.3f}\n", question.title, points, taken);
}

void exhaustive(Signature& signature) {
    print_heading("Against every plan one by one");
    Question small = kGpt3;
    small.devices = 512;
    const Run tables = run(small, false);
    const Run walk = run(small, true);
    print("gpt3-175b, 512 of selene, tables and bounds", tables, signature);
    print("gpt3-175b, 512 of selene, exhaustive", walk, signature);
    fmt::print("ratio {:.1f}\n", walk.seconds / tables.seconds);
}

void growth(Signature& signature) {
    print_heading("By devices (gpt3-175b on dgx-h100, batch 4,096)");
    for (const std::int64_t devices : {64, 256, 1024, 4096, 16384}) {
        const Question question{fmt::format("{} devices", devices), "gpt3-175b", "dgx-h100", devices, 4096, {}, {}};
        print(question.title, run(question, false), signature);
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
        print(question.title, run(question, false), signature);
    }
}

}  // namespace

int main(int count, char** values) {
    const bool quick = count > 1 && std::string_view(values[1]) == "--quick";
    Signature signature;
    questions(quick, signature);
    if (!quick) {
        explanations(signature);
        limits(signature);
        exhaustive(signature);
        growth(signature);
    }
    fmt::print("\nsignature {:016x}\n", signature.value());
    return 0;
}
