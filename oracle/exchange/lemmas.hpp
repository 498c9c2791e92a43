// Two rules of thumb on numbers of devices and of servers.
//
// GPUs. With R the overhead of one GPU that does not overlap (communication and input) over its compute, and an overhead
// that grows with the number of GPUs since it is serialised, G GPUs reach the efficiency
//
//   a = (1 + R) / (1 + G R)            so  G <= (1 + R - a) / (a R)            speed-up a G
//
// Servers: exchange/pattern_cost.hpp, servers_to_hide.
// Domain: R > 0, 0 < a <= 1. Where collectives grow more slowly than the number of GPUs, more GPUs keep the efficiency.
// Source: derived, with the quantities of Peng et al., arXiv:1709.06622.
#pragma once

namespace dodona::exchange {

/// Efficiency of `devices` devices with such an overhead.
double efficiency_with_overhead(double overhead, double devices);

/// The most devices that keep an efficiency; not rounded, and infinite without overhead.
double devices_at_efficiency(double overhead, double efficiency);

}  // namespace dodona::exchange
