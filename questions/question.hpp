// What questions have in common, whoever asks them: a command line, a program, a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/cluster.hpp"
#include "questions/workload.hpp"

namespace dodona::questions {

/// The texts that people read before they ask a question.
struct Heading {
    std::string name;  ///< "cache"
    std::string summary;
    std::string options;   ///< above its own options: "Samples"
    std::string examples;  ///< below all options
};

/// A fault of an option; without a message it is missing.
struct Fault {
    std::string option;
    std::string message;
    std::string help;
};
using Faults = std::vector<Fault>;

/// Numbers of GPUs as they are asked for: those from `least` to `most`, or those listed.
struct DeviceCounts {
    std::optional<std::int64_t> least, most;  ///< of a range
    std::optional<std::int64_t> step;         ///< of a range: its multiples between both ends
    std::vector<std::int64_t> listed;         ///< ascending, each once
};

/// `least`, and the multiples of `step` above it up to `most`.
std::vector<std::int64_t> stepped_counts(std::int64_t least, std::int64_t most, std::int64_t step);

/// A fault if the machine has fewer.
void check_devices(const cluster::Cluster& cluster, std::int64_t devices, Faults& faults);

/// A question, complete; or all that keeps it from being one.
template <class Question>
using Asked = std::variant<Question, Faults>;

}  // namespace dodona::questions
