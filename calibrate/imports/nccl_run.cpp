#include "calibrate/imports/nccl_run.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/imports/collective_name.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::size_t kFewestSizes = 3;  // two make a line that nothing contradicts
constexpr double kMicro = 1e-6;
constexpr double kGiga = 1e9;

struct Shape {
    std::int64_t ranks = 0;
    std::int64_t ranks_per_node = 0;
    std::int64_t groups = 1;
};

/// Why nothing is taken of a run.
struct Refusal {
    Location where;
    std::string why;
    std::string help = {};
};

struct Timings {
    std::vector<std::pair<const NcclRow*, const NcclTiming*>> all;

    explicit Timings(const NcclRun& run) {
        for (const NcclRow& row : run.rows) {
            for (const auto* timing : {&row.out_of_place, &row.in_place}) {
                if (*timing) {
                    all.emplace_back(&row, &**timing);
                }
            }
        }
    }
    /// The one whose bandwidths have most digits; null where all are 0.
    [[nodiscard]] const NcclTiming* sharpest() const {
        const NcclTiming* best = nullptr;
        for (const auto& entry : all) {
            if (entry.second->algorithm.value > (best == nullptr ? 0 : best->algorithm.value)) {
                best = entry.second;
            }
        }
        return best;
    }
};

struct Ratio {
    double value = 0;
    double tolerance = 0;
};

std::optional<Ratio> bus_ratio_of(const Timings& timings) {
    constexpr double kSlack = 0.004;
    const NcclTiming* sharpest = timings.sharpest();
    if (sharpest == nullptr) {
        return std::nullopt;
    }
    const double algorithm = sharpest->algorithm.value;
    const double ratio = sharpest->bus.value / algorithm;
    return Ratio{ratio, (sharpest->bus.half_step + ratio * sharpest->algorithm.half_step) / algorithm + kSlack};
}

/// Whether time * algorithm bandwidth is the size.
bool fits(const NcclRow& row, const NcclTiming& timing) {
    constexpr double kSlack = 0.002;
    const Printed& time = timing.time;
    const double bytes = time.value * kMicro * timing.algorithm.value * kGiga;
    const double tolerance = kMicro * kGiga *
                             (time.value * timing.algorithm.half_step +
                              time.half_step * (timing.algorithm.value + timing.algorithm.half_step));
    return std::abs(bytes - row.bytes) <= tolerance + kSlack * row.bytes;
}

class NcclRunImport {
public:
    NcclRunImport(const NcclRun& run, ImportBuilder& into) : run_(run), into_(into), timings_(run) {}

    void add_records() {
        try {
            const NcclProgram& program = the_program();
            if (!program.taken) {
                refuse(run_.where, fmt::format("rows of {} are left out: {}", program.stem, run_.rows.size()),
                       fmt::format("records are made of {}", known_collectives()));
            }
            check_honest();
            const Shape shape = the_shape();
            check_ratio(program, shape);
            check_times();
            check_sizes();
            emit(program, shape);
        } catch (const Refusal& refusal) {
            into_.note(refusal.where, refusal.why, refusal.help);
        }
    }

private:
    [[noreturn]] static void refuse(Location where, std::string why, std::string help = {}) {
        throw Refusal{std::move(where), std::move(why), std::move(help)};
    }

    [[nodiscard]] std::int64_t ranks_of_list() const {
        std::set<std::int64_t> ranks;
        std::set<std::int64_t> groups;
        for (const NcclRank& rank : run_.ranks) {
            ranks.insert(rank.rank);
            groups.insert(rank.group);
        }
        return groups.empty() ? 0 : static_cast<std::int64_t>(ranks.size() / groups.size());
    }

    const NcclProgram& the_program() {
        if (!into_.options().collective.empty()) {
            return *program_of(into_.options().collective);
        }
        if (const NcclProgram* named = program_named(run_.program)) {
            return *named;
        }
        const auto like = look_alikes();
        if (like.size() == 1) {
            into_.assume(run_.where, fmt::format("the log does not name the collective; its bandwidths are those of {}",
                                                 like.front()->collective));
            return *like.front();
        }
        auto names = mapped_where<std::string>(
            like, [](const NcclProgram* program) { return program->taken; },
            [](const NcclProgram* program) { return program->collective; });
        refuse(run_.where,
               names.empty()
                   ? "the log does not say which collective this is"
                   : fmt::format("the log does not say which collective this is: it may be {}", join(names, " or ")),
               fmt::format("name it with --collective: {}", known_collectives()));
    }

