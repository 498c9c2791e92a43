#include "calibrate/imports/import_builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

namespace dodona::calibrate {

void ImportBuilder::add(std::variant<Environment, Measurement, Failure, Lacking> what) {
    imported_.records.push_back(
        {.backend = "import", .pass = Pass::time, .date = options_.date, .what = std::move(what)});
}

void ImportBuilder::environment(std::map<std::string, std::string> facts) {
    std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
    if (facts.empty() || facts == facts_) {
        return;
    }
    facts_ = facts;
    facts["source"] = file_;
    add(Environment{std::move(facts)});
}

bool ImportBuilder::measured() const {
    return std::any_of(imported_.records.begin(), imported_.records.end(),
                       [](const Record& record) { return std::holds_alternative<Measurement>(record.what); });
}

void ImportBuilder::measurement(Measurement measured) {
    const double seconds = measured.time.least.in(1_s);
    if (!std::isfinite(seconds) || seconds <= 0) {
        note({std::make_shared<Source>(Source{file_, {}}), 0, 0, 1},
             fmt::format("a time of {} s is left out: {}", seconds, measured.of.key()));
        return;
    }
    measured.words["source"] = file_;
    add(std::move(measured));
}

void ImportBuilder::note(Location where, std::string message, std::string help) {
    imported_.notes.push_back({Severity::warning, std::move(where), std::move(message), std::move(help)});
}

void ImportBuilder::assume(Location where, std::string message, std::string help) {
    assumptions_.push_back({Severity::warning, std::move(where), std::move(message), std::move(help)});
}

Statistics once(Seconds time) {
    return {.least = time, .first_quartile = time, .median = time, .third_quartile = time, .samples = 1};
}

std::string level_of(const ImportOptions& options, std::int64_t ranks, std::int64_t ranks_per_node) {
    if (!options.level.empty()) {
        return options.level;
    }
    return ranks_per_node >= ranks ? "node" : "network";
}

}  // namespace dodona::calibrate
