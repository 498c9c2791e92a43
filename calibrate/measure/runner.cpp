#include "calibrate/measure/runner.hpp"

#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "calibrate/measure/recorded_case.hpp"

namespace dodona::calibrate {

namespace {

constexpr Seconds kStart = 120_s;         ///< for the first word of a back end: libraries load, ranks meet
constexpr double kPatience = 60;          ///< so many times the sampling of a case it may be silent
constexpr Seconds kLeastPatience = 60_s;  ///< and at least so long
constexpr int kDeaths = 5;                ///< processes in a row that die without an answer end it

/// Fisher and Yates, so that a seed gives one order with every standard library.
void shuffle(std::vector<Case>& cases, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = cases.size(); i > 1; --i) {
        std::swap(cases[i - 1], cases[static_cast<std::size_t>(random() % i)]);
    }
}

/// The first line of a process, or why there is none.
std::variant<Record, Lacking> greeting(Child& child, const Round& round, const Watch& watch) {
    child.write(to_line(round.settings));
    const Child::Reply reply = child.read(kStart, watch.interrupted);
    if (reply.kind == Child::Reply::Kind::line) {
        try {
            return record_from(reply.line, {});
        } catch (const InputError&) {
            return Lacking{
                .why = fmt::format("the back end {} wrote \"{}\"", round.backend.name, reply.line.substr(0, 200)),
                .help = "modules and programs must be of the same build as dodona"};
        }
    }
    const std::string became = reply.kind == Child::Reply::Kind::late      ? "said nothing"
                               : reply.kind == Child::Reply::Kind::stopped ? "was interrupted"
                                                                           : child.end();
    return Lacking{.why = fmt::format("the back end {} {}", round.backend.name, became),
                   .help = "start it by hand to see more"};
}

class Run {
public:
    Run(const Round& round, Journal& journal, const Watch& watch) : round_(round), journal_(journal), watch_(watch) {}

    Outcome all() {
        pending_ = missing();
        shuffle(pending_, round_.settings.seed);
        int deaths = 0;
        while (!pending_.empty() && !outcome_.lacking && !outcome_.interrupted) {
            const std::size_t before = pending_.size();
            one_process();
            deaths = pending_.size() + 1 < before ? 0 : deaths + 1;
            if (deaths >= kDeaths && !pending_.empty()) {
                outcome_.lacking =
                    Lacking{.why = fmt::format("the back end {} dies at every case", round_.backend.name),
                            .help = "the failures in the calibration say how"};
            }
        }
        return std::move(outcome_);
    }

private:
    std::vector<Case> missing() {
        std::vector<Case> cases;
        std::set<std::string> seen;
        for (const Case& one : round_.cases) {
            if (!seen.insert(one.key()).second) {
                continue;
            }
            if (!round_.again && journal_.has(round_.backend.name, round_.settings.pass, recorded(one))) {
                ++outcome_.before;
            } else {
                cases.push_back(one);
            }
        }
        return cases;
    }

    void one_process() {
        try {
            Child child = round_.backend.start();
            if (greeted(child)) {
                while (!pending_.empty() && asked(child)) {
                }
            }
        } catch (const InstrumentMissing& missing) {
            outcome_.lacking = missing.lacking();
        }
    }

    /// Whether it has reported its environment.
    bool greeted(Child& child) {
        auto first = greeting(child, round_, watch_);
        outcome_.interrupted = watch_.interrupted && watch_.interrupted();
        if (auto* lacking = std::get_if<Lacking>(&first)) {
            outcome_.lacking = outcome_.interrupted ? std::nullopt : std::optional(*lacking);
            return false;
        }
        return taken(std::get<Record>(std::move(first)));
    }

    /// Whether the process can be asked more.
    bool asked(Child& child) {
        const Case current = pending_.back();
        if (watch_.asked) {
            watch_.asked(current);
        }
        const Seconds patience = max(kLeastPatience, kPatience * round_.settings.most_seconds * 1_s);
        child.write(to_line(current));
        const Child::Reply reply = child.read(patience, watch_.interrupted);
        if (reply.kind == Child::Reply::Kind::stopped) {
            outcome_.interrupted = true;
            return false;
        }
        pending_.pop_back();
        if (reply.kind == Child::Reply::Kind::line) {
            return answered(reply.line, current);
        }
        const bool late = reply.kind == Child::Reply::Kind::late;
        const std::string why = late ? fmt::format("gave no answer within {:.0f} s", patience.in(1_s))
                                     : fmt::format("its process {}", child.end());
        take({.backend = round_.backend.name,
              .pass = round_.settings.pass,
              .date = date_now(),
              .what = Failure{recorded(current), why}});
        return false;
    }

    /// Whether a line answers the case and more may follow.
    bool answered(const std::string& line, const Case& current) {
        try {
            Record record = record_from(line, {});
            const auto* measurement = std::get_if<Measurement>(&record.what);
            const auto* failure = std::get_if<Failure>(&record.what);
            const Case* of = measurement != nullptr ? &measurement->of : failure != nullptr ? &failure->of : nullptr;
            if (of == nullptr || *of == current) {
                return !std::holds_alternative<Environment>(record.what) ? taken(recorded(std::move(record), current))
                                                                         : refused(line, "which answers no case");
            }
            return refused(line, fmt::format("asked for {}", current.key()));
        } catch (const InputError& error) {
            return refused(line, error.diagnostics().front().message);
        }
    }

    bool refused(const std::string& line, const std::string& why) {
        outcome_.lacking = Lacking{
            .why = fmt::format("the back end {} wrote \"{}\": {}", round_.backend.name, line.substr(0, 200), why),
            .help = "modules and programs must be of the same build as dodona"};
        return false;
    }

    bool taken(Record record) {
        if (auto* lacking = std::get_if<Lacking>(&record.what)) {
            outcome_.lacking = std::move(*lacking);
            return false;
        }
        take(record);
        return true;
    }

    void take(Record record) {
        record.backend = round_.backend.name;  // whatever it calls itself
        if (const auto* failure = std::get_if<Failure>(&record.what)) {
            outcome_.failures.push_back(*failure);
        } else if (std::holds_alternative<Measurement>(record.what)) {
            ++outcome_.measured;
        }
        journal_.append(record);
        if (watch_.answered) {
            watch_.answered(record);
        }
    }

    const Round& round_;
    Journal& journal_;
    const Watch& watch_;
    Outcome outcome_;
    std::vector<Case> pending_;
};

}  // namespace

std::variant<Environment, Lacking> environment_of(const BackEnd& backend, const Settings& settings,
                                                  const Watch& watch) {
    try {
        Child child = backend.start();
        auto first = greeting(child, {.backend = backend, .settings = settings, .cases = {}}, watch);
        if (auto* lacking = std::get_if<Lacking>(&first)) {
            return *lacking;
        }
        auto& what = std::get<Record>(first).what;
        if (auto* lacking = std::get_if<Lacking>(&what)) {
            return *lacking;
        }
        if (auto* environment = std::get_if<Environment>(&what)) {
            return *environment;
        }
        return Lacking{.why = fmt::format("the back end {} did not say what it runs on", backend.name),
                       .help = "modules and programs must be of the same build as dodona"};
    } catch (const InstrumentMissing& missing) {
        return missing.lacking();
    }
}

Outcome run(const Round& round, Journal& journal, const Watch& watch) { return Run(round, journal, watch).all(); }

}  // namespace dodona::calibrate
