#include "step/communication.hpp"

#include <algorithm>

namespace dodona::step {

using plan::Phase;
using plan::Purpose;

namespace {

CommunicationSubject subject(const plan::LayerTransfer& transfer) {
    const bool forward = transfer.phase == Phase::forward;
    switch (transfer.purpose) {
        case Purpose::regather: return CommunicationSubject::activations_again;
        case Purpose::statistic: return CommunicationSubject::statistics;
        case Purpose::stream:
            return forward ? CommunicationSubject::keys_and_values
                           : CommunicationSubject::keys_and_values_with_gradients;
        case Purpose::conversion:
        case Purpose::halo: break;
    }
    return forward ? CommunicationSubject::activations : CommunicationSubject::activation_gradients;
}

CommunicationSubject subject(StateTransfer::What what) {
    switch (what) {
        case StateTransfer::What::gradients: return CommunicationSubject::weight_gradients;
        case StateTransfer::What::rows: return CommunicationSubject::gradient_rows;
        case StateTransfer::What::parameters: return CommunicationSubject::weights;
        case StateTransfer::What::matrices: return CommunicationSubject::matrices;
        case StateTransfer::What::copied_gradients: return CommunicationSubject::copied_gradients;
        case StateTransfer::What::tied_gradients: break;
    }
    return CommunicationSubject::tied_gradient;
}

class Lines {
public:
    Lines(const CostedGraph& costed, const plan::Plan& plan) : costed_(costed), forced_(plan.algorithm) {}

    void add(CommunicationSubject subject, cluster::Collective collective, plan::Atoms atoms, Bytes size,
             double per_step, const cost::CollectiveTime& time, std::int64_t ranks = 0,
             const plan::Transfer& transfer = {}) {
        CommunicationLine line;
        line.collective = collective;
        line.subject = subject;
        line.algorithm = time.algorithm;
        line.axes = costed_.mesh.names(atoms);
        line.ranks = ranks > 0 ? ranks : costed_.mesh.ways(atoms);
        line.per_step = per_step;
        line.size = size;
        line.sent = per_step * time.sent;
        line.time = per_step * time.time.value;
        line.contention = time.contention;
        if (subject != CommunicationSubject::copied_gradients && subject != CommunicationSubject::tied_gradient) {
            line.request = {.collective = collective,
                            .group = costed_.mesh.group(atoms),
                            .size = size,
                            .ranks = costed_.mesh.devices(),
                            .messages = transfer.messages,
                            .routing = transfer.routing};
        }
        line.forced = forced_ ? forced_ : dispatch_algorithm(costed_, transfer);
        const auto same = std::find_if(lines_.begin(), lines_.end(), [&](const CommunicationLine& other) {
            return other.collective == line.collective && other.subject == line.subject && other.axes == line.axes &&
                   other.size == line.size;
        });
        if (same == lines_.end()) {
            lines_.push_back(std::move(line));
        } else {
            same->per_step += line.per_step;
            same->sent += line.sent;
            same->time += line.time;
        }
    }

    std::vector<CommunicationLine> sorted() {
        std::stable_sort(lines_.begin(), lines_.end(),
                         [](const CommunicationLine& a, const CommunicationLine& b) { return a.time > b.time; });
        return std::move(lines_);
    }

private:
    const CostedGraph& costed_;
    const std::optional<cluster::Algorithm> forced_;
    std::vector<CommunicationLine> lines_;
};

}  // namespace

std::vector<CommunicationLine> communication_lines(const CostedGraph& costed, const plan::Plan& plan,
                                                   const Stage& stage, const std::vector<Boundary>& received,
                                                   const std::vector<StateTransfer>& states,
                                                   std::int64_t microbatches) {
    Lines lines(costed, plan);
    const double m = static_cast<double>(microbatches);
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(stage.count(u));
        if (count == 0) {
            continue;
        }
        for (const TimedTransfer& transfer : costed.segments[u].transfers) {
            const bool repeats = runs_again(transfer, costed.segments[u], plan);
            const double again = repeats ? static_cast<double>(repeated(costed, plan, stage, u)) : 0;
            lines.add(subject(transfer.what), transfer.what.transfer.collective, transfer.what.transfer.atoms,
                      transfer.size, m * transfer.count * (count + again), transfer.time, 0, transfer.what.transfer);
        }
    }
    for (const StateTransfer& transfer : states) {
        lines.add(subject(transfer.what), transfer.collective, transfer.atoms, transfer.size, transfer.per_step,
                  transfer.time, transfer.ranks);
    }
    for (const Boundary& boundary : received) {
        if (boundary.time <= Seconds{}) {
            continue;
        }
        lines.add(CommunicationSubject::stage_boundary, cluster::Collective::send,
                  costed.mesh.axis(*plan.strategy.pipeline), boundary.arriving.sent, m, boundary.send);
        if (boundary.arriving.gathered > Bytes{}) {
            lines.add(CommunicationSubject::boundary_gathers, cluster::Collective::all_gather,
                      boundary_split(costed, plan), boundary.arriving.gathered, m, boundary.gather);
        }
    }
    return lines.sorted();
}

}  // namespace dodona::step
