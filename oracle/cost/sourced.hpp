// A time with its derivatives by error source: what is composed of such numbers has its interval and its sensitivities
// without any further formula. Numbers are compared by their time alone.
#pragma once

#include "cost/error_source.hpp"

namespace dodona::cost {

struct Sourced {
    Seconds value;
    StepTimes by_source;

    Sourced& operator+=(const Sourced& other) {
        value += other.value;
        by_source += other.by_source;
        return *this;
    }
    friend Sourced operator+(Sourced a, const Sourced& b) { return a += b; }
    friend Sourced operator*(double ratio, const Sourced& a) { return {ratio * a.value, ratio * a.by_source}; }
    friend Sourced operator/(const Sourced& a, double ratio) { return {a.value / ratio, 1 / ratio * a.by_source}; }
    friend Sourced operator-(Sourced a, const Sourced& b) { return a += -1.0 * b; }
    friend bool operator<(const Sourced& a, const Sourced& b) { return a.value < b.value; }
};

/// The time of a number that times are composed of.
inline Seconds seconds(Seconds time) { return time; }
inline Seconds seconds(const Sourced& time) { return time.value; }

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
inline Sourced by_parameter(double parameter, const Sourced& time, ErrorSource source) {
    Sourced product = parameter * time;
    product.by_source[source] += Estimate::exactly(product.value);
    return product;
}

}  // namespace dodona::cost
