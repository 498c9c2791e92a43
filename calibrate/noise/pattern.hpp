// When a load is on: phases of memory, network, file or CPU load and of silence, again and again.
//
// Source: NOIGENA, the noise generator of the ExtraNoise project, whose patterns these are: "M2S2" is two seconds of
// memory load and two of silence. C, for the CPU, is ours.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"

namespace dodona::calibrate {

enum class Load { memory, network, files, cpu, silence };

/// M, N, I, C, S.
char letter(Load load);
/// "memory", "network", "io", "cpu", "silence".
std::string_view name(Load load);

struct Phase {
    Load load = Load::silence;
    Seconds duration;
    bool operator==(const Phase&) const = default;
};

struct NoisePattern {
    std::vector<Phase> phases;  ///< at least one, each of a positive duration

    /// One round of all phases.
    [[nodiscard]] Seconds cycle() const;
    /// What is on `since` the begin, and until when counted from there.
    struct Now {
        Load load;
        Seconds until;
    };
    [[nodiscard]] Now at(Seconds since) const;
    /// Whether a phase of it is of that load.
    [[nodiscard]] bool has(Load load) const;
    bool operator==(const NoisePattern&) const = default;
};

/// "M2S2", "M0.5N2S1". Throws InputError at the letter or number that is wrong.
NoisePattern pattern_from(std::string_view text, const Location& where);

}  // namespace dodona::calibrate
