#include "calibrate/imports/kineto_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/attention_case.hpp"
#include "traces/json_events.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kLargest = 9e15;  // whole numbers up to here are doubles

std::int64_t whole_of(const Json* value, std::int64_t otherwise) {
    const auto read = number(value);
    return read && std::abs(*read) < kLargest ? static_cast<std::int64_t>(*read) : otherwise;
}

/// All that is looked at in an event.
traces::Names fields() {
    return {"ph",
            "cat",
            "name",
            "dur",
            "args",
            "External id",
            "external id",
            "External Id",
            "correlation",
            "bytes",
            "Input Dims",
            "Input dims",
            "Input Strides",
            "Input type",
            "Input Type",
            "Concrete Inputs",
            "Collective name",
            "In msg nelems",
            "Out msg nelems",
            "dtype",
            "Group size",
            "Process Group Name",
            "Process Group Ranks",
            "In split size",
            "Seq"};
}

/// "[0, 1]" of a list as of a string; a string without its quotes.
std::string as_text(const Json* value) {
    if (value == nullptr) {
        return {};
    }
    std::string text;
    if (value->is_array()) {
        for (const Json& element : *value) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", as_text(&element));
        }
        return fmt::format("[{}]", text);
    }
    if (value->is_string()) {
        text = value->get<std::string>();
        std::erase(text, '"');
        return text;
    }
    return value->is_number() ? fmt::format("{}", value->get<double>()) : std::string();
}

/// "External id" since PyTorch 1.9, "external id" and "External Id" before.
const Json* external_of(const Json& arguments) {
    for (const char* name : {"External id", "external id", "External Id"}) {
        if (const Json* found = member(arguments, name)) {
            return found;
        }
    }
    return nullptr;
}

Json copied(const Json& arguments, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const Json* found = member(arguments, name); found != nullptr && found->is_array()) {
            return *found;
        }
    }
    return nullptr;
}

/// A text without bytes that are not UTF-8, for keys.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

class KinetoEventReader {
public:
    explicit KinetoEventReader(KinetoTrace& trace) : trace_(trace) {}

    void event(const Json& event) {
        const std::string category = word(member(event, "cat"));
        const Json* arguments = member(event, "args");
        if (word(member(event, "ph")) != "X" || arguments == nullptr) {
            return;
        }
        const std::string name = word(member(event, "name"));
        // Until 1.13 categories were "Kernel", "Operator", "Runtime", "Memcpy".
        if (category == "cpu_op" || category == "Operator" || category == "cpu_instant_event") {
            operation(name, *arguments);
        } else if (category == "kernel" || category == "Kernel") {
            kernel(name, *arguments, number(member(event, "dur")).value_or(0));
        } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
            const std::int64_t external = whole_of(external_of(*arguments), 0);
            const std::int64_t correlation = whole_of(member(*arguments, "correlation"), 0);
            if (external != 0 && correlation != 0) {
                trace_.launched_by.emplace(correlation, external);
            }
        } else if (category == "gpu_memcpy" || category == "Memcpy") {
            copy(name, *arguments, number(member(event, "dur")).value_or(0));
        }
    }

    void document_member(const std::string& name, const Json& value) {
        if (name == "deviceProperties") {
            devices(value);
        } else if (const auto code = number(&value); code && *code > 0 && *code < kLargest) {
            const auto version = static_cast<std::int64_t>(*code);
            trace_.facts[name == "cuda_runtime_version" ? "runtime" : "cuda_driver"] =
                fmt::format("{}.{}", version / 1000, version % 1000 / 10);
        }
    }

