// --lengths: samples of different lengths, and how micro-batches are made of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "lengths/varied_step.hpp"
#include "play/noisy_steps.hpp"
#include "reports/collect/lengths_report.hpp"

namespace dodona::cli {

std::vector<Option> length_options();

/// What --lengths, --packing and --buckets say, without the file read.
struct LengthSettings {
    std::string file;
    std::vector<lengths::Packing> packings;  ///< all without --packing
    std::vector<double> edges;               ///< of buckets; empty: powers of two
};

/// None without --lengths. Faults are noted.
std::optional<LengthSettings> read_length_settings(Arguments& arguments);

/// Steps of plans with samples of these lengths. Networks are read once for each length.
class LengthAnswers {
public:
    /// Throws InputError where the file has faults, or the network reads no tokens.
    LengthAnswers(const LengthSettings& settings, const Workload& workload);

    /// The plan with each packing, the most tokens a second first. Domain: the plan runs.
    reports::LengthsAnswer of(const plan::Plan& plan);
    /// What a micro-batch of the plan takes over one of full length, drawn anew for each; `answer` is the plan's, whose
    /// first packing is played, and outlives it.
    std::function<double(std::int64_t, std::int64_t, std::int32_t)> work(const reports::LengthsAnswer& answer,
                                                                         std::uint64_t seed) const;

private:
    const graph::Graph& network(std::int64_t sequence);
    reports::TimedPlan timed(const plan::Plan& plan, std::int64_t sequence, std::int64_t samples);
    reports::PackedStep packed_step(const plan::Plan& plan, lengths::Packing packing, const lengths::Job& job);

    const LengthSettings& settings_;
    const Workload& workload_;
    std::int64_t row_;
    lengths::Distribution lengths_;
    std::map<std::int64_t, graph::Graph> networks_;
};

}  // namespace dodona::cli
