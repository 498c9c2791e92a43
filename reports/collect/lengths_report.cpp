#include "reports/collect/lengths_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

std::string spread(double mean, double deviation) {
    return fmt::format("{} +- {}", three_digits(mean), three_digits(deviation));
}

Table step_table(const LengthsAnswer& answer) {
    Table table({{"packing"},
                 {"samples a step", Align::right},
                 {"padding", Align::right},
                 {"step", Align::right},
                 {"if all ranks were equal", Align::right},
                 {"waiting", Align::right},
                 {"tokens/s", Align::right},
                 {"memory", Align::right}});
    for (const PackedStep& one : answer.packings) {
        table.row({std::string(name(one.packing)), Number{one.step.samples}, Percent{one.micro_batches.padding()},
                   one.step.slowest, one.step.even, Percent{one.step.imbalance()}, Number{one.step.tokens_per_second()},
                   one.memory});
    }
    return table;
}

Table work_table(const LengthsAnswer& answer) {
    Table table({{"of a micro-batch"},
                 {"samples", Align::right},
                 {"tokens", Align::right},
                 {"with padding", Align::right},
                 {"squares of lengths", Align::right}});
    for (const PackedStep& one : answer.packings) {
        const lengths::MicroBatches& made = one.micro_batches;
        table.row({std::string(name(one.packing)), Number{made.samples}, spread(made.tokens, made.tokens_deviation),
                   spread(made.positions, made.positions_deviation), spread(made.squares, made.squares_deviation)});
    }
    return table;
}

/// Who waits for whom, and what would help.
std::string waiting_text(const LengthsAnswer& answer) {
    const lengths::Job& job = answer.job;
    if (job.replicas * job.together == 1) {
        return "one data rank: it waits for no other";
    }
    const std::string each = counted(job.micro_batches, "micro-batch") + (job.micro_batches > 1 ? "es" : "");
    std::string text;
    if (job.together > 1) {
        text = fmt::format("{} wait for one another in every pass, as they share layers or shards of the weights",
                           counted(job.together, "data rank"));
    }
    if (job.replicas > 1) {
        text += text.empty() ? "" : "; ";
        text +=
            fmt::format("{} wait for the slowest once a step, after {} each", counted(job.replicas, "replica"), each);
    }
    return text + ": the step is as long as expected of the slowest";
}

std::string best_text(const LengthsAnswer& answer) {
    const PackedStep& best = answer.packings.front();
    std::string text = fmt::format("{} trains most tokens a second: {} of its positions are padding",
                                   name(best.packing), percent(best.micro_batches.padding()));
    for (std::size_t i = 1; i < answer.packings.size(); ++i) {
        const PackedStep& other = answer.packings[i];
        text += fmt::format("{} {} trains {} fewer, with {} padding and {} waiting", i == 1 ? ";" : ",",
                            name(other.packing),
                            percent(1 - other.step.tokens_per_second() / best.step.tokens_per_second()),
                            percent(other.micro_batches.padding()), percent(other.step.imbalance()));
    }
    return text;
}

std::string lengths_text(const LengthsAnswer& answer) {
    return fmt::format("samples have {} tokens, from {} to {} (deviation {}); the network reads {}",
                       three_digits(answer.lengths.mean()), whole(answer.lengths.least()), whole(answer.lengths.most()),
                       three_digits(answer.lengths.deviation()), whole(answer.row));
}

}  // namespace

void add_lengths(Document& document, const LengthsAnswer& answer) {
    std::vector<std::string> items{lengths_text(answer), waiting_text(answer)};
    if (answer.packings.size() > 1) {
        items.push_back(best_text(answer));
    }
    add_section(document, {"Samples of different lengths: " + answer.file},
                {step_table(answer), work_table(answer), List{items}});
    add(document, Note{fmt::format("what stands above is of samples of {} tokens each, {} a step", whole(answer.row),
                                   text(answer.full))});
    add(document,
        Note{fmt::format("tokens/s are of samples, without padding; squares of lengths are what attention's work goes "
                         "with; memory is of the longest micro-batch{}",
                         answer.leaves_segments
                             ? ", padded ones with the segments that shorter ones left in PyTorch's allocator "
                               "(PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True leaves none)"
                             : "")});
}

void add_plan_lengths(Document& document, const std::vector<PlanLengths>& ranked, std::size_t shown) {
    Table table({{"#", Align::right},
                 {"even", Align::right},
                 {"strategy, mesh"},
                 {"micro-batch x steps, schedule"},
                 {"packing"},
                 {"step", Align::right},
                 {"waiting", Align::right},
                 {"padding", Align::right},
                 {"tokens/s", Align::right}});
    for (std::size_t rank = 0; rank < std::min(shown, ranked.size()); ++rank) {
        const PlanLengths& one = ranked[rank];
        const PackedStep& best = one.lengths.packings.front();
        table.row({Count{rank + 1}, Count{one.even_rank}, strategy_and_mesh(one.plan.plan), microbatch_text(one.plan),
                   std::string(name(best.packing)), best.step.slowest, Percent{best.step.imbalance()},
                   Percent{best.micro_batches.padding()}, Number{one.tokens_per_second()}});
    }
    const LengthsAnswer& first = ranked.front().lengths;
    add_section(
        document, {"Ranked by samples of different lengths: " + first.file},
        {std::move(table), List{{lengths_text(first)}},
         Note{fmt::format("of {} that are fastest with samples of {} tokens each; even: their rank there; "
                          "packing: the best of those asked for; bubbles that unequal micro-batches open in "
                          "pipelines are not in it (`dodona simulate --lengths` plays them); --save and --export "
                          "write this No. 1",
                          counted(ranked.size(), "plan"), whole(first.row))}});
}

void add_played_lengths(Document& document, const LengthsAnswer& answer, const play::NoisySteps& played) {
    const PackedStep& made = answer.packings.front();
    const play::StepStatistics all = played.all();
    Table table({{"step"}, {"time", Align::right}});
    table.row({"in closed form", made.step.slowest});
    table.row({fmt::format("played, mean of {}", counted(played.steps.size(), "step")),
               Cell(text(all.mean) + fmt::format(" ({} to {})", text(all.low), text(all.high)))});
    table.row({"... 95 % take up to", play::percentile(played.steps, 0.95)});
    table.row({fmt::format("played, all samples of {} tokens", whole(answer.row)), played.without});
    add_section(document, {fmt::format("Samples of different lengths, {}: {}", name(made.packing), answer.file)},
                {std::move(table), List{{lengths_text(answer), waiting_text(answer)}},
                 Note{fmt::format("{} samples a step, {} tokens/s as played", three_digits(made.step.samples),
                                  three_digits(made.step.tokens / all.mean.in(unit::second)))}});
}

}  // namespace dodona::reports
