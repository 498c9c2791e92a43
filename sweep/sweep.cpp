#include "sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/made_report.hpp"
#include "cli/note.hpp"
#include "cli/parse.hpp"
#include "cli/process.hpp"
#include "cli/report_file.hpp"
#include "questions/report/analysis.hpp"
#include "questions/report/parts.hpp"
#include "questions/report/report.hpp"
#include "reports/render/json.hpp"
#include "reports/render/json_reader.hpp"
#include "sweep/messages.hpp"

namespace dodona::sweep {

namespace {

using Clock = std::chrono::steady_clock;
using Keys = std::vector<search::SweepKey>;

/// What rank 0 tells the others at the beginning: nothing, where there is no sweep.
const std::string kNoSweep;

/// What all ranks must have read alike, and the points that are asked for.
std::string order_of(const questions::report::ReportInputs& inputs, const Keys& asked) {
    questions::report::Report report{
        .inputs = inputs, .scalings = {}, .measured = {}, .measured_notes = {}, .best = {}};
    reports::Record order{{"question", questions::report::report_record(report).at("inputs")}};
    order["points"] = reports::list_of(asked, [](const search::SweepKey& key) {
        return reports::Record(reports::Record::List{key.growth, key.strategy, key.devices});
    });
    return reports::json_line(order);
}

/// Rank 0 during a sweep.
class Distribution {
public:
    Distribution(const cli::Output& output, questions::report::Report& report, const Keys& asked)
        : output_(output), report_(report), asked_(asked) {}

    /// False: stopped.
    bool run() {
        while (done_ < asked_.size() && !cli::interrupted()) {
            if (const std::optional<Reply> reply = received()) {
                take(*reply);
                keep();
            } else {
                constexpr std::chrono::milliseconds kPause{1};
                std::this_thread::sleep_for(kPause);
            }
        }
        if (cli::interrupted()) {
            cli::note("stopped; {} of {} points are in the report", done_, asked_.size());
            return false;
        }
        dismiss_waiting();
        return true;
    }

private:
    void take(const Reply& reply) {
        if (!reply.fault.empty()) {
            fail({}, fmt::format("rank {} cannot go on: {}", reply.rank, reply.fault),
                 "all ranks need the same files and the same dodona, in the same place");
        }
        if (reply.number >= 0) {
            const reports::Record record = reports::record_of_json(reply.text, "a point");
            cli::put_point(report_, asked_.at(static_cast<std::size_t>(reply.number)),
                           questions::report::point_from(record, "a point"));
            ++done_;
        }
        const bool more = next_ < asked_.size();
        give(reply.rank, more ? static_cast<std::int64_t>(next_) : -1);
        next_ += more ? 1 : 0;
        dismissed_ += more ? 0 : 1;
    }

    /// Ranks for which there was never a point.
    void dismiss_waiting() {
        while (dismissed_ < ranks() - 1) {
            if (const std::optional<Reply> reply = received()) {
                take(*reply);
            }
        }
    }

    /// Every 10 s the points so far go into the file of the answer: a job that is killed loses the last ones only.
    void keep() {
        constexpr std::chrono::seconds kBetweenFiles{10};
        const auto now = Clock::now();
        if (done_ == 0 || (kept_ && now - *kept_ < kBetweenFiles)) {
            return;
        }
        kept_ = now;
        report_.complete = false;
        cli::write_report(output_, report_);
        cli::note("{} of {} points", done_, asked_.size());
    }

