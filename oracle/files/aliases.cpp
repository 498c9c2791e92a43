#include "files/aliases.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "base/decimal.hpp"
#include "base/ranges.hpp"
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
    constexpr std::array<std::string_view, 10> kEnds{"-instruct", "-thinking", "-base", "-chat", "-it",
                                                     "-hf",       "-preview",  "-v0.1", "-v1.5", "-uncased"};
    for (const std::string_view end : kEnds) {
        const std::string_view before =
            std::string_view(name).substr(0, name.size() - std::min(name.size(), end.size()));
        const bool is_size =
            end == "-base" && before.find_first_of("0123456789") == std::string_view::npos;  // vit-base
        if (!before.empty() && name.ends_with(end) && !is_size) {
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

namespace {

bool is_digit_of_name(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter_of_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Letters and numbers of a name, in small letters: "Qwen3-30B-A3B" -> qwen, 3, 30b, a, 3b. A number of parameters keeps
/// its unit, so that 7b is not version 7.
std::vector<std::string> parts_of(std::string_view name) {
    const std::string small = small_letters(std::string(name));
    const auto at = [&](std::size_t i) { return i < small.size() ? small[i] : ' '; };
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < small.size();) {
        const std::size_t start = i;
        if (is_digit_of_name(at(i))) {
            while (is_digit_of_name(at(i)) || (at(i) == '.' && is_digit_of_name(at(i + 1)))) {
                ++i;
            }
            const bool has_unit =
                (at(i) == 'b' || at(i) == 'm') && !is_digit_of_name(at(i + 1)) && !is_letter_of_name(at(i + 1));
            i += has_unit ? 1 : 0;
        } else if (is_letter_of_name(at(i))) {
            while (is_letter_of_name(at(i))) {
                ++i;
            }
        } else {
            ++i;
            continue;
        }
        parts.push_back(small.substr(start, i - start));
    }
    return parts;
}

/// Whether the parts of a name are those of the word, in their order, and others between or behind them. The first is the
/// first of both; letters behind it may be cut short.
bool lengthens(const std::vector<std::string>& name, const std::vector<std::string>& word) {
    if (word.empty() || name.empty() || name.front() != word.front()) {
        return false;
    }
    auto left = name.begin();
    return std::all_of(word.begin(), word.end(), [&](const std::string& part) {
        left = std::find_if(left, name.end(), [&](const std::string& one) {
            return one == part || (is_letter_of_name(part.front()) && one.starts_with(part));
        });
        return left != name.end() && left++ != name.end();
    });
}

/// The version of a family, "llama-3.1-70b" -> 3.1, taken out of the parts of a name; 0: it has none.
double version_out_of(std::vector<std::string>& parts) {
    double version = 0;
    if (parts.size() > 1 && is_digit_of_name(parts[1].back())) {
        decimal_at(parts[1].data(), parts[1].data() + parts[1].size(), version);
        parts.erase(parts.begin() + 1);
    }
    return version;
}

}  // namespace

Shortened shortened_name(std::string_view word, std::span<const std::string> known, const OtherNames& names) {
    struct Longer {
        std::string means;
        double version;
        std::vector<std::string> others;  ///< parts without the version
    };
    const std::vector<std::string> typed = parts_of(word);
    std::vector<Longer> found;
    std::size_t fewest = 0;
    const auto look_at = [&](const std::string& name, const std::string& means) {
        std::vector<std::string> parts = parts_of(name);
        if (!lengthens(parts, typed) || (!found.empty() && parts.size() > fewest)) {
            return;
        }
        if (parts.size() < fewest) {
            found.clear();
        }
        fewest = parts.size();
        const double version = version_out_of(parts);
        found.push_back({means, version, std::move(parts)});
    };
    for (const std::string& name : known) {
        look_at(name, name);
    }
    for (const OtherName& row : names.models) {
        if (contains(known, row.means)) {
            std::for_each(row.words.begin(), row.words.end(), [&](const std::string& one) { look_at(one, row.means); });
        }
    }
    stable_sort(found, [](const Longer& a, const Longer& b) { return a.version > b.version; });
    Shortened result;
    for (const Longer& one : found) {
        if (!contains(result.names, one.means)) {
            result.names.push_back(one.means);
        }
    }
    result.is_clear = result.names.size() == 1 ||
                      (!found.empty() && found.front().version > found[1].version &&
                       all_of(found, [&](const Longer& one) { return one.others == found.front().others; }));
    return result;
}

std::size_t devices_digits(std::string_view word) {
    const std::size_t digits = word.find_first_not_of("0123456789");
    const bool is_number = digits != std::string_view::npos && word[digits] == 'x';
    return is_number && devices_digits(word.substr(digits + 1)) == 0 ? digits : 0;
}

namespace {

/// "H100" of "H100x8"; empty: no number stands behind it.
std::string_view without_count(std::string_view word) {
    const std::size_t x = word.find_last_not_of("0123456789");
    const bool is_counted = x != std::string_view::npos && x + 1 < word.size() && word[x] == 'x';
    return is_counted ? word.substr(0, x) : std::string_view{};
}

/// The machine of a word that says how many devices train, too, without their number.
std::optional<ResolvedAlias> resolve_counted(std::string_view machine, std::span<const std::string> known,
                                             const OtherNames& names) {
    auto resolved = machine.empty() ? std::nullopt : resolve_alias(NameOf::cluster, machine, known, names);
    if (resolved) {
        resolved->note += fmt::format("{}how many train together is --gpus", resolved->note.empty() ? "" : "; ");
    }
    return resolved;
}

}  // namespace

std::optional<ResolvedAlias> resolve_alias(NameOf kind, std::string_view word, std::span<const std::string> known,
                                           const OtherNames& names) {
    if (const std::size_t digits = devices_digits(word); kind == NameOf::cluster && digits > 0) {
        if (auto resolved = resolve_counted(word.substr(digits + 1), known, names)) {  // 8xH100
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
    if (const auto name = respelled(word, known)) {
        return ResolvedAlias{*name, {}};
    }
    return kind == NameOf::cluster ? resolve_counted(without_count(word), known, names) : std::nullopt;
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
