#include "step/prediction.hpp"

#include <fmt/format.h>

namespace dodona::step {

MemoryTotals totals(const MemoryParts& parts) {
    const Bytes process = parts.total();
    const Bytes reserved = process - parts[MemoryPart::context] - parts[MemoryPart::communicators];
    return {.allocated = reserved - parts[MemoryPart::cache], .reserved = reserved, .process = process};
}

namespace {

std::string_view words(CommunicationSubject subject) {
    switch (subject) {
        case CommunicationSubject::activations: return "activations";
        case CommunicationSubject::activation_gradients: return "activation gradients";
        case CommunicationSubject::activations_again: return "activations again for weight gradients";
        case CommunicationSubject::statistics: return "statistics";
        case CommunicationSubject::keys_and_values: return "keys and values";
        case CommunicationSubject::keys_and_values_with_gradients: return "keys, values and their gradients";
        case CommunicationSubject::weight_gradients: return "weight gradients";
        case CommunicationSubject::gradient_rows: return "gradients of touched rows";
        case CommunicationSubject::weights: return "weights";
        case CommunicationSubject::matrices: return "matrices for their update";
        case CommunicationSubject::copied_gradients: return "gradients of the other copy of the weights";
        case CommunicationSubject::tied_gradient: return "the tied weight's gradient between stages";
        case CommunicationSubject::stage_boundary: return "activations and their gradients between stages";
        case CommunicationSubject::boundary_gathers: return "stage boundaries";
    }
    return "";
}

}  // namespace

std::string text(const CommunicationLine& line) {
    return fmt::format("{} of {} over {}", name(line.collective), words(line.subject), fmt::join(line.axes, " x "));
}

}  // namespace dodona::step