    /// Programs of such bandwidths. Twice as much as is reduced moves in an all-reduce only, however many the ranks.
    [[nodiscard]] std::vector<const NcclProgram*> look_alikes() const {
        const auto ratio = bus_ratio_of(timings_);
        const auto ranks = static_cast<double>(into_.options().ranks.value_or(ranks_of_list()));
        if (ratio && ratio->value > 1 + ratio->tolerance) {
            return {program_of("all-reduce")};
        }
        if (!ratio || ranks < 2) {
            return {};
        }
        const NcclRow& row = run_.rows.front();
        const bool reduces = !row.redop.empty() && row.redop != "none";
        return programs_like(ratio->value, ratio->tolerance, ranks, reduces, row.root >= 0);
    }

    /// Results that were wrong, and times that are not those of the collective.
    void check_honest() const {
        if (run_.cpu_time) {
            refuse(run_.where, "the times are those of the host thread (-C 1), not of the collective",
                   "run it without -C");
        }
        for (const auto& [row, timing] : timings_.all) {
            if (timing->wrong.value_or(0) != 0) {
                refuse(
                    timing->where,
                    fmt::format("{:.0f} elements are wrong: a run with wrong results is not imported", *timing->wrong),
                    "repair the machine or the library, and measure again");
            }
        }
        if (run_.out_of_bounds != 0) {
            refuse(run_.where, fmt::format("the run reports {} values out of bounds", run_.out_of_bounds),
                   "repair the machine or the library, and measure again");
        }
    }

    [[nodiscard]] Shape the_shape() const {
        Shape shape;
        std::set<std::int64_t> groups;
        for (const NcclRank& rank : run_.ranks) {
            groups.insert(rank.group);
        }
        shape.groups = std::max<std::int64_t>(1, static_cast<std::int64_t>(groups.size()));
        shape.ranks = into_.options().ranks.value_or(run_.ranks_cut ? 0 : ranks_of_list());
        if (shape.ranks == 0) {
            refuse(run_.where, "the log does not say how many ranks took part", "give it with --ranks");
        }
        if (shape.ranks < 2) {
            refuse(run_.where, "a run of one rank has no communication",
                   "without MPI every process runs alone: build nccl-tests with MPI=1");
        }
        shape.ranks_per_node = into_.options().ranks_per_node.value_or(0);
        if (shape.ranks_per_node == 0) {
            shape.ranks_per_node = per_node(shape);
        }
        if (shape.ranks % shape.ranks_per_node != 0 && shape.ranks_per_node < shape.ranks) {
            refuse(run_.where,
                   fmt::format("{} ranks with {} in a node do not fill every node", shape.ranks, shape.ranks_per_node));
        }
        shape.ranks_per_node = std::min(shape.ranks_per_node, shape.ranks);
        return shape;
    }

    [[nodiscard]] std::int64_t per_node(const Shape& shape) const {
        const std::string help = "give it with --ranks-per-node";
        std::map<std::pair<std::int64_t, std::string>, std::int64_t> counts;
        for (const NcclRank& rank : run_.ranks) {
            ++counts[{rank.group, rank.host}];
        }
        if (counts.empty() || run_.ranks_cut || ranks_of_list() != shape.ranks) {
            refuse(run_.where, "the log does not say how many ranks each node has", help);
        }
        for (const auto& entry : counts) {
            if (entry.second != counts.begin()->second) {
                refuse(run_.where, "nodes have unequal numbers of ranks", help);
            }
        }
        return counts.begin()->second;
    }

    void check_ratio(const NcclProgram& program, const Shape& shape) const {
        const auto ratio = bus_ratio_of(timings_);
        const double due = bus_ratio(program, static_cast<double>(shape.ranks));
        if (ratio && std::abs(ratio->value - due) > ratio->tolerance) {
            refuse(timings_.sharpest()->where,
                   fmt::format("the bus bandwidth is {:.3g} times the algorithm bandwidth; of {} over {} ranks it is "
                               "{:.3g} times",
                               ratio->value, program.collective, shape.ranks, due),
                   "check which collective it is and how many ranks took part: --collective, --ranks");
        }
    }

