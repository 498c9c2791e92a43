#include "cli/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/ranges.hpp"
#include "files/aliases.hpp"

namespace dodona::cli {

namespace {

struct AxisWord {
    std::string_view word, axis;
};
/// Of the rows of one word the first counts whose axis there is.
constexpr std::array kAxisWords{
    AxisWord{"tp", "tensor"},
    AxisWord{"tensorparallel", "tensor"},
    AxisWord{"mp", "tensor"},
    AxisWord{"pp", "pipeline"},
    AxisWord{"dp", "data"},
    AxisWord{"dp", "replicate"},
    AxisWord{"ddp", "data"},
    AxisWord{"ddp", "replicate"},
    AxisWord{"dataparallel", "data"},
    AxisWord{"fsdp", "shard"},
    AxisWord{"fsdp", "data"},
    AxisWord{"hsdp", "shard"},
    AxisWord{"cp", "context"},
    AxisWord{"sp", "context"},
    AxisWord{"ulysses", "context"},
    AxisWord{"ep", "expert"},
    AxisWord{"expertparallel", "expert"},
    AxisWord{"etp", "expert_tensor"},
};

struct ChoiceWord {
    std::string_view word, choice;
};
constexpr std::array kChoiceWords{
    ChoiceWord{"bfloat16", "bf16"},
    ChoiceWord{"float16", "fp16"},
    ChoiceWord{"half", "fp16"},
    ChoiceWord{"float32", "fp32"},
    ChoiceWord{"float", "fp32"},
    ChoiceWord{"single", "fp32"},
    ChoiceWord{"float8", "fp8"},
    ChoiceWord{"adam8bit", "adam-8bit"},
    ChoiceWord{"8bitadam", "adam-8bit"},
    ChoiceWord{"adamw8bit", "adam-8bit"},
    ChoiceWord{"sgdmomentum", "momentum"},
    ChoiceWord{"interleaved", "interleaved-1f1b"},
    ChoiceWord{"zb", "zb-h1"},
    ChoiceWord{"zerobubble", "zb-h1"},
    ChoiceWord{"zero0", "0"},
    ChoiceWord{"zero1", "1"},
    ChoiceWord{"zero2", "2"},
    ChoiceWord{"zero3", "3"},
    ChoiceWord{"stage1", "1"},
    ChoiceWord{"stage2", "2"},
    ChoiceWord{"stage3", "3"},
    ChoiceWord{"fsdp", "3"},
    ChoiceWord{"checkpointing", "full"},
    ChoiceWord{"gradientcheckpointing", "full"},
    ChoiceWord{"activationcheckpointing", "full"},
    ChoiceWord{"no", "none"},
    ChoiceWord{"off", "none"},
};

struct OptionWords {
    std::string_view option, words;
};
constexpr std::array kOptionWords{
    OptionWords{"--gpus", " n g nodes nnodes numnodes numgpus ngpus maxgpus devices worldsize "},
    OptionWords{"--machine", " hardware cluster gputype device "},
    OptionWords{"--batch", " globalbatchsize globalbatch gbs bs "},
    OptionWords{"--micro-batch", " microbatchsize mbs perdevicetrainbatchsize "},
    OptionWords{"--seq", " contextlength maxlength "},
    OptionWords{"--precision", " dtype mixedprecision bf16 fp16 fp8 "},
    OptionWords{"--tokens-per-s", " throughput minthroughput "},
    OptionWords{"--price", " cost "},
    OptionWords{"--recompute", " gradientcheckpointing activationcheckpointing recomputation "},
    OptionWords{"--samples", " dataset "},
    OptionWords{"--strategy", " parallelism "},
};

struct Unit {
    std::string_view word, letter;
};
constexpr std::array kTimeWords{Unit{"day", "d"},    Unit{"days", "d"},   Unit{"hour", "h"},     Unit{"hours", "h"},
                                Unit{"hr", "h"},     Unit{"hrs", "h"},    Unit{"minute", "min"}, Unit{"minutes", "min"},
                                Unit{"mins", "min"}, Unit{"second", "s"}, Unit{"seconds", "s"},  Unit{"sec", "s"}};

/// A number and the word behind it, without the blanks between.
struct Numbered {
    double number = 0;
    std::string_view rest;
};

std::optional<Numbered> numbered_words(std::string_view typed) {
    double number = 0;
    const auto [end, fault] = decimal_at(typed.data(), typed.data() + typed.size(), number);
    if (fault != std::errc{} || !std::isfinite(number)) {
        return {};
    }
    std::string_view rest = typed.substr(static_cast<std::size_t>(end - typed.data()));
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return Numbered{number, rest};
}

double power_of_thousand(char letter) {
    switch (letter) {
        case 'k':
        case 'K': return 1e3;
        case 'm':
        case 'M': return 1e6;
        case 'b':
        case 'B': return 1e9;
        case 't':
        case 'T': return 1e12;
        default: return 0;
    }
}

}  // namespace

std::string axis_meant(std::string_view word, std::span<const std::string> axes) {
    const auto is_axis = [&](std::string_view name) { return std::find(axes.begin(), axes.end(), name) != axes.end(); };
    if (is_axis(word)) {
        return std::string(word);
    }
    const std::string plain = files::letters_and_digits(word);
    for (const AxisWord& row : kAxisWords) {
        if (row.word == plain && is_axis(row.axis)) {
            return std::string(row.axis);
        }
    }
    return std::string(word);
}

std::string axis_meant(std::string_view word, const plan::Strategy& strategy) {
    std::vector<std::string> axes = strategy.axes;
    append(axes, strategy.folds, &plan::FoldedAxis::name);
    return axis_meant(word, axes);
}

bool means_virtual_stages(std::string_view word) {
    const std::string plain = files::letters_and_digits(word);
    return plain == "vp" || plain == "vpp" || plain == "virtualpipeline" || plain == "virtualstages";
}

std::optional<std::pair<std::string, std::string>> sized_axis(std::string_view typed) {
    typed.remove_prefix(std::min(typed.find_first_not_of(' '), typed.size()));
    typed = typed.substr(0, typed.find(" over "));
    const std::size_t between = typed.find_first_of("= ");
    if (between == std::string_view::npos || between == 0 || between + 1 >= typed.size()) {
        return {};
    }
    return std::pair(std::string(typed.substr(0, between)), std::string(typed.substr(between + 1)));
}

std::optional<std::string> choice_meant(std::string_view word, std::span<const std::string> choices) {
    const std::string plain = files::letters_and_digits(word);
    for (const std::string& choice : choices) {
        if (!plain.empty() && files::letters_and_digits(choice) == plain) {
            return choice;
        }
    }
    for (const ChoiceWord& row : kChoiceWords) {
        if (row.word == plain && std::find(choices.begin(), choices.end(), row.choice) != choices.end()) {
            return std::string(row.choice);
        }
    }
    return {};
}

std::string option_called(std::string_view typed, std::span<const std::string> names) {
    const std::string word = " " + files::letters_and_digits(typed) + " ";
    for (const OptionWords& row : kOptionWords) {
        if (row.words.find(word) != std::string_view::npos && contains(names, row.option)) {
            return std::string(row.option);
        }
    }
    return {};
}

std::optional<std::int64_t> count_meant(std::string_view typed) {
    const auto read = numbered_words(typed);
    if (!read || (read->rest != "k" && read->rest != "K" && read->rest != "M")) {
        return {};
    }
    const double count = read->number * (read->rest == "M" ? 1024 * 1024 : 1024);
    return count >= 1 && count < 1e15 && count == std::floor(count) ? std::optional(static_cast<std::int64_t>(count))
                                                                    : std::nullopt;
}

std::optional<double> amount_meant(std::string_view typed) {
    const auto read = numbered_words(typed);
    if (!read || !(read->number > 0)) {
        return {};
    }
    std::string_view rest = read->rest;
    double factor = 1;
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end == 1 || (rest.size() > 1 && (rest.substr(1) == "tokens" || rest.substr(1) == "samples"))) {
        factor = power_of_thousand(rest.front());
        rest.remove_prefix(1);
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    const bool is_counted = rest.empty() || rest == "tokens" || rest == "samples" || rest == "images";
    return factor > 0 && is_counted ? std::optional(factor * read->number) : std::nullopt;
}

std::string duration_meant(const std::string& typed) {
    const auto read = numbered_words(typed);
    if (!read) {
        return typed;
    }
    if (read->rest == "week" || read->rest == "weeks" || read->rest == "w") {
        return fmt::format("{}d", 7 * read->number);
    }
    for (const Unit& unit : kTimeWords) {
        if (read->rest == unit.word) {
            return fmt::format("{}{}", read->number, unit.letter);
        }
    }
    return typed;
}

std::string money_meant(const std::string& typed) {
    const bool dollars = typed.starts_with("$");
    const auto read = numbered_words(std::string_view(typed).substr(dollars ? 1 : 0));
    if (!read) {
        return typed;
    }
    std::string rest(read->rest);
    double number = read->number;
    const bool has_power =
        !rest.empty() && power_of_thousand(rest.front()) > 0 && (rest.size() == 1 || rest[1] == ' ' || rest[1] == '/');
    if (has_power) {
        number *= power_of_thousand(rest.front());
        rest.erase(0, 1);
        rest.erase(0, rest.find_first_not_of(' '));
    }
    if (rest.empty() && !dollars) {
        return typed;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(3, rest.find('/')) && i < rest.size(); ++i) {
        rest[i] = rest[i] >= 'a' && rest[i] <= 'z' ? static_cast<char>(rest[i] - 'a' + 'A') : rest[i];
    }
    return fmt::format("{} {}{}", number, dollars ? "USD" : "", rest);
}

}  // namespace dodona::cli