    const cli::Output& output_;
    questions::report::Report& report_;
    const Keys& asked_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    int dismissed_ = 0;
    std::optional<Clock::time_point> kept_;
};

bool computed_by_ranks(Lead& lead, const cli::Output& output, const cli::ReportQuestion& question, const Keys& asked,
                       questions::report::Report& report) {
    cli::listen_for_interrupt();
    cli::listen_for_termination();
    if (ranks() == 1) {
        return cli::computed_here(question, asked, report);
    }
    const Keys order = search::in_order_of_work(asked);
    lead.begin(order_of(report.inputs, order));
    const bool complete = Distribution(output, report, order).run();
    if (complete) {
        lead.finish();
    }
    return complete;
}

/// An answer that `dodona report --from` reads goes into a file.
cli::Output read_file_output(cli::Arguments& arguments) {
    const cli::Output output = cli::read_output(arguments);
    if (output.file.empty()) {
        arguments.missing("--output", "the file to write: -o sweep.json");
    } else if (output.renderer->name != "json") {
        arguments.fault("--output", fmt::format("a sweep is written as json, not as {}", output.renderer->name),
                        "-o sweep.json, then: dodona report --from sweep.json -o FILE");
    }
    arguments.throw_if_faults();
    return output;
}

Keys keys_from(const reports::Record& points) {
    Keys keys;
    for (const reports::Record& point : std::get<reports::Record::List>(points.of())) {
        const auto& parts = std::get<reports::Record::List>(point.of());
        const auto part = [&](std::size_t i) { return std::get<std::int64_t>(parts.at(i).of()); };
        keys.push_back({static_cast<std::size_t>(part(0)), static_cast<std::size_t>(part(1)), part(2)});
    }
    return keys;
}

/// Computes what rank 0 gives out.
void compute(const cli::ReportQuestion& question, const Keys& asked) {
    search::Space space = question.sweep.space;
    space.workers = 1;
    for (std::int64_t number = given(); number >= 0; number = given()) {
        const search::SweepKey& key = asked.at(static_cast<std::size_t>(number));
        const std::vector<plan::Strategy> strategies = search::strategies_of(space, key);
        const search::ScalingPoint point =
            search::scaling_point(question.workload.graph, question.workload.cluster, space, strategies, key.devices,
                                  question.sweep.growths.at(key.growth).batch_on(key.devices));
        send({.number = number,
              .text = reports::json_line(
                  questions::report::point_record(questions::report::report_point(point, strategies))),
              .fault = {}});
    }
}

void follow_order(const std::vector<std::string>& words, const std::string& order) {
    cli::Arguments arguments = cli::parse(sweep_command(), words, {});
    const cli::Output output = read_file_output(arguments);
    const cli::ReportQuestion question = cli::read_report_question(arguments, output);
    const Keys asked = keys_from(reports::record_of_json(order, "the order").at("points"));
    if (order_of(cli::report_inputs(arguments, question), asked) != order) {
        fail({}, "its model, its machine or its dodona is another than that of rank 0");
    }
    send({});
    compute(question, asked);
}

}  // namespace

cli::Command sweep_command() {
    std::vector<cli::Option> options = cli::report_question_options();
    options.push_back({.names = "--resume",
                       .value = "",
                       .description = "compute only what the file of -o does not have yet",
                       .group = "Output"});
    options.push_back(cli::explain_option("at which value of each parameter another plan is better"));
    for (cli::Option& option : cli::output_options()) {
        options.push_back(std::move(option));
    }
    return {.program = "mpirun -n N dodona-sweep",
            .name = {},
            .summary = "the sweep of `dodona report` on the ranks of an MPI job",
            .usage = "--machine M -o FILE.json",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .required = false}},
            .options = std::move(options),
            .examples =
                "Rank 0 hands out points, the others compute them. The file is the same, byte for byte, whatever\n"
                "the number of ranks, and the same as that of `dodona report`. Finished points are kept every 10 s\n"
                "and on Ctrl-C; --resume goes on.\n\n"
                "Examples:\n"
                "  mpirun -n 64 dodona-sweep gpt3-175b --machine selene --gpus 1..4096:8 -o gpt3.json\n"
                "  dodona report --from gpt3.json -o gpt3.html",
            .run = nullptr};
}

void follow(const std::vector<std::string>& words) {
    const std::string order = told_to_all({});
    if (order == kNoSweep) {
        return;
    }
    const cli::Ending ending = cli::ending_of("dodona-sweep", words, [&] {
        follow_order(words, order);
        return cli::kAnswered;
    });
    if (!ending.message.empty()) {
        send({.number = -1, .text = {}, .fault = ending.message});
        given();
    }
}

int run_sweep(const std::vector<std::string>& words, Lead& lead) {
    cli::Arguments arguments = cli::parse(sweep_command(), words, {});
    const cli::Output output = read_file_output(arguments);
    const cli::PointSource source = [&](const cli::ReportQuestion& question, const Keys& asked,
                                        questions::report::Report& report) {
        return computed_by_ranks(lead, output, question, asked, report);
    };
    const questions::report::Report report = cli::made_report(arguments, output, source);
    cli::write_report(output, report);
    return cli::interrupted()                                        ? cli::kInterrupted
           : questions::report::recommended(report.scalings.front()) ? cli::kAnswered
                                                                     : cli::kNo;
}

void Lead::begin(const std::string& order) {
    stage_ = Stage::under_way;
    told_to_all(order);
}

void Lead::end(int code) {
    if (stage_ == Stage::before) {
        told_to_all(kNoSweep);
    } else if (stage_ == Stage::under_way) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
}

}  // namespace dodona::sweep