    void check_times() const {
        const auto odd = std::find_if(timings_.all.begin(), timings_.all.end(), [](const auto& entry) {
            return entry.first->bytes != 0 && !fits(*entry.first, *entry.second);
        });
        if (odd != timings_.all.end()) {
            const NcclTiming& timing = *odd->second;
            refuse(timing.where,
                   fmt::format("time * algbw is {:.4g} bytes, and size {:.4g}",
                               timing.time.value * kMicro * timing.algorithm.value * kGiga, odd->first->bytes),
                   "the columns are not what the header says, or the log was edited");
        }
    }

    void check_sizes() {
        std::set<double> sizes;
        std::int64_t empty = 0;
        for (const NcclRow& row : run_.rows) {
            row.bytes > 0 ? static_cast<void>(sizes.insert(row.bytes)) : static_cast<void>(++empty);
        }
        if (empty > 0) {
            into_.note(run_.where, fmt::format("rows of size 0 are left out: {}", empty));
        }
        if (sizes.size() < kFewestSizes) {
            refuse(run_.where, fmt::format("{} sizes are too few for a curve: it needs {}", sizes.size(), kFewestSizes),
                   "measure a range: -b 8 -e 1G -f 2");
        }
    }

    void emit(const NcclProgram& program, const Shape& shape) {
        std::map<std::string, std::string> facts = run_.versions;
        std::set<std::string> devices;
        for (const NcclRank& rank : run_.ranks) {
            devices.insert(rank.device);
        }
        if (!devices.empty()) {
            facts["device"] = *devices.begin();
        }
        if (devices.size() > 1) {
            into_.assume(run_.where,
                         fmt::format("{} kinds of device took part; the first is recorded", devices.size()));
        }
        into_.environment(std::move(facts));
        for (const NcclRow& row : run_.rows) {
            if (row.bytes > 0) {
                emit(program, shape, row, row.out_of_place, false);
                emit(program, shape, row, row.in_place, true);
            }
        }
    }

    void emit(const NcclProgram& program, const Shape& shape, const NcclRow& row,
              const std::optional<NcclTiming>& timing, bool in_place) {
        if (!timing) {
            return;
        }
        const bool sends = program.collective == "send";
        Measurement measured{
            .of = {.benchmark = sends ? "send" : "collective",
                   .parameters = {{"bytes", row.bytes},
                                  {"ranks", static_cast<double>(shape.ranks)},
                                  {"ranks_per_node", static_cast<double>(shape.ranks_per_node)},
                                  {"groups", static_cast<double>(shape.groups)},
                                  {"in_place", in_place ? 1.0 : 0.0},
                                  {"level", level_of(into_.options(), shape.ranks, shape.ranks_per_node)}}},
            .time = once(timing->time.value / kMicrosPerSecond * 1_s),
            .values = timing->values,
            .words = {{"type", row.type}}};
        if (sends) {
            measured.of.parameters["pattern"] = "ring";
        } else {
            measured.of.parameters["collective"] = std::string(program.collective);
        }
        measured.values["algorithm_bandwidth"] = timing->algorithm.value * kGiga;
        measured.values["bus_bandwidth"] = timing->bus.value * kGiga;
        if (run_.iterations > 0) {
            measured.values["iterations"] = run_.iterations;
        }
        into_.measurement(std::move(measured));
    }

    const NcclRun& run_;
    ImportBuilder& into_;
    Timings timings_;
};

}  // namespace

void import_nccl_run(const NcclRun& run, ImportBuilder& into) {
    if (run.rows.empty()) {
        into.note(run.where, "a table without rows: the run was interrupted or failed");
        return;
    }
    NcclRunImport(run, into).add_records();
}

std::string nccl_version(std::int64_t code) {
    constexpr std::int64_t kOld = 10'000;  // until 2.8 the major number counts thousands
    const std::int64_t major = code < kOld ? 1000 : 10'000;
    return fmt::format("{}.{}.{}", code / major, code % major / 100, code % 100);
}

}  // namespace dodona::calibrate
