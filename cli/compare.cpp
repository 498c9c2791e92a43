// `dodona compare A B ...`: strategies, machines, models or plans side by side.
#include "cli/commands.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/plan_options.hpp"
#include "cli/progress.hpp"
#include "cli/space_options.hpp"
#include "cli/workload.hpp"
#include "files/document.hpp"
#include "questions/compare/compare.hpp"
#include "search/search.hpp"

namespace dodona::cli {

namespace {

using questions::compare::ComparedKind;

/// The first key of files of a kind.
struct FirstKey {
    ComparedKind kind;
    std::string_view key;
};
constexpr std::array kFirstKeys{FirstKey{ComparedKind::strategies, "strategy"},
                                FirstKey{ComparedKind::machines, "cluster"}, FirstKey{ComparedKind::models, "model"},
                                FirstKey{ComparedKind::plans, "plan"}};

/// By the first key of the file.
ComparedKind kind_of_file(const std::string& path) {
    const files::Document document = files::load_document(path, path, {});
    const std::string key = document.root->members.empty() ? "" : document.root->members.front().key;
    for (const FirstKey& row : kFirstKeys) {
        if (row.key == key) {
            return row.kind;
        }
    }
    fail({}, fmt::format("{} is no strategy, machine, model or plan", path),
         "its first key says what a file is: strategy, cluster, model or plan");
}

bool is_known(files::NameOf kind, const std::vector<std::string>& names, const std::string& word) {
    return contains(names, word) || library().resolve_alias(kind, word).has_value();
}

/// A word may be a strategy and a machine: of all words together only one kind is intended.
std::vector<ComparedKind> kinds_of(const std::string& word) {
    if (files::is_path(word)) {
        return {kind_of_file(word)};
    }
    std::vector<ComparedKind> kinds;
    if (is_known(files::NameOf::strategy, library().strategies(), word)) {
        kinds.push_back(ComparedKind::strategies);
    }
    if (is_known(files::NameOf::cluster, library().clusters(), word)) {
        kinds.push_back(ComparedKind::machines);
    }
    if (is_known(files::NameOf::model, library().models(), word.substr(0, word.find('+')))) {
        kinds.push_back(ComparedKind::models);
    }
    if (is_known(files::NameOf::framework, library().frameworks(), word.substr(0, word.find_first_of("+@")))) {
        kinds.push_back(ComparedKind::programs);
    }
    if (contains(value_names<Precision>(), word)) {
        kinds.push_back(ComparedKind::precisions);
    }
    if (kinds.empty() && word.find('=') != std::string::npos) {
        kinds.push_back(ComparedKind::settings);
    }
    if (kinds.empty()) {
        fail({}, fmt::format("{} is no strategy, machine, model, software, precision or plan file", as_typed(word)),
             "`dodona strategies`, `dodona machines`, `dodona models` and `dodona software` list them; a plan's "
             "settings are tensor=8,zero=1");
    }
    return kinds;
}

ComparedKind kind_of_all(const std::vector<std::string>& words) {
    std::vector<ComparedKind> common = kinds_of(words.front());
    for (const std::string& word : words) {
        const std::vector<ComparedKind> kinds = kinds_of(word);
        std::erase_if(common, [&](ComparedKind kind) { return !contains(kinds, kind); });
        if (common.empty()) {
            fail({}, fmt::format("{} and {} are of different kinds", as_typed(words.front()), as_typed(word)),
                 "compare strategies with strategies, machines with machines, and so on");
        }
    }
    return common.front();
}

/// The question about one of the items: the same options with that item in its place.
Arguments asked_about(const Arguments& arguments, ComparedKind kind, const std::string& word) {
    Arguments one = arguments.with("MODEL", arguments.has("--model") ? arguments.all("--model").front() : "");
    switch (kind) {
        case ComparedKind::strategies: return one.with("--strategy", word);
        case ComparedKind::machines: return one.with("--machine", word);
        case ComparedKind::models: return one.with("MODEL", word);
        case ComparedKind::settings: return one.with("--fixed", word);
        case ComparedKind::programs: return one.with("--software", word);
        case ComparedKind::precisions: return one.with("--precision", word);
        case ComparedKind::plans: return one;
    }
    return one;
}

/// With one batch on all machines: the smallest of their default ones.
Arguments on_equal_terms(Arguments& arguments, ComparedKind kind, const std::vector<std::string>& words) {
    if (kind != ComparedKind::machines || arguments.has("--batch")) {
        return arguments;
    }
    const std::int64_t gpus = arguments.count("--gpus").value_or(1);
    std::optional<std::int64_t> batch;
    for (const std::string& word : words) {
        Arguments one = asked_about(arguments, kind, word);
        const Workload workload = read_workload(one);
        const std::int64_t its_default = default_batch(workload.graph, workload.cluster, gpus);
        batch = std::min(batch.value_or(its_default), its_default);
    }
    return arguments.with("--batch", std::to_string(*batch));
}

void require_job(Arguments& arguments, ComparedKind kind) {
    if (kind != ComparedKind::models && !arguments.has("--model")) {
        arguments.missing("--model", "what is trained: --model llama-3.1-8b");
    }
    if (kind != ComparedKind::machines && !arguments.has("--machine")) {
        arguments.missing("--machine", "where it is trained: --machine dgx-h100");
    }
    if (kind != ComparedKind::plans) {
        required_gpus(arguments, "how many GPUs to train on: --gpus 64");
    }
    arguments.throw_if_faults();
}

/// The job and what is compared in names of built-ins, so that what words are taken as is said once.
Arguments in_names_of_built_ins(const Arguments& arguments, ComparedKind kind, std::vector<std::string>& words) {
    Arguments named = arguments;
    for (const auto& [option, name] :
         {std::pair("--model", files::NameOf::model), {"--machine", files::NameOf::cluster}}) {
        if (named.has(option)) {
            named = named.with(option, taken_as(arguments, name, named.all(option).front()));
        }
    }
    for (std::string& word : words) {
        word = kind == ComparedKind::models     ? taken_as(arguments, files::NameOf::model, word)
               : kind == ComparedKind::machines ? taken_as(arguments, files::NameOf::cluster, word)
                                                : word;
    }
    return named;
}

questions::compare::Item given_plan(Arguments& one, const std::string& file) {
    Workload workload = read_workload(one);
    plan::Plan plan = library().plan(file, {});
    plan.batch = one.count("--batch").value_or(plan.batch);
    plan = in_its_software(one, workload, std::move(plan));
    return {file, std::move(workload), std::move(plan)};
}

questions::compare::Item searched_item(Arguments& one, const std::string& name) {
    Workload workload = read_workload(one);
    search::Space space = job_space(one, workload);
    space.devices = one.count("--gpus").value_or(1);
    check_devices(one, workload.cluster, space.devices);
    space.batch = one.count("--batch").value_or(default_batch(workload.graph, workload.cluster, space.devices));
    check_answers(one, workload.graph, space.batch);
    one.throw_if_faults();
    return {name, std::move(workload), std::move(space)};
}

/// With progress on a terminal and Ctrl-C.
questions::compare::Answer with_progress(const questions::compare::Question& question) {
    listen_for_interrupt();
    ProgressLine line(std::string(name_of(question.kind)));
    questions::compare::Answer answer = questions::compare::ask(
        question,
        {.begins = [&](std::int64_t done, std::int64_t all, const std::string& name) { line.show(done, all, name); },
         .continues = [] { return !interrupted(); }});
    line.clear();
    return answer;
}

std::map<std::string, std::string> with_all_gpus(std::map<std::string, std::string> job) {
    job["--gpus"] = "";
    return job;
}

/// The words compared; also those of `compare MODEL --machine A,B` or `--strategy A,B`, as other commands take them.
std::vector<std::string> compared_words(Arguments& arguments) {
    std::vector<std::string> words = arguments.all("A");
    for (const char* option : {"--machine", "--strategy"}) {
        const std::vector<std::string> listed = arguments.list(option);
        if (words.size() == 1 && listed.size() > 1 && !arguments.has("--model")) {
            arguments = arguments.with("--model", words.front()).with(option, "");
            words = listed;
        }
    }
    return words;
}

int run_compare(Arguments& arguments) {
    const Output output = read_output(arguments);
    std::vector<std::string> words = compared_words(arguments);
    if (words.size() < 2) {
        arguments.missing("a second thing to compare",
                          "two or more strategies, machines, models or plan files: dodona compare h100 a100 "
                          "--model llama-3.1-8b --gpus 8");
    }
    arguments.throw_if_faults();
    const ComparedKind kind = kind_of_all(words);
    require_job(arguments, kind);
    questions::compare::Question question{.kind = kind, .items = {}};
    Arguments named = in_names_of_built_ins(arguments, kind, words);
    const Arguments asked = on_equal_terms(named, kind, words);
    for (const std::string& word : words) {
        Arguments one = asked_about(asked, kind, word);
        question.items.push_back(kind == ComparedKind::plans ? given_plan(one, word) : searched_item(one, word));
    }
    const questions::compare::Answer answer = with_progress(question);
    const auto* fits = found_in(answer.all, [](const auto& one) { return one.plan.has_value(); });
    const bool any = fits != nullptr;
    std::map<std::string, std::string> job;
    if (any) {
        const plan::Plan& plan = fits->plan->plan;
        job = {{"MODEL", fits->model},
               {"--machine", fits->machine},
               {"--gpus", std::to_string(plan.devices())},
               {"--batch", std::to_string(plan.batch)}};
    }
    reports::Document document = questions::compare::document(answer);
    if (!job.empty()) {
        add_next(document, arguments, "compare", {{"plan", job}, {"limits", job}, {"report", with_all_gpus(job)}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : any ? kAnswered : kNo;
}

std::vector<Option> compare_options() {
    std::vector<Option> all{
        {"--model", "MODEL", "a built-in model or a file, unless models are compared", "Job", kOnce, Names::models}};
    for (const std::vector<Option>& more : {workload_options(), job_space_options(true), output_options()}) {
        append(all, more);
    }
    return all;
}

}  // namespace

Command compare_command() {
    return {
        .name = "compare",
        .summary = "strategies, machines, models, software or plans side by side, and what differs",
        .usage = "--model MODEL --machine M --gpus N",
        .positionals = {{.name = "A",
                         .description = "two or more strategies, machines, models, pieces of software, precisions or\n"
                                        "plan files, or settings as in --fixed; of all but plan files the best plan\n"
                                        "is compared",
                         .many = true,
                         .completes = Names::strategies}},
        .options = compare_options(),
        .examples =
            "Examples:\n"
            "  dodona compare zero3 megatron --model llama-3.1-8b --machine dgx-h100 --gpus 64\n"
            "  dodona compare dgx-h100 dgx-a100-80gb --model llama-3.1-8b --gpus 64\n"
            "  dodona compare llama-2-7b mpt-7b --machine dgx-h100 --gpus 64\n"
            "  dodona compare torchtitan megatron --model llama-3.1-8b --machine dgx-h100 --gpus 64\n"
            "  dodona compare tensor=8 tensor=4 --model gpt3-175b --machine selene --gpus 512\n"
            "  dodona compare best.yaml mine.yaml --model gpt3-175b --machine selene",
        .run = run_compare,
        .answer = files::description<questions::compare::Answer>};
}

}  // namespace dodona::cli
