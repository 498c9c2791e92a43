
#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/number.hpp"
#include "files/quantity.hpp"
#include "questions/goodput/goodput.hpp"

namespace dodona::questions::goodput {

namespace {

using reliability::AskedInterval;

std::variant<FailureRate, files::NotAQuantity> failure_rate_from(const std::string& typed) {
    const std::size_t slash = typed.rfind('/');
    const auto unit = slash == std::string::npos ? std::nullopt : value_of<FailureUnit>(typed.substr(slash + 1));
    if (!unit) {
        return files::NotAQuantity{fmt::format("\"{}\" does not say of what", typed),
                                   "of one GPU, one node or the whole job: 1826d/node"};
    }
    const auto time = files::quantity_from<Dimensions{.second = 1}>(typed.substr(0, slash));
    if (const auto* const fault = std::get_if<files::NotAQuantity>(&time)) {
        return *fault;
    }
    const Seconds mtbf = std::get<Seconds>(time);
    if (mtbf < 1_s) {
        return files::NotAQuantity{
            fmt::format("\"{}\" is {}", typed, mtbf > Seconds{} ? "less than a second" : "not more than nothing"), ""};
    }
    return FailureRate{mtbf, *unit, typed};
}

std::variant<AskedInterval, files::NotAQuantity> interval_from(const std::string& typed) {
    if (typed == "epoch") {
        return AskedInterval{.time = {}, .steps = {}, .epoch = true};
    }
    const bool counts = typed.find_first_not_of("0123456789") == std::string::npos;
    if (const auto steps = files::whole_from(typed); counts && std::holds_alternative<std::int64_t>(steps)) {
        if (std::get<std::int64_t>(steps) > 0) {
            return AskedInterval{.time = {}, .steps = std::get<std::int64_t>(steps)};
        }
    }
    if (counts) {
        return files::NotAQuantity{fmt::format("\"{}\" is not a whole number greater than 0", typed), ""};
    }
    const auto time = files::quantity_from<Dimensions{.second = 1}>(typed);
    if (const auto* const fault = std::get_if<files::NotAQuantity>(&time)) {
        return *fault;
    }
    if (std::get<Seconds>(time) <= Seconds{}) {
        return files::NotAQuantity{fmt::format("\"{}\" is not more than nothing", typed),
                                   "a duration with its unit: 30d"};
    }
    return AskedInterval{.time = std::get<Seconds>(time), .steps = {}};
}

template <auto From>
void check_form(const files::Value& value) {
    const auto read = From(value.node().text);
    if (const auto* const fault = std::get_if<files::NotAQuantity>(&read)) {
        value.error(fault->message, fault->help);
    }
}

/// Leaves the member where the check of its form refuses the text.
template <class Member, auto From>
void set_from(const std::string& text, Member& member, const files::Value& /*value*/,
              const files::Reading& /*reading*/) {
    const auto read = From(text);
    if (const auto* const is = std::get_if<Member>(&read)) {
        member = *is;
    }
}

std::string failure_rate_text(const FailureRate& rate) { return rate.text; }

std::string interval_text(const AskedInterval& every) {
    return every.epoch   ? "epoch"
           : every.steps ? std::to_string(*every.steps)
           : every.time  ? fmt::format("{} s", every.time->in(unit::second))
                         : "";
}

constexpr files::TextForm kFailureRate{
    .is = "a mean time between failures", .pattern = "/(gpu|node|job)$", .check = check_form<failure_rate_from>};
constexpr files::TextForm kInterval{.is = "a time, a number of steps or epoch", .check = check_form<interval_from>};

std::vector<std::string> published_names() {
    return mapped<std::string>(reliability::published_failures(), &reliability::PublishedFailures::name);
}
constexpr files::TextForm kPublished{.is = "published failures", .choices = published_names};

files::ValueType interval_type() {
    return files::converted_type<std::string, AskedInterval, interval_text, set_from<AskedInterval, interval_from>>(
        {files::TextType{&kInterval}});
}

files::ValueType failure_rate_type() {
    return files::converted_type<std::string, FailureRate, failure_rate_text, set_from<FailureRate, failure_rate_from>>(
        {files::TextType{&kFailureRate}});
}

}  // namespace

}  // namespace dodona::questions::goodput

