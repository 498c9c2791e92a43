// How fast the sweep of a report is, on one core: gpt3-175b on 1 to 4,096 GPUs with all strategies.
//
//   ninja -C build/test tests/benchmarks/report_benchmark && DODONA_SOURCE=$PWD
//   build/test/tests/benchmarks/report_benchmark
//
// The signature is of the answers: it changes where they do, and only there.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "files/library.hpp"
#include "search/space.hpp"
#include "search/sweep.hpp"

namespace {

using namespace dodona;

/// FNV-1a over the bits of the step times.
class Signature {
public:
    void add(double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        for (int i = 0; i < 8; ++i) {
            hash_ = (hash_ ^ (bits >> (8 * i) & 0xffU)) * 0x100000001b3U;
        }
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main() {
    const char* root = std::getenv("DODONA_SOURCE");
    const files::Library library(root == nullptr ? "." : root);
    const graph::Graph graph = graph::build(library.model("gpt3-175b", {}, {}));
    const cluster::Cluster cluster = library.cluster("selene");
    search::SweepQuestion question;
    question.space.framework = library.framework("megatron-2024");
    question.space.memory = library.memory_profile(question.space.framework.memory);
    question.space.workers = 1;
    for (const std::string& name : library.strategies()) {
        question.space.strategies.push_back(library.strategy(name));
    }
    question.counts = search::doublings(cluster, 1, 4096);
    question.growths = {{.batch = 2048, .machine = cluster.devices(), .asked = {}}};
    const double start = processor_seconds();
    const search::Sweep sweep = search::sweep(graph, cluster, question, search::keys(question));
    const double seconds = processor_seconds() - start;
    Signature signature;
    std::size_t fitting = 0;
    for (const search::SweepPoint& point : sweep.points) {
        signature.add(point.point.best ? point.point.best->step.value.in(unit::second) : 0);
        fitting += point.point.best ? 1 : 0;
    }
    fmt::print(
        "gpt3-175b on 1 to 4,096 GPUs of selene, {} strategies: {} points, {} fit, {:.2f} s, signature {:016x}\n",
        question.space.strategies.size(), sweep.points.size(), fitting, seconds, signature.value());
    return 0;
}
