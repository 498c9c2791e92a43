#include "tables/zipf.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::tables {

double generalised_harmonic(double n, double s) {
    const double exact = std::min(std::floor(n), kExactTerms);
    double sum = 0;
    for (double i = 1; i <= exact; ++i) {
        sum += std::pow(i, -s);
    }
    if (n <= exact) {
        return sum;
    }
    const double integral = s == 1 ? std::log(n / exact) : (std::pow(n, 1 - s) - std::pow(exact, 1 - s)) / (1 - s);
    const double ends = (std::pow(n, -s) - std::pow(exact, -s)) / 2;
    const double slopes = s * (std::pow(exact, -s - 1) - std::pow(n, -s - 1)) / 12;
    return sum + integral + ends + slopes;
}

double hit_rate(double cached, double rows, double s) {
    if (cached >= rows) {
        return 1;
    }
    return cached < 1 ? 0 : generalised_harmonic(cached, s) / generalised_harmonic(rows, s);
}

}  // namespace dodona::tables
