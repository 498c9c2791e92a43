#include "reports/collect/next_commands.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::reports {

namespace {

/// Whether the script of --from has the network.
bool is_from_script(const search::Question& question) {
    return std::any_of(question.settings.begin(), question.settings.end(), [&](const auto& setting) {
        return setting.first == "--from" && setting.second == question.model;
    });
}

std::string command_about(std::string_view command, const search::Question& question) {
    return fmt::format("dodona {}{} --machine {} --gpus {} --batch {}", command,
                       is_from_script(question) ? "" : " " + shell_word(question.model), shell_word(question.machine),
                       question.devices, question.batch);
}

/// Settings of the network and the machine; a plan file says the rest.
constexpr std::array<std::string_view, 4> kJob{"--set", "--adjust", "--seq", "--image"};
/// ... and those of training, with any plan.
constexpr std::array<std::string_view, 10> kTraining{
    "--set",       "--adjust",  "--seq",      "--image", "--precision", "--gradient-precision",
    "--optimizer", "--offload", "--software", "--date"};

/// The settings among these, or all of them.
std::string settings(const search::Question& question, std::span<const std::string_view> among = {}) {
    std::string words;
    for (const auto& [option, value] : question.settings) {
        if (among.empty() || contains(among, option)) {
            words += fmt::format(" {} {}", option, shell_word(value));
        }
    }
    return words;
}

/// A question as a remedy changes it.
search::Question changed(search::Question question, const search::Remedy& remedy) {
    const auto drop = [&question](std::string_view option) {
        std::erase_if(question.settings, [&](const auto& setting) { return setting.first == option; });
    };
    for (const std::string& option : remedy.without) {
        drop(option);
    }
    for (const auto& [option, value] : remedy.options) {
        if (option == "MODEL") {
            question.model = value;
        } else if (option == "--machine") {
            question.machine = value;
        } else {
            drop(option);
            question.settings.emplace_back(option, value);
        }
    }
    question.devices = remedy.plan.plan.devices();
    question.batch = remedy.plan.plan.batch;
    drop("--gpus");
    drop("--batch");
    return question;
}

}  // namespace

std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
        return std::string(word);
    }
    std::string quoted =
        "'" + concatenated(word, [](const char c) { return c == '\'' ? std::string("'\\''") : std::string(1, c); });
    return quoted + "'";
}

std::vector<std::string> next_commands(const search::Answer& answer, const std::string& saved) {
    const search::Question& question = answer.question;
    if (answer.plans.empty()) {
        std::vector<std::string> commands;
        for (const search::Remedy& remedy : answer.remedies) {
            const search::Question other = changed(question, remedy);
            commands.push_back(command_about("plan", other) + settings(other));
        }
        return commands;
    }
    const std::string file = saved.empty() ? "plan.yaml" : saved;
    std::vector<std::string> commands;
    if (saved.empty()) {
        commands.push_back(command_about("plan", question) + settings(question) + " --save " + file);
    }
    if (!is_from_script(question)) {
        const std::string one_plan = settings(question, kJob) + " --plan " + shell_word(file);
        commands.push_back(command_about("predict", question) + one_plan);
        if (!saved.empty()) {
            commands.push_back(command_about("simulate", question) + one_plan);
        }
        commands.push_back(command_about("limits", question) + settings(question, kTraining));
    }
    return commands;
}

}  // namespace dodona::reports
