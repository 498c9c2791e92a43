// Builds the records of one imported file while its reader goes through it, with notes on what the reader leaves out.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "calibrate/imports/import.hpp"

namespace dodona::calibrate {

/// Most programs print microseconds. Dividing by this is more exact than multiplying by 1e-6.
inline constexpr double kMicrosPerSecond = 1e6;

class ImportBuilder {
public:
    /// `file` is the name of the file, without folders.
    ImportBuilder(const ImportOptions& options, std::string file) : options_(options), file_(std::move(file)) {}

    [[nodiscard]] const ImportOptions& options() const { return options_; }
    [[nodiscard]] const std::string& file() const { return file_; }

    /// Facts about all that is measured from here on. Facts that are repeated change nothing.
    void environment(std::map<std::string, std::string> facts);
    /// Times that are not positive and finite are left out with a note.
    void measurement(Measurement measured);
    void topology(Topology topology) { imported_.topologies.push_back(std::move(topology)); }

    [[nodiscard]] Site& site() { return imported_.site; }

    /// Whether there is a measurement yet.
    [[nodiscard]] bool measured() const;

    /// Notes something that was left out.
    void note(Location where, std::string message, std::string help = {});
    /// Notes something that the file does not say and that is assumed.
    void assume(Location where, std::string message, std::string help = {});

    [[nodiscard]] Imported finish() { return std::move(imported_); }
    [[nodiscard]] const std::vector<Diagnostic>& assumptions() const { return assumptions_; }

private:
    void add(std::variant<Environment, Measurement, Failure, Lacking> what);

    const ImportOptions& options_;
    std::string file_;
    std::map<std::string, std::string> facts_;
    Imported imported_;
    std::vector<Diagnostic> assumptions_;
};

/// Statistics of one time that stands for several runs already.
Statistics once(Seconds time);

/// The level that a group crosses: what the user says, or "node" where all of its ranks share one, else "network".
std::string level_of(const ImportOptions& options, std::int64_t ranks, std::int64_t ranks_per_node);

}  // namespace dodona::calibrate
