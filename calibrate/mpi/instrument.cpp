#include "calibrate/mpi/instrument.hpp"

#include <optional>

#include <fmt/format.h>

#include "calibrate/mpi/case_run.hpp"
#include "calibrate/mpi/commands.hpp"
#include "calibrate/mpi/facts.hpp"
#include "calibrate/mpi/messages.hpp"
#include "calibrate/mpi/placement.hpp"
#include "calibrate/record/sampling.hpp"

namespace dodona::calibrate {

namespace {

/// After so many rejected samples, and few that were not, all count: before the sampling rule gives up.
constexpr int kPatience = 3;
constexpr int kFewestQuick = 5;
static_assert(kPatience < kFewestQuick);

/// The order in which all ranks make their World together.
constexpr const char* kBegin = "begin";

void refuse_unlike_hosts(const World& world) {
    if (world.size() < 2) {
        throw InstrumentMissing({"MPI started a single rank: communication needs two",
                                 "start it with mpirun -np 2 or more, on one host or several"});
    }
    const Host& first = world.hosts().front();
    for (const Host& host : world.hosts()) {
        if (host.ranks.size() != first.ranks.size()) {
            throw InstrumentMissing(
                {fmt::format("hosts have different numbers of ranks: {} has {}, {} has {}", first.name,
                             first.ranks.size(), host.name, host.ranks.size()),
                 "start equally many on each, with mpirun -npernode N or a host file with equal slots"});
        }
    }
}

/// Samples of one kind of request.
class Sampler {
public:
    Sampler(CaseRun& run, const Settings& settings) : session_(run), settings_(settings) {}

    Statistics take(const SampleRequest& request) {
        const Seconds limit = settings_.most_seconds * 1_s;
        const CaseRun::Sample warm = session_.sample(request);
        // Where a sample alone takes a good part of the time, there are none to spare.
        bool all_count = warm.time > 0.2 * limit;
        int kept = 0;
        int rejected = 0;
        SamplingRule rule{
            .estimator = Estimator::least, .fewest = settings_.quick ? kFewestQuick : kFewest, .limit = limit};
        if (warm.time > limit) {
            rule.fewest = rule.most = 3;
        }
        const Statistics statistics = sample(rule, [&]() -> Timed {
            const CaseRun::Sample one = session_.sample(request);
            all_count = all_count || (rejected >= kPatience && rejected > 3 * kept);
            if (one.switched && !all_count) {
                ++rejected;
                return {.time = one.time, .rejected = "switched"};
            }
            ++kept;
            switches_counted_ = switches_counted_ || one.switched;
            return {.time = one.time};
        });
        return statistics;
    }
    [[nodiscard]] bool switches_counted() const { return switches_counted_; }

private:
    CaseRun& session_;
    const Settings& settings_;
    bool switches_counted_ = false;
};

/// (long - short) / messages - delay of the least, the quartiles and the median, each by each.
Statistics per_message(const Statistics& train, const Statistics& one, Seconds delay) {
    const auto each = [&](Seconds of_train, Seconds of_one) { return (of_train - of_one) / (kTrain - 1) - delay; };
    Statistics result = train;
    result.least = each(train.least, one.least);
    result.first_quartile = each(train.first_quartile, one.first_quartile);
    result.median = each(train.median, one.median);
    result.third_quartile = each(train.third_quartile, one.third_quartile);
    if (result.least <= Seconds{}) {
        throw CannotMeasure(
            fmt::format("a train of {} messages takes no longer than its delays: the difference is noise", kTrain));
    }
    // Quartiles of differences of two samples: noise may have put them out of order.
    result.first_quartile = max(result.first_quartile, result.least);
    result.median = max(result.median, result.first_quartile);
    result.third_quartile = max(result.third_quartile, result.median);
    return result;
}

Measurement measured(const Case& asked, Sampler& sampler) {
    Measurement result{.of = asked, .time = {}, .values = {}, .words = {}};
    const std::string pattern = asked.benchmark == "send" ? asked.word("pattern") : "";
    if (pattern == "overhead" || pattern == "gap") {
        const Statistics one = sampler.take({.kind = 0});
        const Seconds delay = pattern == "overhead" ? one.least : Seconds{};
        const Statistics train = sampler.take({.kind = 1, .delay = delay.in(1_s)});
        result.time = per_message(train, one, delay);
        result.values = {{"round_trip", one.least.in(1_s)}, {"train", train.least.in(1_s)}, {"delay", delay.in(1_s)}};
    } else if (asked.benchmark == "interference") {
        const Statistics alone = sampler.take({.kind = 0});
        static_cast<void>(sampler.take({.kind = 2}));
        result.time = sampler.take({.kind = 1});
        result.time.estimator = Estimator::median;  // the disturbance is what is asked for
        result.values["alone"] = alone.median.in(1_s);
        result.values["slow_down"] = result.time.median / alone.median;
    } else {
        result.time = sampler.take({});
    }
    return result;
}

class MpiInstrument : public Instrument {
public:
    explicit MpiInstrument(const Settings& settings) : settings_(settings) { refuse_unlike_hosts(world_); }

    Environment environment() override { return environment_of(world_); }

    Measurement measure(const Case& asked) override {
        static_cast<void>(placed(asked, world_.hosts()));  // what can't be placed is nobody else's business
        send_command(to_line(asked));
        CaseRun run(world_, asked);
        Sampler sampler(run, settings_);
        Measurement result;
        try {
            result = measured(asked, sampler);
        } catch (...) {
            run.finish();
            throw;
        }
        add_figures(result, run.finish());
        if (sampler.switches_counted()) {
            result.words["switches"] = "counted";
        }
        if (asked.benchmark != "send" && asked.word("algorithm", "free") == "free") {
            if (const auto forced = forced_algorithm(asked.word("collective"))) {
                result.words["library_algorithm"] = *forced;
            }
        }
        return result;
    }

private:
    static void add_figures(Measurement& result, const std::map<std::string, double>& figures) {
        result.values.insert(figures.begin(), figures.end());
        const auto alone = figures.find("load_alone");
        const auto beside = figures.find("load_beside");
        if (alone != figures.end() && beside != figures.end() && beside->second > 0) {
            result.values["load_slow_down"] = alone->second / beside->second;
        }
    }

    World world_;
    Settings settings_;
};

}  // namespace

std::unique_ptr<Instrument> make_mpi_instrument(const Settings& settings) {
    if (settings.pass != Pass::time) {
        throw InstrumentMissing({fmt::format("MPI has no pass \"{}\"", name(settings.pass)), "ask it for times"});
    }
    send_command(kBegin);
    return std::make_unique<MpiInstrument>(settings);
}

void follow_orders() {
    std::optional<World> world;
    while (const auto line = next_command()) {
        if (*line == kBegin) {
            world.emplace();
            continue;
        }
        try {
            CaseRun(*world, case_from(*line, {})).follow();
        } catch (const std::exception&) {
            // Rank 0 throws the same and says why.
        }
    }
}

}  // namespace dodona::calibrate
