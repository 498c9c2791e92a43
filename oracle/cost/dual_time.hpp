// Forward-mode differentiation of times: a dual number is a time with its derivatives by error source. Formulas written
// over a number type compute both at once, so that their results have intervals and sensitivities without any further
// formula. Dual numbers are compared by their time alone.
// Source: Griewank, Walther, Evaluating Derivatives, 2nd edition (2008), chapter 3.1.
#pragma once

#include "cost/error_source.hpp"

namespace dodona::cost {

struct DualTime {
    Seconds value;
    StepTimes by_source;

    DualTime& operator+=(const DualTime& other) {
        value += other.value;
        by_source += other.by_source;
        return *this;
    }
    friend DualTime operator+(DualTime a, const DualTime& b) { return a += b; }
    friend DualTime operator*(double ratio, const DualTime& a) { return {ratio * a.value, ratio * a.by_source}; }
    friend DualTime operator/(const DualTime& a, double ratio) { return {a.value / ratio, 1 / ratio * a.by_source}; }
    friend DualTime operator-(DualTime a, const DualTime& b) { return a += -1.0 * b; }
    friend bool operator<(const DualTime& a, const DualTime& b) { return a.value < b.value; }
};

/// The time of a number that times are composed of.
inline Seconds seconds(Seconds time) { return time; }
inline Seconds seconds(const DualTime& time) { return time.value; }

/// The longer of two times, the first where they are equal.
template <class Number>
Number longer(const Number& a, const Number& b) {
    return a < b ? b : a;
}
template <class Number>
Number shorter(const Number& a, const Number& b) {
    return b < a ? b : a;
}

/// parameter * time, whose derivative by the logarithm of the parameter is the product itself.
inline Seconds by_parameter(double parameter, Seconds time, ErrorSource /*source*/) { return parameter * time; }
inline DualTime by_parameter(double parameter, const DualTime& time, ErrorSource source) {
    DualTime product = parameter * time;
    product.by_source[source] += Estimate::exactly(product.value);
    return product;
}

}  // namespace dodona::cost
