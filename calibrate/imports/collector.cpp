#include "calibrate/imports/collector.hpp"

namespace dodona::calibrate {

void Collector::add(std::variant<Environment, Measurement, Failure, Lacking> what) {
    imported_.records.push_back(
        {.backend = "import", .pass = Pass::time, .date = options_.date, .what = std::move(what)});
}

void Collector::environment(std::map<std::string, std::string> facts) {
    std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
    if (facts.empty() || facts == facts_) {
        return;
    }
    facts_ = facts;
    facts["source"] = file_;
    add(Environment{std::move(facts)});
}

void Collector::measurement(Measurement measured) {
    measured.words["source"] = file_;
    add(std::move(measured));
}

void Collector::note(Location where, std::string message, std::string help) {
    imported_.notes.push_back({Severity::warning, std::move(where), std::move(message), std::move(help)});
}

Statistics once(Seconds time) {
    return {.least = time, .first_quartile = time, .median = time, .third_quartile = time, .samples = 1};
}

std::string level_of(const ImportOptions& options, std::int64_t ranks, std::int64_t ranks_per_node) {
    if (!options.level.empty()) {
        return options.level;
    }
    return ranks_per_node >= ranks ? "node" : "system";
}

}  // namespace dodona::calibrate
