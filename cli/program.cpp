#include "cli/program.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "build_config.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/exec_companion.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/man_page.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/question.hpp"
#include "cli/threads.hpp"
#include "questions/cache/cache.hpp"

namespace dodona::cli {

namespace {

std::string overview() {
    std::string text =
        "dodona: what parallelism fits your model and your GPUs, and how fast it trains\n\n"
        "Usage: dodona COMMAND ...\n\nCommands:\n";
    for (const Command& command : commands()) {
        text += fmt::format("  {:<12}{}\n", command.name, command.summary);
    }
    return text +
           "\n  dodona COMMAND --help   its common options; --help all: all of them\n"
           "  dodona --version\n\n"
           "Start here:\n"
           "  dodona plan llama-3.1-8b --machine dgx-h100 --gpus 64\n\n"
           "Exit codes: 0 answered, 1 nothing fits or check failed, 2 bad input, 3 hardware or library missing,\n"
           "70 a fault in dodona, 130 interrupted\n";
}

const Command* find(const std::string& name) {
    const auto all = commands();
    return found_in(all, &Command::name, name);
}

/// The words with those of a command of two, `trials run`, as one.
std::vector<std::string> joined_command(std::vector<std::string> words) {
    const std::size_t first = !words.empty() && words.front() == "help" ? 1 : 0;
    if (words.size() > first + 1 && find(words[first] + " " + words[first + 1]) != nullptr) {
        words[first] += " " + words[first + 1];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    }
    return words;
}

constexpr std::string_view kFromSite = "--from-site";
bool is_from_site(const std::string& word) { return word == kFromSite || word.starts_with("--from-site="); }

/// Former names of commands.
constexpr std::array kFormerNames{std::pair{"frameworks", "software"}};

/// What people ask for that is no training.
constexpr std::array<std::string_view, 8> kServing{"serve",    "serving", "infer",   "inference",
                                                   "generate", "decode",  "prefill", "deploy"};

[[noreturn]] void unknown_command(const std::string& word) {
    const auto names = mapped<std::string>(commands(), &Command::name);
    if (word.starts_with("-")) {
        fail({}, fmt::format("unknown option {} before a command", as_typed(word)), "usage: dodona COMMAND ...");
    }
    if (std::find(kServing.begin(), kServing.end(), word) != kServing.end()) {
        fail({}, fmt::format("{} is not a dodona command", as_typed(word)),
             "dodona predicts training only: serving (prefill, decoding, batches of requests) is not modelled");
    }
    const auto* former = found_in(kFormerNames, [&](const auto& row) { return word == row.first; });
    const std::string near = former == nullptr ? nearest(word, names) : former->second;
    fail({}, fmt::format("{} is not a dodona command", as_typed(word)),
         near.empty() ? "`dodona --help` lists the commands" : fmt::format("did you mean `dodona {}`?", near));
}

}  // namespace

std::span<const Command> commands() {
    static const Command calibrate{
        .name = "calibrate",
        .summary = "measure a machine with its real kernels and links, or import what others measured",
        .handed_to = "dodona-calibrate"};
    namespace cache = questions::cache;
    static const Command cache_command = plan_question<cache::Options, cache::Answer, cache::heading>();
    static const std::array all{
        plan_command(),      compare_command(),  predict_command(),    simulate_command(),  size_command(),
        goodput_command(),   trials_command(),   trials_run_command(), tables_command(),    threads_command(),
        cache_command,       largest_command(),  limits_command(),     report_command(),    explorer_command(),
        diff_command(),      models_command(),   machines_command(),   devices_command(),   strategies_command(),
        exchanges_command(), systems_command(),  frameworks_command(), calibrate,           check_command(),
        import_command(),    validate_command(), watch_command(),      completion_command()};
    return all;
}

int run(const std::vector<std::string>& typed) {
    const std::vector<std::string> words = joined_command(typed);
    const std::string first = words.empty() ? "" : words.front();
    const bool help_about = first == "help" && words.size() >= 2 && find(words[1]) != nullptr &&
                            (words.size() == 2 || (words.size() == 3 && words[2] == "all"));
    if (first == "--help" || first == "-h" || (first == "help" && !help_about)) {
        print(overview());
        return kAnswered;
    }
    if (first == "--version") {
        print(fmt::format("dodona {}\n", kVersion));
        return kAnswered;
    }
    if (first == "--man") {
        print(man_page(commands()));
        return kAnswered;
    }
    if (first == "__complete") {
        for (const std::string& candidate : completions({words.begin() + 1, words.end()})) {
            print(candidate + "\n");
        }
        return kAnswered;
    }
    if (words.empty()) {
        fail({}, "a command is missing",
             "`dodona --help` lists them; for a start: dodona plan llama-3.1-8b --machine dgx-h100 --gpus 64");
    }
    const Command* command = find(help_about ? words[1] : first);
    if (command == nullptr) {
        unknown_command(first);
    }
    if (const auto site = find_if(words, is_from_site); first == "machines" && site != words.end()) {
        if (*site == kFromSite && (site + 1 == words.end() || (site + 1)->starts_with("-"))) {
            fail({}, "--from-site: a file is missing",
                 "what the site's nvidia-smi topo -m, ibstat, lspci or scontrol printed: --from-site topo.txt "
                 "ibstat.txt");
        }
        std::vector<std::string> all(words.begin() + 1, words.end());
        std::for_each(all.begin(), all.end(), [](std::string& word) {
            word = is_from_site(word) ? "--import" + word.substr(kFromSite.size()) : word;
        });
        exec_companion("dodona-calibrate", all);
    }
    if (!command->handed_to.empty()) {
        exec_companion(command->handed_to, help_about ? std::vector<std::string>{"--help"}
                                                      : std::vector<std::string>(words.begin() + 1, words.end()));
    }
    if (help_about) {
        print(help(*command, words.size() == 3 ? HelpOf::all : HelpOf::common));
        return kAnswered;
    }
    return run_command(*command, {words.begin() + 1, words.end()}, commands());
}

int run_command(const Command& command, const std::vector<std::string>& words, std::span<const Command> others) {
    Arguments arguments = parse(command, words, others);
    if (arguments.has("--help")) {
        print(help(command, arguments.all("--help").front() == "all" ? HelpOf::all : HelpOf::common));
        return kAnswered;
    }
    return command.run(arguments);
}

}  // namespace dodona::cli
