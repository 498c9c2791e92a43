#include "step/source_line.hpp"

#include <fmt/format.h>

namespace dodona::step {

std::string text(const SourceLine& line) {
    const std::string of = fmt::format("{} ({})", line.name, line.source);
    switch (line.of) {
        case SourceLine::Of::kernels:
            return line.best == line.worst ? fmt::format("compute: {}; kernel times: {}", of, name(line.worst))
                                           : fmt::format("compute: {}; kernel times: {}, in part {}", of,
                                                         name(line.best), name(line.worst));
        case SourceLine::Of::measured_samples:
            return fmt::format("compute: seconds per sample measured on this machine ({})", line.source);
        case SourceLine::Of::communication: return fmt::format("communication: {}; times: {}", of, name(line.worst));
        case SourceLine::Of::host:
            return fmt::format("host memory and its link: {}", line.source.empty() ? line.name : of);
        case SourceLine::Of::framework: return fmt::format("framework: {}", of);
        case SourceLine::Of::other_maker:
            return fmt::format("framework: fitted to runs on devices of {} only; on those of {} intervals are wider",
                               line.source, line.name);
        case SourceLine::Of::model: return fmt::format("model: {}", of);
        case SourceLine::Of::compared:
            return fmt::format(
                "{} compares samples within a micro-batch, {}: plans with other micro-batches train "
                "something else",
                line.name, line.source);
    }
    return "";
}

}  // namespace dodona::step
