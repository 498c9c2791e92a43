#include "calibrate/cases/algorithm_cases.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::calibrate {

namespace {

using cluster::ConvolutionAlgorithm;

bool all_one(const Case& of, const char* name) {
    const auto all = extents(of.word(name, "1"));
    return std::all_of(all.begin(), all.end(), [](std::int64_t each) { return each == 1; });
}

bool is_small(const Case& of) {
    const auto input = extents(of.word("input"));
    const auto pad = extents(of.word("pad", "0"));
    return std::all_of(input.begin(), input.end(), [&](std::int64_t each) {
        return each + 2 * *std::max_element(pad.begin(), pad.end()) <= cluster::kLargestTransform;
    });
}

bool is_for(ConvolutionAlgorithm algorithm, const Case& of) {
    const bool dense = all_one(of, "stride") && all_one(of, "dilation");
    switch (algorithm) {
        case ConvolutionAlgorithm::winograd: return dense && of.word("window") == "3x3";
        case ConvolutionAlgorithm::fft: return dense && is_small(of);
        case ConvolutionAlgorithm::implicit_gemm:
        case ConvolutionAlgorithm::precomputed_gemm: break;
    }
    return true;
}

bool is_asked_again(const Case& of, int threads) {
    return of.benchmark == "convolution" && of.word("layout", "nchw") == "nchw" && of.number("threads", 1) == threads &&
           extents(of.word("input")).size() == 2;
}

}  // namespace

std::vector<ConvolutionAlgorithm> algorithms_of(const Environment& environment) {
    const auto fact = environment.facts.find("algorithms");
    std::istringstream words(fact == environment.facts.end() ? std::string() : fact->second);
    std::vector<ConvolutionAlgorithm> all;
    for (std::string word; words >> word;) {
        const auto algorithm = value_of<ConvolutionAlgorithm>(word);
        if (!algorithm) {
            fail({}, fmt::format("the back end names the algorithm {}, which no convolution has", word),
                 fmt::format("there are {}", fmt::join(value_names<ConvolutionAlgorithm>(), ", ")));
        }
        all.push_back(*algorithm);
    }
    return all;
}

std::vector<Case> algorithm_cases(const std::vector<Case>& cases, const std::vector<ConvolutionAlgorithm>& algorithms,
                                  int threads) {
    std::vector<Case> all;
    for (const ConvolutionAlgorithm algorithm : algorithms) {
        for (const Case& one : cases) {
            if (is_asked_again(one, threads) && is_for(algorithm, one)) {
                all.push_back(one);
                all.back().parameters["algorithm"] = std::string(name(algorithm));
            }
        }
    }
    return all;
}

}  // namespace dodona::calibrate
