// A prediction as text, for tests that record answers.
#pragma once

#include <string>

#include <fmt/format.h>

#include "step/prediction.hpp"

namespace dodona::derivation {

inline std::string recorded(const step::Prediction& p) {
    std::string out;
    if (p.runs) {
        out += fmt::format(
            "  {:.7g} ({:.7g} to {:.7g}) ms, mfu {:.6g}, hfu {:.6g}, {} micro-batches, stages {} and {}\n",
            1e3 * p.step.value.in(unit::second), 1e3 * p.step.lo.in(unit::second), 1e3 * p.step.hi.in(unit::second),
            p.mfu, p.hfu, p.microbatches, p.critical_stage, p.fullest_stage);
        out += fmt::format("  {:.6g} samples a second, {:.6g} tokens, {} data ranks, {:.8g} B reserved\n",
                           p.samples_per_second, p.tokens_per_second.value_or(0), p.data_ranks,
                           p.totals.reserved.in(unit::byte));
        if (p.epoch) {
            out += fmt::format("  {:.6g} steps an epoch, {:.6g} s and {:.6g} s, {:.6g} s\n", p.epoch->iterations,
                               p.epoch->compute.in(unit::second), p.epoch->communication.in(unit::second),
                               p.epoch->total.in(unit::second));
        }
        out += "  time";
        for (std::size_t i = 0; i < step::kTimeParts; ++i) {
            out += fmt::format(" {:.6g}/{:.6g}", 1e6 * p.time.values[i].in(unit::second),
                               1e6 * p.busy.values[i].in(unit::second));
        }
        out += "\n  memory";
        for (const Bytes part : p.memory.values) {
            out += fmt::format(" {:.8g}", part.in(unit::byte));
        }
        out += fmt::format("; most {:.8g}", p.most_memory.in(unit::byte));
        if (p.host) {
            out += fmt::format("; host {:.7g} in {:.7g} out {:.7g}", p.host->memory.in(unit::byte),
                               p.host->in.in(unit::byte), p.host->out.in(unit::byte));
        }
        out += '\n';
        for (const step::StagePrediction& stage : p.stages) {
            out += fmt::format("  {}: {:.7g} us, {:.7g} B\n", stage.layers, 1e6 * stage.time.in(unit::second),
                               stage.memory.process.in(unit::byte));
        }
        for (const step::CommunicationLine& line : p.communication) {
            out += fmt::format("  {} of {}: {:.6g} a step, {:.7g} B, {:.7g} B sent, {:.6g} us, phi {:.6g}\n",
                               step::text(line), line.ranks, line.per_step, line.size.in(unit::byte),
                               line.sent.in(unit::byte), 1e6 * line.time.in(unit::second), line.contention);
        }
        for (const step::Bottleneck& bottleneck : p.bottlenecks) {
            out += fmt::format("  {} {:.6g}\n", static_cast<int>(bottleneck.kind), bottleneck.share);
        }
    }
    for (const plan::Limit& limit : p.limits) {
        out += "  " + text(limit) + '\n';
    }
    return out + (p.why_not ? "  no: " + text(*p.why_not) + '\n' : "");
}

}  // namespace dodona::derivation
