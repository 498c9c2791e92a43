#include "calibrate/cases/general_cases.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "base/ranges.hpp"
#include "calibrate/cases/cpu_cases.hpp"
#include "calibrate/cases/cuda_cases.hpp"
#include "calibrate/cases/network_cases.hpp"

namespace dodona::calibrate {

namespace {

constexpr const char* kStorage = R"(
file operation=write,read bytes=1Mi,16Mi,128Mi|8Mi block=1Mi writers=1*,2*,4,8 directory=$directory
file operation=create,stat,remove writers=1*,2*,4,8 directory=$directory
checkpoint operation=write,read format=raw,safetensors,npz,npz-compressed bytes=32Mi|1Mi tensors=16 directory=$directory
)";

/// Benchmarks that frameworks run on a GPU.
constexpr std::array<std::string_view, 7> kOfFrameworks{"matmul", "convolution", "attention", "recurrent",
                                                        "gather", "stream",      "launch"};

std::vector<Case> framework_cases(const CaseOptions& options) {
    std::vector<Case> cases = cuda_cases(options);
    std::erase_if(cases, [](const Case& one) { return !contains(kOfFrameworks, one.benchmark); });
    return cases;
}

/// What cpu_cases has beside other loads, beside files that are written to the directory.
void add_beside_files(std::vector<Case>& cases, const std::string& directory) {
    for (std::size_t i = 0, before = cases.size(); i < before; ++i) {
        if (cases[i].benchmark == "interference" && cases[i].word("resource") == "memory") {
            Case beside = cases[i];
            beside.parameters["resource"] = "io";
            beside.parameters["directory"] = directory;
            cases.push_back(std::move(beside));
        }
    }
}

}  // namespace

std::vector<Case> storage_cases(const std::string& directory, const CaseOptions& options) {
    return listed_cases(kStorage, options, {{"directory", directory}});
}

bool is_gpu(const Environment& environment) { return environment.facts.contains("multiprocessors"); }

std::vector<Case> general_cases(const GeneralCases& asked) {
    if (asked.backend == "mpi") {
        return network_cases(shape_of(asked.environment), asked.options);
    }
    if (asked.backend == "storage") {
        return storage_cases(asked.directory, asked.options);
    }
    if (asked.backend == "program" && is_gpu(asked.environment)) {
        return framework_cases(asked.options);
    }
    if (asked.backend == "cpu" || asked.backend == "program") {
        std::vector<Case> cases = cpu_cases(asked.options, asked.threads);
        if (asked.backend == "cpu" && !asked.options.quick && !asked.directory.empty()) {
            add_beside_files(cases, asked.directory);
        }
        return cases;
    }
    if (asked.backend == "cuda") {
        // Each benchmark compares its result with the host's before anything is timed.
        const auto devices = asked.environment.facts.find("devices");
        const int count = devices == asked.environment.facts.end() ? 1 : std::atoi(devices->second.c_str());
        std::vector<Case> cases = cuda_check_cases(count);
        append(cases, cuda_cases(asked.options, count));
        return cases;
    }
    return {};
}

std::vector<Case> beside_model_cases(const GeneralCases& asked) {
    std::vector<Case> cases;
    std::map<std::string, Case> largest;  // by precision: what the device reaches at its best
    const auto work = [](const Case& of) {
        return of.number("m") * of.number("n") * of.number("k") * of.number("batch", 1);
    };
    for (const Case& one : general_cases(asked)) {
        if (one.benchmark == "stream" || one.benchmark == "launch" || one.benchmark == "fork" ||
            one.benchmark == "crowd") {
            cases.push_back(one);
        } else if (one.benchmark == "matmul") {
            const auto [known, first] = largest.try_emplace(one.word("precision"), one);
            if (!first && work(known->second) < work(one)) {
                known->second = one;
            }
        }
    }
    for (const auto& [precision, one] : largest) {
        cases.push_back(one);
    }
    return cases;
}

}  // namespace dodona::calibrate
