#include "step/source_line.hpp"

#include <fmt/format.h>

namespace dodona::step {

namespace {

std::string kernel_times(const SourceLine& line) {
    return line.best == line.worst ? fmt::format("kernel times: {}", name(line.worst))
                                   : fmt::format("kernel times: {}, in part {}", name(line.best), name(line.worst));
}

}  // namespace

std::string text(const SourceLine& line) {
    const std::string of = fmt::format("{} ({})", line.name, line.source);
    switch (line.of) {
        case SourceLine::Of::kernels: return fmt::format("compute: {}; {}", of, kernel_times(line));
        case SourceLine::Of::doubtful_kernels:
            return fmt::format("doubtful kernel times of {}, measure them again: {}", line.name, line.source);
        case SourceLine::Of::measured_samples:
            return fmt::format("compute: seconds per sample measured on this machine ({})", line.source);
        case SourceLine::Of::communication: return fmt::format("communication: {}; times: {}", of, name(line.worst));
        case SourceLine::Of::host:
            return fmt::format("host memory and its link: {}", line.source.empty() ? line.name : of);
        case SourceLine::Of::framework: return fmt::format("framework: {}", of);
        case SourceLine::Of::other_maker:
            return fmt::format("framework: fitted to runs on devices of {} only; on those of {} intervals are wider",
                               line.source, line.name);
        case SourceLine::Of::beyond_fit:
            return fmt::format(
                "framework: {} was fitted to no run with as high a ZeRO level or experts on as many nodes; "
                "the interval is wider",
                line.name);
        case SourceLine::Of::model: return fmt::format("model: {}", of);
        case SourceLine::Of::compared:
            return fmt::format(
                "{} compares samples within a micro-batch, {}: plans with other micro-batches train "
                "something else",
                line.name, line.source);
    }
    return "";
}

std::string brief_text(const SourceLine& line) {
    switch (line.of) {
        case SourceLine::Of::kernels: return kernel_times(line);
        case SourceLine::Of::measured_samples: return "seconds per sample: measured on this machine";
        case SourceLine::Of::communication: return fmt::format("times of links: {}", name(line.worst));
        case SourceLine::Of::doubtful_kernels:
        case SourceLine::Of::other_maker:
        case SourceLine::Of::beyond_fit:
        case SourceLine::Of::compared: return text(line);
        case SourceLine::Of::host:
        case SourceLine::Of::framework:
        case SourceLine::Of::model: return "";
    }
    return "";
}

}  // namespace dodona::step
