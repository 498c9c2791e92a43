// What the numbers of workers and threads are worth: k operators at once on n threads each.
//
//   none       as frameworks start: as many workers as cores, and as many threads for each
//   fixed      the fastest k and n of all with k n <= cores, by trying
//   dynamic    k and n for each section (depths of equal width), k = width and n = cores / k or the fixed ones, whichever
//              is shorter with the changes between sections; a section starts when the one before has ended; fixed
//              where nothing of that is shorter
//   guideline  k = average width, rounded, n = cores / k, rounded down
//
// Source: PyTorch, "CPU threading and TorchScript inference", for the two numbers and their defaults; Wang et al.,
// arXiv:1908.04705, for the guideline.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/enumeration.hpp"
#include "threads/list_schedule.hpp"
#include "threads/operator_time.hpp"

namespace dodona::threads {

/// k operators at once, each on n threads.
struct Setting {
    std::int64_t workers = 1;
    std::int64_t threads = 1;
    bool operator==(const Setting&) const = default;
};

struct Timed {
    Setting setting;
    Seconds time;
};

/// Neighbouring depths that run with one setting.
struct Section {
    std::size_t depths = 0;
    std::int64_t narrowest = 0;  ///< operators of a depth
    std::int64_t widest = 0;
    Setting setting;
    Seconds time;  ///< without the change before it
};

enum class Tuning { none, fixed, dynamic, guideline };
inline constexpr std::array kTuningTable{
    Enumerator(Tuning::none, "none", "as frameworks start: cores workers of cores threads"),
    Enumerator(Tuning::fixed, "fixed", "the fastest that does not over-subscribe"),
    Enumerator(Tuning::dynamic, "dynamic", "by section of the network"),
    Enumerator(Tuning::guideline, "guideline", "the average width, and the cores over it")};
constexpr const auto& enumerators(Tuning /*type*/) { return kTuningTable; }
inline constexpr std::array kTunings = values_of(kTuningTable);
constexpr std::string_view name(Tuning tuning) { return name_of(tuning); }

struct Prediction {
    std::size_t operators = 0;
    std::size_t depths = 0;
    std::int64_t widest = 0;
    double average_width = 0;
    Timed none;
    Timed fixed;
    Timed guideline;
    Seconds dynamic;
    std::vector<Section> sections;  ///< of dynamic
    std::int64_t most = 1;          ///< workers, and threads, of the grid
    std::vector<Timed> grid;        ///< all k, n from 1 to `most`, k first
    Timed chain;                    ///< one operator at a time, on the n threads that suit that best

    [[nodiscard]] Seconds time(Tuning tuning) const;
    /// Share of the grid that is slower than a time; `within`: of settings with k n <= cores only.
    [[nodiscard]] double beaten(Seconds time, bool within, std::int64_t cores) const;
};

/// k = average width, rounded, at most the cores; n = cores / k.
Setting guideline(double average_width, std::int64_t cores);

/// The work of each kind of operator, on so many of the device's cores.
std::vector<OperatorWork> works_of(const cluster::Device& device, const OperatorGraph& graph, Precision precision,
                                   std::int64_t cores);

/// `works`: of each kind of operator. `most`: workers, and threads, to try; at least the cores.
Prediction predict(const OperatorGraph& graph, const std::vector<OperatorWork>& works, const ThreadCosts& costs,
                   std::int64_t most = 1);

}  // namespace dodona::threads
