#include "calibrate/cpu/benchmarks.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

struct Benchmark {
    std::string_view name;
    Job (*prepare)(const Case&, const TensorFactory&);
};

constexpr std::array kBenchmarks{
    Benchmark{"matmul", matmul},
    Benchmark{"convolution", convolution},
    Benchmark{"attention", attention},
    Benchmark{"recurrent", recurrent},
    Benchmark{"operator", operators},
    Benchmark{"stream", stream},
    Benchmark{"gather", gather},
    Benchmark{"launch", launch},
    Benchmark{"compression", compression},
    Benchmark{"fork", fork_join},
    Benchmark{"crowd", crowd},
};

}  // namespace

Job prepare(const Case& asked, const TensorFactory& factory) {
    for (const Benchmark& benchmark : kBenchmarks) {
        if (asked.benchmark == benchmark.name) {
            return benchmark.prepare(asked, factory);
        }
    }
    std::string known =
        concatenated(kBenchmarks, [](const Benchmark& benchmark) { return fmt::format("{}, ", benchmark.name); });
    throw CannotMeasure(
        fmt::format("the CPU back end has no benchmark {}; it has {}interference", asked.benchmark, known));
}

std::int64_t count(const Case& asked, std::string_view name, std::int64_t otherwise) {
    const double value = asked.number(name, static_cast<double>(otherwise));
    if (!(value >= 1) || value > 0x1p53 || std::floor(value) != value) {
        throw CannotMeasure(
            fmt::format("{} needs {}, a whole number from 1; give the case one", asked.benchmark, name));
    }
    return static_cast<std::int64_t>(value);
}

Extents extents_of(const Case& asked, std::string_view name, std::size_t dimensions, std::int64_t otherwise) {
    const auto found = asked.parameters.find(std::string(name));
    Extents all;
    if (found == asked.parameters.end()) {
        all = {otherwise};
    } else if (const double* number = std::get_if<double>(&found->second)) {
        all = {static_cast<std::int64_t>(*number)};
    } else {
        all = extents(std::get<std::string>(found->second));
    }
    if (all.size() == 1) {
        all.resize(dimensions, all.front());
    }
    const bool none = all.size() != dimensions || all.front() < 0;
    if (none) {
        throw CannotMeasure(fmt::format("{} of this {} must be one number or {} of them (as 3x3); correct the case",
                                        name, asked.benchmark, dimensions));
    }
    return all;
}

Precision precision_of(const Case& asked) {
    const std::string word = asked.word("precision", "fp32");
    const auto precision = precision_from(word);
    if (!precision || (*precision != Precision::fp32 && *precision != Precision::bf16)) {
        throw CannotMeasure(fmt::format("the CPU back end measures fp32 and bf16, not {}; ask for one of them", word));
    }
    check_precision(*precision);
    return *precision;
}

Pass direction_of(const Case& asked) {
    const std::string word = asked.word("direction", "forward");
    if (word == "forward") {
        return Pass::forward;
    }
    if (word == "backward-input") {
        return Pass::backward_input;
    }
    if (word == "backward-weight") {
        return Pass::backward_weight;
    }
    throw CannotMeasure(fmt::format("{} is no direction; there are forward, backward-input and backward-weight", word));
}

Layout layout_from(std::string_view word) {
    if (word == "nchw") {
        return Layout::nchw;
    }
    if (word == "nhwc") {
        return Layout::nhwc;
    }
    if (word == "blocked") {
        return Layout::blocked;
    }
    throw CannotMeasure(fmt::format("{} is no layout; there are nchw, nhwc and blocked", word));
}

}  // namespace dodona::calibrate::cpu
