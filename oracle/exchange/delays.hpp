// What exchanges add to a step on equal workers with one link each, over numbers of workers: the comparison of patterns
// in Langer et al., arXiv:2007.03970, Figure 14, whose rates of 10 GiB/s for reductions and 2 GiB/s for updates are the
// defaults. Nothing is hidden behind compute; compute is without the update of the weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/exchange_cost.hpp"

namespace dodona::exchange {

struct DelayQuestion {
    Bytes size;                                                       ///< of the gradients or weights, in fp32
    BytesPerSecond reduction = BytesPerSecond::of_base(10 * 0x1p30);  ///< at which gradients are added
    BytesPerSecond update = BytesPerSecond::of_base(2 * 0x1p30);      ///< at which weights are updated
    Wire link;
    Seconds compute;                    ///< of a step
    std::vector<std::int64_t> workers;  ///< each at least 2
};

struct Delays {
    Exchange exchange;
    std::vector<ExchangeCost> by_workers;
};

/// Neighbours' exchange against another one: from how many workers on it delays a step less.
struct Crossover {
    std::string neighbours;
    std::string other;
    std::optional<std::int64_t> workers;  ///< none: not up to kMaxCrossover
};

inline constexpr std::int64_t kMaxCrossover = 65'536;

/// Crossovers of each synchronous ring and square torus with each exchange that is none. Neighbours' time does not depend on their
/// number, that of the others rises, so it is bisected.
std::vector<Crossover> crossovers(const std::vector<Exchange>& exchanges, const DelayQuestion& question);

/// The least delay on most workers first.
std::vector<Delays> delays(const std::vector<Exchange>& exchanges, const DelayQuestion& question);

}  // namespace dodona::exchange
