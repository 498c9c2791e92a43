// How fast replicas that exchange with some others come to agree.
//
// diameter: exchanges until what one worker knows has reached all. second_eigenvalue: of the mixing matrix W, by which
// the distance to the mean shrinks in an exchange: 1 / (1 - lambda2) exchanges for a factor e, ln(1/eps) / (1 - lambda2)
// for a factor 1/eps.
//
//   ring      W = (I + both neighbours) / 3      lambda2 = (1 + 2 cos(2 pi / n)) / 3             diameter floor(n/2)
//   torus     W = (I + four neighbours) / 5      lambda2 = max over (i, j) != 0 of
//                                                (1 + 2 cos(2 pi i / h) + 2 cos(2 pi j / w)) / 5  floor(h/2) + floor(w/2)
//   gossip    mean of W, with probability p      lambda2 = 1 - p n / (2 (n-1))       (log2 n + ln n) / p expected
//   master    each moves by rate / n             lambda2 = 1 - rate / n              2
//   others    all have the same after one        lambda2 = 0                         1
//
// Source: Lian et al., arXiv:1705.09056, and Boyd et al., "Randomized gossip algorithms", IEEE Trans. Inf. Theory 52(6),
// 2006, for mixing by lambda2; Frieze and Grimmett, Discrete Applied Mathematics 10 (1985), for the spread of gossip;
// Zhang, Choromanska and LeCun, arXiv:1412.6651, for the elastic master.
#pragma once

#include <cstdint>

#include "exchange/exchange.hpp"

namespace dodona::exchange {

struct Spread {
    double diameter = 1;
    double second_eigenvalue = 0;

    /// Exchanges until distances to the mean have shrunk to `left`; 1 where one is enough.
    [[nodiscard]] double exchanges_to_mix(double left) const;
};

/// Domain: at least two workers.
Spread spread_of(const Exchange& exchange, std::int64_t workers);

}  // namespace dodona::exchange
