// What makes a job's work take longer than it should, by resource: shares of time that draws add to it.
//
//   time' = time * max(0, 1 + sum over sources of share)
//
// A share is drawn for each rank, for each node (whose ranks share it) or once for the job; anew in every task, in every
// step, or once for all steps (stragglers). `mean` and `deviation` are those of the share where it is drawn, which is
// with `probability`; elsewhere it is 0:
//
//   normal       N(mean, deviation)
//   log_normal   1 + share is log-normal: never below -1, with a long tail upwards
//   gamma        share is gamma distributed: never below 0
//   exponential  share is exponential, with its mean
//   empirical    each of `values` is as likely as the others
//
// With `burst` and `silence` a source is on and off in turn, each rank or node in a phase of its own; the share counts
// while it is on. Source: the patterns of the noise generator NOIGENA, such as M2S2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "simulate/noise.hpp"

namespace dodona::simulate {

enum class NoiseOn : std::uint8_t { compute, links, network, storage, host, memory, start };
inline constexpr std::array kNoiseOnTable{
    Enumerator(NoiseOn::compute, "compute", "what devices compute"),
    Enumerator(NoiseOn::links, "links", "all communication between devices"),
    Enumerator(NoiseOn::network, "network", "communication that leaves a node"),
    Enumerator(NoiseOn::storage, "storage", "reading samples"),
    Enumerator(NoiseOn::host, "host", "decoding samples and handing them over"),
    Enumerator(NoiseOn::memory, "memory", "the same, by what it lacks of the bandwidth of the host's memory"),
    Enumerator(NoiseOn::start, "start", "the start of a step: ranks come late, by the share of `late`")};
constexpr const auto& enumerators(NoiseOn /*type*/) { return kNoiseOnTable; }
inline constexpr std::array kNoiseOn = values_of(kNoiseOnTable);
constexpr std::string_view name(NoiseOn on) { return name_of(on); }

enum class NoiseBy : std::uint8_t { rank, node, job };
inline constexpr std::array kNoiseByTable{Enumerator(NoiseBy::rank, "rank", "each rank has draws of its own"),
                                          Enumerator(NoiseBy::node, "node", "the ranks of a node share draws"),
                                          Enumerator(NoiseBy::job, "job", "all ranks share draws")};
constexpr const auto& enumerators(NoiseBy /*type*/) { return kNoiseByTable; }
constexpr std::string_view name(NoiseBy by) { return name_of(by); }

enum class NoiseEvery : std::uint8_t { task, step, run };
inline constexpr std::array kNoiseEveryTable{
    Enumerator(NoiseEvery::task, "task", "drawn for every pass, transfer and update"),
    Enumerator(NoiseEvery::step, "step", "drawn once a step"),
    Enumerator(NoiseEvery::run, "run", "drawn once for all steps")};
constexpr const auto& enumerators(NoiseEvery /*type*/) { return kNoiseEveryTable; }
constexpr std::string_view name(NoiseEvery every) { return name_of(every); }

enum class NoiseShape : std::uint8_t { normal, log_normal, gamma, exponential, empirical };
inline constexpr std::array kNoiseShapeTable{
    Enumerator(NoiseShape::normal, "normal", "N(mean, deviation)"),
    Enumerator(NoiseShape::log_normal, "log-normal", "1 + share is log-normal"),
    Enumerator(NoiseShape::gamma, "gamma", "gamma; it has a mean above 0"),
    Enumerator(NoiseShape::exponential, "exponential", "exponential; its deviation is its mean"),
    Enumerator(NoiseShape::empirical, "empirical", "each of `values` is as likely as the others")};
constexpr const auto& enumerators(NoiseShape /*type*/) { return kNoiseShapeTable; }
constexpr std::string_view name(NoiseShape shape) { return name_of(shape); }

struct NoiseSource {
    NoiseOn on = NoiseOn::compute;
    NoiseBy by = NoiseBy::node;
    NoiseEvery every = NoiseEvery::step;
    NoiseShape distribution = NoiseShape::normal;
    double mean = 0;
    double deviation = 0;
    double probability = 1;
    std::vector<double> values;
    Seconds burst;    ///< 0: always on
    Seconds silence;  ///< between two bursts
    Seconds late;     ///< of starts: the time that a share of 1 stands for
    std::string source;
    [[nodiscard]] bool in_bursts() const { return burst > Seconds{} && silence > Seconds{}; }
};

struct NoiseProfile {
    std::string name;
    std::string source;
    std::vector<NoiseSource> sources;
};

/// A share of time. Domain: parameters that the distribution can have.
double draw_share(const NoiseSource& source, Draws& draws);

}  // namespace dodona::simulate
