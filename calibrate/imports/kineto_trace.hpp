// What the importer keeps of a trace of the PyTorch profiler (Kineto, JSON): kernels, the operators that launched them,
// collectives.
//
// A trace has millions of events, so it is read as a stream and each event is looked at once. Of an operator its name,
// shapes, strides and types are kept, each distinct one once; of a kernel its operator, its name and its duration.
// Kernels name their operator by "External id"; where one has none, its "correlation" names the launch that has it.
// Source: pytorch/kineto libkineto/src/output_json.cpp and pytorch torch/csrc/profiler/util.cpp; durations are in us.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.hpp"
#include "calibrate/imports/json.hpp"

namespace dodona::calibrate {

/// Distinct values, each with its number.
template <typename Value>
class Distinct {
public:
    std::size_t number_of(const std::string& key, const Value& value) {
        const auto [at, fresh] = numbers_.try_emplace(key, all_.size());
        if (fresh) {
            all_.push_back(value);
        }
        return at->second;
    }
    [[nodiscard]] const Value& operator[](std::size_t number) const { return all_[number]; }
    [[nodiscard]] std::size_t size() const { return all_.size(); }

private:
    std::unordered_map<std::string, std::size_t> numbers_;
    std::vector<Value> all_;
};

/// An operator as it was called.
struct KinetoOperator {
    std::string name;  ///< "aten::mm"
    Json shapes;       ///< "Input Dims"
    Json strides;      ///< "Input Strides"; null in older traces
    Json types;        ///< "Input type"
    Json values;       ///< "Concrete Inputs"; null in older traces
};

struct KinetoKernel {
    std::int64_t external = 0;     ///< 0: none
    std::int64_t correlation = 0;  ///< 0: none
    std::size_t name = 0;
    double us = 0;
};

/// A collective as its kernel describes it, or in older traces the event "record_param_comms".
struct KinetoCollective {
    std::string name;        ///< "_allgather_base"
    double in = 0, out = 0;  ///< elements of one rank
    std::string type;
    std::int64_t ranks = 0;
    std::string group;    ///< its name
    std::string members;  ///< "[0, 1, 2, 3]", perhaps with "..." in it
    std::string splits;   ///< of an uneven all-to-all; "" and "[]" for an even one
};

struct KinetoTrace {
    std::string file;
    Location whole;
    std::map<std::string, std::string> facts;
    std::int64_t devices = 0;  ///< that the process saw
    Distinct<std::string> names;
    Distinct<KinetoOperator> operators;
    Distinct<KinetoCollective> collectives;
    std::unordered_map<std::int64_t, std::size_t> operator_of;    ///< by external id
    std::unordered_map<std::int64_t, std::size_t> collective_of;  ///< by external id, of record_param_comms
    std::unordered_map<std::int64_t, std::int64_t> launched_by;   ///< correlation -> external id
    std::vector<KinetoKernel> kernels;
    struct Communication {
        KinetoKernel kernel;
        std::size_t collective = 0;
        std::int64_t sequence = -1;  ///< of its group; -1: none
    };
    std::vector<Communication> communications;
    std::map<std::pair<std::string, double>, std::vector<double>> copies;  ///< "Pinned -> Device", bytes: us of each

    /// The external id of the operator that launched it; 0 where the trace does not say.
    [[nodiscard]] std::int64_t launcher(const KinetoKernel& kernel) const;
};

/// Throws InputError, with the byte, for what is no JSON and what is nested too deep.
KinetoTrace read_kineto(std::istream& stream, const Location& whole);

}  // namespace dodona::calibrate