namespace dodona {

template <>
const files::Description& files::description<questions::goodput::Options>() {
    using questions::goodput::Options;
    const std::string_view run = "Run";
    const std::string_view checkpoints = "Checkpoints";
    const std::string_view failures = "Failures";
    const auto rate = [&](std::string_view group) {
        return KeyOptions{.range = kPositive, .value_text = "RATE", .group = group};
    };
    static const Description described{
        .noun = "options of goodput",
        .summary = "The work, how checkpoints are written, and what fails.",
        .keys = joined(
            joined(questions::work_keys<&Options::goals>(run),
                   {questions::price_key<&Options::goals>(run),
                    optional<&Options::power>(
                        "power", "of one GPU with its share of the node, for the energy: 1.3kW; dodona has none",
                        {.range = kPositive, .value_text = "POWER", .group = run})}),
            {optional_as<&Options::every>(questions::goodput::interval_type(), "checkpoint_every",
                                          "such as 30min or 500; default: the best of the closed form",
                                          {.value_text = "TIME|STEPS|epoch", .group = checkpoints}),
             optional<&Options::format>("checkpoint_format",
                                        join(value_names<cluster::CheckpointFormat>()) + "; default: pytorch",
                                        {.value_text = "NAME", .group = checkpoints}),
             optional<&Options::holds>("checkpoint_holds",
                                       "the whole state of training, or weights alone; default: training",
                                       {.group = checkpoints}),
             optional<&Options::mode>("checkpoint_mode",
                                      "whether training waits for the file or for the copy to host memory only; "
                                      "default: blocking",
                                      {.group = checkpoints}),
             optional<&Options::writers>("checkpoint_writers",
                                         "every rank writes its part, or one writes all; default: sharded",
                                         {.group = checkpoints}),
             optional<&Options::storage_write>(
                 "storage_write", "of one node: 2GB/s; default: that of the machine's file", rate(checkpoints)),
             optional<&Options::storage_read>("storage_read",
                                              "of one node; default: that of the machine's file, else as writing",
                                              rate(checkpoints)),
             optional<&Options::system_write>(
                 "system_write", "of all nodes together; default: that of the machine's file, else no limit",
                 rate(checkpoints)),
             optional<&Options::system_read>("system_read", "of all nodes together; the same", rate(checkpoints)),
             optional<&Options::copy>(
                 "copy", "between one GPU and host memory; default: that of the machine's host, else 15.75GB/s",
                 rate(checkpoints)),
             optional<&Options::encode>("encode",
                                        "of one process, tensors to the bytes of the format; default: as measured in "
                                        "the machine's file, else no time",
                                        rate(checkpoints)),
             optional<&Options::ratio>("ratio",
                                       "of formats that compress: file over tensors; default: as measured in the "
                                       "machine's file, else 1",
                                       {.range = kPositive, .value_text = "X", .group = checkpoints}),
             optional<&Options::failures>(
                 "failures",
                 "published rates by component: " + join(questions::goodput::published_names()) + "; default: llama-3",
                 {.value_text = "NAME", .form = &questions::goodput::kPublished, .group = failures}),
             optional_as<&Options::mtbf>(
                 {named_entries<&questions::goodput::ComponentMtbf::name, &questions::goodput::ComponentMtbf::rate>(
                     questions::goodput::failure_rate_type())},
                 "mtbf",
                 "mean time between failures: 1826d/node of all causes together, or gpu=3000d/gpu of one component "
                 "beside the published ones; repeat for several",
                 {.value_text = "[NAME=]TIME/gpu|node|job", .group = failures}),
             optional<&Options::restart>("restart",
                                         "from a failure to the begin of the restore: found, node replaced, processes "
                                         "started; default: 11min",
                                         {.range = kPositive, .value_text = "TIME", .group = failures}),
             optional<&Options::spares>("spares", "spare nodes, with --repair; default: there is always one",
                                        {.range = at_least(0), .value_text = "N", .group = failures}),
             optional<&Options::repair>("repair", "of a node, until it is a spare",
                                        {.range = kPositive, .value_text = "TIME", .group = failures}),
             optional<&Options::runs>("runs", "simulated, 2 or more; default: 200",
                                      {.range = {.least = 1, .most = 100'000}, .value_text = "N", .group = failures}),
             optional<&Options::seed>("seed", "of the simulation; default: 1",
                                      {.range = at_least(1), .value_text = "N", .group = failures})}),
        .defaults = default_of<Options>};
    return described;
}

namespace questions::goodput {

Heading heading() {
    return {.name = "goodput",
            .summary = "what failures and checkpoints leave of a run's time; days, energy and cost of a run",
            .options = "Run",
            .examples =
                "The options of a plan are those of `dodona predict`.\n\n"
                "Examples:\n"
                "  dodona goodput llama-3.1-405b --machine dgx-h100 --gpus 16384 --batch 2048 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=16,data=128 \\\n"
                "      --storage-write 2GB/s --system-write 2TB/s --tokens 1.5e13\n"
                "  dodona goodput resnet50 --machine abci --gpus 256 --strategy data --epochs 90 \\\n"
                "      --checkpoint-writers rank0 --checkpoint-every epoch --mtbf 1826d/node \\\n"
                "      --storage-write 1GB/s"};
}

}  // namespace questions::goodput
}  // namespace dodona
