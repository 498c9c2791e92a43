// Gathers what a format's reader takes from one file, and what it leaves out.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "calibrate/imports/import.hpp"

namespace dodona::calibrate {

class Collector {
public:
    /// `file` is the name of the file, without folders.
    Collector(const ImportOptions& options, std::string file) : options_(options), file_(std::move(file)) {}

    [[nodiscard]] const ImportOptions& options() const { return options_; }
    [[nodiscard]] const std::string& file() const { return file_; }

    /// Facts of what was measured from here on; the same facts again say nothing new.
    void environment(std::map<std::string, std::string> facts);
    /// A time that is none, of bandwidths beyond all bounds, is left out with a note.
    void measurement(Measurement measured);
    void topology(Topology topology) { imported_.topologies.push_back(std::move(topology)); }

    /// Whether anything was.
    [[nodiscard]] bool measured() const;

    /// Something that was left out.
    void note(Location where, std::string message, std::string help = {});
    /// Something that the file does not say.
    void assume(Location where, std::string message, std::string help = {});

    [[nodiscard]] Imported take() { return std::move(imported_); }
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