private:
    static constexpr std::array kOperators{
        "aten::mm",
        "aten::addmm",
        "aten::bmm",
        "aten::baddbmm",
        "aten::_scaled_mm",
        "aten::cudnn_convolution",
        "aten::cudnn_convolution_relu",
        "aten::miopen_convolution",
        "aten::convolution",
        "aten::_convolution",
        "aten::conv2d",
        "aten::convolution_backward",
    };

    void operation(const std::string& name, const Json& arguments) {
        const std::int64_t external = whole_of(external_of(arguments), 0);
        if (external == 0) {
            return;
        }
        if (name == "record_param_comms") {
            if (const auto collective = collective_of(arguments)) {
                trace_.collective_of[external] = *collective;
            }
        } else if (std::find(kOperators.begin(), kOperators.end(), name) != kOperators.end() || is_attention(name)) {
            const KinetoOperator called{.name = name,
                                        .shapes = copied(arguments, {"Input Dims", "Input dims"}),
                                        .strides = copied(arguments, {"Input Strides"}),
                                        .types = copied(arguments, {"Input type", "Input Type"}),
                                        .values = copied(arguments, {"Concrete Inputs"})};
            const std::string key =
                name + dumped(called.shapes) + dumped(called.strides) + dumped(called.types) + dumped(called.values);
            trace_.operator_of[external] = trace_.operators.number_of(key, called);
        }
    }

    std::optional<std::size_t> collective_of(const Json& arguments) {
        KinetoCollective read{.name = as_text(member(arguments, "Collective name")),
                              .in = number(member(arguments, "In msg nelems")).value_or(0),
                              .out = number(member(arguments, "Out msg nelems")).value_or(0),
                              .type = as_text(member(arguments, "dtype")),
                              .ranks = whole_of(member(arguments, "Group size"), 0),
                              .group = as_text(member(arguments, "Process Group Name")),
                              .members = as_text(member(arguments, "Process Group Ranks")),
                              .splits = as_text(member(arguments, "In split size"))};
        if (read.name.empty()) {
            return std::nullopt;
        }
        const std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", read.name, read.in, read.out, read.type,
                                            read.ranks, read.group, read.members, read.splits);
        return trace_.collectives.number_of(key, read);
    }

    void kernel(const std::string& name, const Json& arguments, double us) {
        if (!(us > 0)) {
            return;
        }
        const KinetoKernel read{.external = whole_of(external_of(arguments), 0),
                                .correlation = whole_of(member(arguments, "correlation"), 0),
                                .name = trace_.names.number_of(name, name),
                                .us = us};
        std::optional<std::size_t> collective = collective_of(arguments);
        const bool communicates = name.find("nccl") != std::string::npos || name.find("rccl") != std::string::npos;
        if (!collective && communicates) {
            const auto found = trace_.collective_of.find(read.external);
            if (found != trace_.collective_of.end()) {
                collective = found->second;
            }
        }
        if (collective) {
            trace_.communications.push_back({read, *collective, whole_of(member(arguments, "Seq"), -1)});
        } else {
            trace_.kernels.push_back(read);
        }
    }

    /// "Memcpy HtoD (Pinned -> Device)".
    void copy(const std::string& name, const Json& arguments, double us) {
        const double bytes = number(member(arguments, "bytes")).value_or(0);
        const std::size_t open = name.find('(');
        const std::size_t close = name.find(')');
        if (us > 0 && bytes > 0 && open < close && close != std::string::npos) {
            trace_.copies[{name.substr(open + 1, close - open - 1), bytes}].push_back(us);
        }
    }

    void devices(const Json& value) {
        const Json::array_t& all = elements(&value);
        trace_.devices = static_cast<std::int64_t>(all.size());
        if (all.empty()) {
            return;
        }
        const Json& first = all.front();
        auto& facts = trace_.facts;
        facts["device"] = word(member(first, "name"));
        for (const auto& [name, as] : {std::pair{"totalGlobalMem", "memory"}, std::pair{"numSms", "multiprocessors"}}) {
            if (const std::int64_t count = whole_of(member(first, name), 0); count > 0) {
                facts[as] = fmt::format("{}", count);
            }
        }
        if (const std::int64_t major = whole_of(member(first, "computeMajor"), -1); major >= 0) {
            facts["compute_capability"] = fmt::format("{}.{}", major, whole_of(member(first, "computeMinor"), 0));
        }
    }

    KinetoTrace& trace_;
};

}  // namespace

std::int64_t KinetoTrace::launcher(const KinetoKernel& kernel) const {
    if (kernel.external != 0) {
        return kernel.external;
    }
    const auto found = launched_by.find(kernel.correlation);
    return found == launched_by.end() ? 0 : found->second;
}

KinetoTrace read_kineto(std::istream& stream, const Location& whole) {
    KinetoTrace trace;
    trace.file = whole.source->name;
    trace.whole = whole;
    KinetoEventReader reader(trace);
    traces::read_events(
        stream, whole,
        {.array = "traceEvents",
         .fields = fields(),
         .members = {"deviceProperties", "cuda_runtime_version", "cuda_driver_version"},
         .element = [&](const Json& event) { reader.event(event); },
         .member = [&](const std::string& name, const Json& value) { reader.document_member(name, value); }});
    return trace;
}

}  // namespace dodona::calibrate
