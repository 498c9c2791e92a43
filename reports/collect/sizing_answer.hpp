// Questions and answers of `dodona size` and `dodona largest`, as their reports need them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/largest.hpp"
#include "search/sizing.hpp"

namespace dodona::reports {

/// What both are asked.
struct SizingInputs {
    std::string model;
    std::string model_source;
    double tokens_a_sample = 0;  ///< 0: a model without tokens
    search::Goals goals;
    std::vector<std::pair<std::string, std::string>> settings;  ///< options as given, as (option, value)
};

struct SizedMachine {
    std::string machine;
    std::string source;
    Precision precision = Precision::bf16;
    std::optional<cluster::Price> price;
    search::Sizing sizing;
};

struct SizingAnswer {
    SizingInputs question;
    double parameters = 0;
    search::Find find = search::Find::fewest;
    std::vector<SizedMachine> machines;  ///< in the order of the question
    std::optional<std::size_t> best;     ///< the machine whose answer is best; none: no machine has one
};

/// By what was to be found; of equal ones the machine that was named first.
std::optional<std::size_t> best_machine(const std::vector<SizedMachine>& machines, search::Find find);

struct LargestAnswer {
    SizingInputs question;
    std::string parameter;   ///< "batch", or the name of a parameter of the model file
    std::int64_t given = 0;  ///< its value in the file, or with --set
    std::string machine;
    std::string machine_source;
    Precision precision = Precision::bf16;
    std::int64_t devices = 1;
    std::optional<cluster::Price> price;
    search::Largest largest;
};

}  // namespace dodona::reports
