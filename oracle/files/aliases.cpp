#include "files/aliases.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "base/small_letters.hpp"
#include "files/description_keys.hpp"
#include "files/read_description.hpp"

#include <fmt/format.h>

namespace dodona::files {

const std::vector<OtherName>& OtherNames::of(NameOf kind) const {
    static const std::vector<OtherName> none;
    switch (kind) {
        case NameOf::model: return models;
        case NameOf::cluster: return clusters;
        case NameOf::device: return devices;
        case NameOf::strategy: return strategies;
        case NameOf::framework:  // have theirs in their own files
        case NameOf::exchange: return none;
    }
    return none;
}

std::string letters_and_digits(std::string_view text) {
    std::string plain;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0) {
            plain += static_cast<char>(std::tolower(byte));
        }
    }
    return plain;
}

namespace {

/// Length of the end of a name that says how it was trained further; 0: there is none.
std::size_t end_of_training(const std::string& name) {
    constexpr std::array<std::string_view, 9> kEnds{"-instruct", "-thinking", "-base", "-chat", "-it",
                                                    "-hf",       "-preview",  "-v0.1", "-v1.5"};
    for (const std::string_view end : kEnds) {
        if (name.size() > end.size() && name.ends_with(end)) {
            return end.size();
        }
    }
    constexpr std::size_t kMonth = 5;  // -2507
    const std::size_t dash = name.rfind('-');
    return dash != std::string::npos && dash > 0 && name.size() - dash == kMonth &&
                   name.find_first_not_of("0123456789", dash + 1) == std::string::npos
               ? kMonth
               : 0;
}

}  // namespace

bool is_hub_name(const std::string& word) {
    const std::size_t slash = word.find('/');
    std::error_code fault;
    return slash != 0 && slash != std::string::npos && slash == word.rfind('/') && slash + 1 < word.size() &&
           word.find_first_of(".~") != 0 && !word.ends_with(".yaml") && !word.ends_with(".yml") &&
           !word.ends_with(".json") && !word.ends_with(".onnx") && !std::filesystem::exists(word, fault);
}

std::vector<std::string> names_before_training(std::string_view word) {
    constexpr std::string_view kMeta = "meta-";
    std::string name = small_letters(std::string(word.substr(word.find('/') + 1)));  // npos + 1 is 0
    if (name.starts_with(kMeta)) {
        name.erase(0, kMeta.size());
    }
    std::vector<std::string> names{name};
    for (std::size_t end = end_of_training(name); end > 0; end = end_of_training(name)) {
        name.resize(name.size() - end);
        names.push_back(name);
    }
    return names;
}

std::string name_stem(std::string_view name) {
    std::string stem;
    for (const char c : name) {
        if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
            break;
        }
        stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return stem;
}

std::optional<std::string> respelled(std::string_view word, std::span<const std::string> known) {
    const std::string letters = letters_and_digits(word);
    const auto is_it = [&](const std::string& name) { return !letters.empty() && letters_and_digits(name) == letters; };
    const auto found = std::find_if(known.begin(), known.end(), is_it);
    const bool is_only = found != known.end() && std::find_if(found + 1, known.end(), is_it) == known.end();
    return is_only ? std::optional(*found) : std::nullopt;
}

std::size_t devices_digits(std::string_view word) {
    const std::size_t digits = word.find_first_not_of("0123456789");
    const bool is_number = digits != std::string_view::npos && word[digits] == 'x';
    return is_number && devices_digits(word.substr(digits + 1)) == 0 ? digits : 0;
}

std::optional<ResolvedAlias> resolve_alias(NameOf kind, std::string_view word, std::span<const std::string> known,
                                           const OtherNames& names) {
    if (const std::size_t digits = devices_digits(word); kind == NameOf::cluster && digits > 0) {
        auto resolved = resolve_alias(kind, word.substr(digits + 1), known, names);  // 8xH100
        if (resolved) {
            resolved->note += fmt::format("{}how many train together is --gpus", resolved->note.empty() ? "" : "; ");
            return resolved;
        }
    }
    const std::string letters = letters_and_digits(word);
    if (letters.empty()) {
        return {};
    }
    for (const OtherName& row : names.of(kind)) {
        const bool has_word = std::any_of(row.words.begin(), row.words.end(),
                                          [&](const std::string& name) { return letters_and_digits(name) == letters; });
        if (has_word && std::find(known.begin(), known.end(), row.means) != known.end()) {
            return ResolvedAlias{row.means, row.note};
        }
    }
    const auto name = respelled(word, known);
    return name ? std::optional(ResolvedAlias{*name, {}}) : std::nullopt;
}

template <>
const Description& description<OtherName>() {
    static const Description described{
        .noun = "other name",
        .summary = "What people write for something that is built in.",
        .keys = {required<&OtherName::words>(
                     "words", "What they write. Capitals, blanks and punctuation do not matter.", {.or_single = true}),
                 required<&OtherName::means>("means", "The name that is built in."),
                 optional<&OtherName::note>("note", "What an answer says of it: what else could have been meant.",
                                            {.default_text = "nothing: only another spelling"})},
        .one_line = true,
        .example = "{words: [p5, p5.48xlarge], means: aws-p5, note: \"8 H100 an instance\"}",
        .defaults = default_of<OtherName>};
    return described;
}

template <>
const Description& description<OtherNames>() {
    static const Description described{
        .noun = "list of names",
        .summary = "Other names of what is built in. The first line that has a word counts.",
        .keys = {file_name<&OtherNames::name>("names"), file_source<&OtherNames::source>(),
                 optional<&OtherNames::models>("models", "Of networks."),
                 optional<&OtherNames::clusters>("clusters", "Of machines."),
                 optional<&OtherNames::devices>("devices", "Of devices."),
                 optional<&OtherNames::strategies>("strategies", "Of strategies.")},
        .file_kind = "names",
        .defaults = default_of<OtherNames>};
    return described;
}

OtherNames read_other_names(Document document) { return read_file<OtherNames>(std::move(document)); }

}  // namespace dodona::files
