// `dodona check`: are these files right?
#include "cli/commands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "files/exchange_file.hpp"
#include "files/file_kinds.hpp"
#include "files/framework_file.hpp"
#include "files/hf/condition.hpp"
#include "files/hf/stored_weights.hpp"
#include "files/link_file.hpp"
#include "files/machine_file.hpp"
#include "files/memory_profile_file.hpp"
#include "files/noise_file.hpp"
#include "files/plan_file.hpp"
#include "files/profile_file.hpp"
#include "files/schema.hpp"
#include "files/strategy_file.hpp"
#include "files/study_file.hpp"
#include "questions/described.hpp"
#include "reports/collect/check_report.hpp"
#include "reports/collect/machine_report.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/json.hpp"

namespace dodona::cli {

namespace {

constexpr const char* kSchemas = "--schemas";
constexpr std::string_view kGithub = "github";

std::vector<std::string> kinds() { return mapped<std::string>(files::file_kinds(), &files::FileKind::name); }

/// "25,557,032 parameters as published".
std::string compared(const char* what, double ours, double published, double tolerance, Diagnostics& faults,
                     const std::string& file) {
    const double off = published == 0 ? 1 : ours / published - 1;
    if (std::abs(off) > tolerance) {
        faults.error({},
                     fmt::format("{}: {} {}, but {} are published: {:+.4g} %", file, reports::whole(ours), what,
                                 reports::whole(published), 100 * off),
                     tolerance > 0 ? fmt::format("the tolerance is {}", reports::percent(tolerance)) : "");
        return {};
    }
    return off == 0 ? fmt::format("; {} as published", what)
                    : fmt::format("; {} {:+.2f} % against published", what, 100 * off);
}

/// "; 8,030,261,248 stored in model.safetensors.index.json: as counted", where a config.json has its weights with it.
std::string stored(const std::string& file, double counted) {
    namespace fs = std::filesystem;
    std::error_code fault;
    const fs::path config = fs::is_directory(file, fault) ? fs::path(file) / "config.json" : fs::path(file);
    if (config.filename() != "config.json") {
        return {};
    }
    const files::Document document = files::load_document(config, config.generic_string(), {});
    const std::string old = files::text_at(*document.root, "torch_dtype");
    const auto weights =
        files::stored_weights(config.parent_path(), old.empty() ? files::text_at(*document.root, "dtype") : old);
    if (!weights) {
        return {};
    }
    const double off = weights->elements == 0 ? 1 : counted / weights->elements - 1;
    return fmt::format("; {} stored in {}{}", reports::whole(weights->elements), weights->file,
                       off == 0 ? ", as counted" : fmt::format(": {:+.2f} % counted", 100 * off));
}

std::string model(files::Document document, const std::string& file) {
    const graph::Graph graph = graph::build(files::read_model(std::move(document), {}, library().model_opener()));
    const graph::Counts counts = graph::count(graph);
    const graph::PublishedCounts& published = graph.published;
    Diagnostics faults;
    std::string line = fmt::format("model {}: {} parameters, {} forward per sample, {} ({} distinct)", graph.name,
                                   reports::whole(counts.parameters), reports::text(counts.forward_per_sample),
                                   reports::counted(counts.layers, "operator"), counts.distinct_layers);
    if (published.parameters) {
        line += compared("parameters", counts.parameters, *published.parameters, 0, faults, file);
    }
    if (published.trained_parameters) {
        line += compared("trained parameters", counts.trained, *published.trained_parameters, 0, faults, file);
    }
    if (published.forward_macs) {
        line += compared("multiply-accumulates", counts.forward_per_sample.in(unit::flop) / 2, *published.forward_macs,
                         published.tolerance, faults, file);
    }
    faults.throw_if_errors();
    return line + stored(file, counts.parameters);
}

std::string cluster_line(const cluster::Cluster& cluster) {
    return fmt::format("cluster {}: {} of {} in {}", cluster.name, reports::counted(cluster.devices(), "GPU"),
                       reports::device_names(cluster),
                       reports::counted(static_cast<std::int64_t>(cluster.levels.size()), "level"));
}

/// Kind and contents of a file; throws its faults.
std::string checked(const std::string& file) {
    const files::Library built_in = library();
    files::Document document = built_in.model_document(file, {}, {});
    const auto& root = *document.root;
    const std::string kind = root.members.empty() ? "" : root.members.front().key;
    if (kind == "model") {
        return model(std::move(document), file);
    }
    if (kind == "cluster") {
        return cluster_line(files::read_cluster(std::move(document), built_in.machine_openers()));
    }
    if (kind == "device") {
        const cluster::Device device = files::read_device(std::move(document), built_in.machine_openers().profile);
        return fmt::format(
            "device {}: {}, {}, {}", device.name, reports::text(device.memory),
            reports::counted(static_cast<std::int64_t>(device.curves.size()), "measured curve"),
            reports::counted(static_cast<std::int64_t>(device.profile.fits.size()), "fitted kernel model"));
    }
    if (kind == "link") {
        const cluster::Link link = files::read_link(std::move(document));
        return fmt::format("link {}: {}, {}", link.name,
                           reports::counted(static_cast<std::int64_t>(link.protocols.size()), "protocol"),
                           reports::counted(static_cast<std::int64_t>(link.curves.size()), "measured curve"));
    }
    if (kind == "strategy") {
        const plan::Strategy strategy = files::read_strategy(std::move(document));
        return fmt::format("strategy {}: axes {}, {}", strategy.name, join(strategy.axes),
                           reports::counted(static_cast<std::int64_t>(strategy.rules.size()), "rule"));
    }
    if (kind == "memory") {
        const plan::MemoryProfile profile = files::read_memory_profile(std::move(document));
        return fmt::format("memory profile {}: {}", profile.name, profile.summary);
    }
    if (kind == "exchange") {
        const exchange::Exchange exchange = files::read_exchange(std::move(document));
        return fmt::format("exchange {}: {}, {}", exchange.name, name(exchange.pattern), name(exchange.scheduling));
    }
    if (kind == "names") {
        const files::OtherNames names = files::read_other_names(std::move(document));
        return fmt::format("names {}: {}", names.name,
                           reports::counted(static_cast<std::int64_t>(names.clusters.size() + names.devices.size() +
                                                                      names.models.size() + names.strategies.size()),
                                            "line"));
    }
    if (kind == "noise") {
        const simulate::NoiseProfile noise = files::read_noise(std::move(document));
        return fmt::format("noise {}: {}", noise.name,
                           reports::counted(static_cast<std::int64_t>(noise.sources.size()), "source"));
    }
    if (kind == "trials") {
        const trials::Study study = files::read_study(std::move(document));
        const std::size_t count =
            study.draw.sampling == trials::Sampling::grid ? *trials::combinations(study.space) : study.draw.count;
        return fmt::format("study {}: {} of {}", study.name, reports::counted(count, "trial"),
                           reports::counted(study.space.size(), "parameter"));
    }
    if (kind == "framework") {
        const plan::Framework framework = built_in.framework(files::is_path(file) ? file : "./" + file);
        return fmt::format("framework {}: {}", framework.name, framework.summary);
    }
    if (kind == "mechanism") {
        const plan::Mechanism mechanism = files::read_mechanism(std::move(document));
        return fmt::format("mechanism {}: {}", mechanism.name, mechanism.summary);
    }
    if (kind == "plan") {
        const plan::Plan plan = files::read_plan(std::move(document), built_in.strategy_opener(),
                                                 built_in.framework_opener(), built_in.mechanism_opener());
        return fmt::format("plan: strategy {}, {}", plan.strategy.name, reports::counted(plan.devices(), "GPU"));
    }
    if (kind == "profile") {
        const cluster::Profile profile = files::read_profile(std::move(document));
        return fmt::format("profile {}: {}", profile.name,
                           reports::counted(static_cast<std::int64_t>(profile.fits.size()), "fitted kernel model"));
    }
    document.faults.throw_if_errors();
    fail(root.members.empty() ? root.where : root.members.front().where,
         fmt::format("the first key says what a file is, and {} is no kind{}", as_typed(kind),
                     did_you_mean(kind, kinds())),
         "kinds: " + join(kinds()));
}

/// KIND.schema.json in the folder, of every kind of file, and NAME-answer.schema.json, of every answer that is described.
void write_schemas(const std::string& folder) {
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    for (const files::FileKind& kind : files::file_kinds()) {
        const std::filesystem::path path = std::filesystem::path(folder) / (kind.name + ".schema.json");
        write_text({.file = path.string()}, files::schema(kind.described));
    }
    for (const Command& command : commands()) {
        for (const auto described : {command.answer, command.other_answer}) {
            if (described != nullptr) {
                const files::Description& answer = described();
                const std::filesystem::path path =
                    std::filesystem::path(folder) / (answer.noun + "-answer.schema.json");
                write_text({.file = path.string()}, reports::json_page(questions::answer_schema(answer)));
            }
        }
    }
}

/// `text` in an annotation of GitHub Actions, with other characters of `special` escaped.
std::string annotated(std::string_view text, std::string_view special) {
    std::string all;
    for (const char c : text) {
        const bool is_special = c == '%' || c == '\r' || c == '\n' || special.find(c) != special.npos;
        all += is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return all;
}

/// A workflow command, which GitHub prints at the line of the change (docs.github.com: workflow commands for GitHub
/// Actions). Faults without a place are those of the file.
std::string annotation(const Diagnostic& fault, const std::string& checked) {
    const bool has_place = fault.where.source != nullptr && fault.where.line > 0;
    std::string properties = "file=" + annotated(has_place ? fault.where.source->name : checked, ":,");
    if (has_place) {
        properties += fmt::format(",line={},col={},endColumn={}", fault.where.line, fault.where.column,
                                  fault.where.column + std::max(fault.where.length, 1) - 1);
    }
    const std::string text = fault.message + (fault.help.empty() ? "" : "\n" + fault.help);
    return fmt::format("::{} {}::{}\n", fault.severity == Severity::warning ? "warning" : "error", properties,
                       annotated(text, ""));
}

int run_check(Arguments& arguments) {
    const bool for_github = arguments.has("--format") && arguments.all("--format").front() == kGithub;
    Arguments others = for_github ? arguments.with("--format", "") : arguments;
    const Output output = read_output(others);
    others.throw_if_faults();
    const std::vector<std::string> files = arguments.all("FILE");
    if (const auto folder = arguments.text(kSchemas)) {
        if (!files.empty()) {
            arguments.fault(kSchemas, "it writes schemas, and no file is checked", "leave out FILE");
        }
        arguments.throw_if_faults();
        write_schemas(*folder);
        return kAnswered;
    }
    if (files.empty()) {
        arguments.fault("FILE", "no file is given", "usage: dodona check FILE ...");
    }
    arguments.throw_if_faults();
    bool good = true;
    std::vector<reports::CheckedFile> results;
    std::string annotations;
    for (const std::string& file : files) {
        reports::CheckedFile& result =
            results.emplace_back(reports::CheckedFile{.file = file, .holds = {}, .faults = {}});
        try {
            result.holds = checked(file);
        } catch (const InputError& error) {
            good = false;
            for (const Diagnostic& fault : error.diagnostics()) {
                result.faults.push_back(fault.message);
                annotations += annotation(fault, file);
            }
            if (!for_github) {
                std::fputs(error.what(), stderr);
            }
        }
    }
    if (for_github) {
        write_text(output, annotations);
    } else {
        write(output, reports::check_document(results));
    }
    return good ? kAnswered : kNo;
}

}  // namespace

Command check_command() {
    std::vector<Option> options{{kSchemas, "FOLDER",
                                 "write the JSON Schema of each kind of file there and check nothing:\n"
                                 "for editors, and for programs that write such files"}};
    append(options, output_options());
    Option& format = *find_if(options, [](const Option& one) { return one.long_name() == "--format"; });
    format.value += fmt::format("|{}", kGithub);
    format.description += "; github: annotations of a\nworkflow, at the lines of a change";
    return {.name = "check",
            .summary = "whether files that dodona reads are right: models, machines, plans and all others",
            .positionals = {{.name = "FILE", .description = "files to check", .required = false, .many = true}},
            .options = std::move(options),
            .examples =
                "Exit code 1 if any file has a fault; all faults are printed.\n\n"
                "Examples:\n"
                "  dodona check my-model.yaml my-cluster.yaml\n"
                "  dodona check --format github my-model.yaml",
            .run = run_check};
}

}  // namespace dodona::cli
