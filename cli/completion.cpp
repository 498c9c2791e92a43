#include "cli/completion.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ranges.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"

namespace dodona::cli {

namespace {

struct Shell {
    std::string_view name;
    std::string_view script;
};

// bash splits words at "=", so `--format=j` comes as three; completions() joins them.
constexpr std::array kShells{Shell{"bash", R"(# bash completion of dodona: source <(dodona completion bash)
_dodona() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _dodona dodona
)"},
                             Shell{"zsh", R"(#compdef dodona
# zsh completion of dodona: source <(dodona completion zsh), or a file _dodona in $fpath
_dodona() {
    local -a candidates
    candidates=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${candidates[1]}" ]]; then
        compadd -- "${candidates[@]}"
    else
        _files
    fi
}
if [ "${funcstack[1]}" = "_dodona" ]; then
    _dodona "$@"
else
    compdef _dodona dodona
fi
)"},
                             Shell{"fish", R"(# fish completion of dodona: dodona completion fish | source
function __dodona_complete
    set -l words (commandline -opc) (commandline -ct)
    command $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c dodona -a '(__dodona_complete)'
)"}};

std::vector<std::string> starting_with(const std::string& begin, std::vector<std::string> words) {
    std::erase_if(words, [&](const std::string& word) { return !word.starts_with(begin); });
    return words;
}

/// What makes a command of two words with the first: "run" after "trials".
std::vector<std::string> second_words(const std::vector<std::string>& words) {
    return mapped_where<std::string>(
        commands(), [&](const Command& command) { return command.name.starts_with(words.front() + " "); },
        [&](const Command& command) { return command.name.substr(words.front().size() + 1); });
}

int run_completion(Arguments& arguments) {
    const auto names = mapped<std::string>(kShells, &Shell::name);
    if (!arguments.has("SHELL")) {
        arguments.missing("SHELL", "one of " + join(names));
    }
    const auto name = arguments.word("SHELL", names);
    arguments.throw_if_faults();
    print(std::string(find_if(kShells, [&](const Shell& shell) { return shell.name == *name; })->script));
    return kAnswered;
}

}  // namespace

std::vector<std::string> completions(std::vector<std::string> words) {
    if (words.empty()) {
        words.emplace_back();
    }
    // `--format=j` in zsh and fish; "--format" "=" "j" in bash.
    std::string before;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
        if (words[i] == "=" && i > 0) {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
            if (i == words.size()) {
                words.emplace_back();
            }
        } else if (equals != std::string::npos) {
            const std::string value = words[i].substr(equals + 1);
            words[i].resize(equals);
            words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, value);
            before = i + 2 == words.size() ? words[i] + "=" : "";
        }
    }
    const auto all = commands();
    if (words.size() == 1) {
        std::vector<std::string> names{"help", "--help", "--version"};
        for (const Command& command : all) {
            if (command.name.find(' ') == std::string::npos) {  // a second word completes after its first
                names.push_back(command.name);
            }
        }
        return starting_with(words.front(), names);
    }
    const std::vector<std::string> seconds = second_words(words);
    if (words.size() > 2 && std::find(seconds.begin(), seconds.end(), words[1]) != seconds.end()) {
        words.front() += " " + words[1];
        words.erase(words.begin() + 1);
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == words.front(); });
    if (found == all.end() || !found->handed_to.empty()) {
        return {};
    }
    std::vector<std::string> all_candidates = candidates(*found, {words.begin() + 1, words.end()});
    for (std::string& candidate : all_candidates) {
        candidate.insert(0, before);
    }
    if (words.size() == 2) {
        append(all_candidates, starting_with(words.back(), seconds));
    }
    return all_candidates;
}

Command completion_command() {
    return {.name = "completion",
            .summary = "a script that completes commands and options in a shell",
            .positionals = {{.name = "SHELL", .description = "bash, zsh or fish"}},
            .examples =
                "Examples:\n"
                "  source <(dodona completion bash)\n"
                "  dodona completion zsh > ~/.zfunc/_dodona\n"
                "  dodona completion fish > ~/.config/fish/completions/dodona.fish",
            .run = run_completion};
}

}  // namespace dodona::cli
