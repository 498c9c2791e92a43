#include "cli/found.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "base/small_letters.hpp"
#include "cli/arguments.hpp"
#include "cli/listing.hpp"
#include "files/library.hpp"

namespace dodona::cli {

namespace {

struct SizeUnit {
    std::string_view name;
    SizeOf of;
    double value;
};
constexpr std::array kSizeUnits{SizeUnit{"m", SizeOf::parameters, 1e6},  SizeUnit{"b", SizeOf::parameters, 1e9},
                                SizeUnit{"t", SizeOf::parameters, 1e12}, SizeUnit{"gb", SizeOf::memory, 1e9},
                                SizeUnit{"gib", SizeOf::memory, 0x1p30}, SizeUnit{"g", SizeOf::memory, 1e9}};

struct WrittenSize {
    SizeOf of;
    double value;
};

std::optional<WrittenSize> written_size(const std::string& plain_word) {
    double number = 0;
    const char* const end = plain_word.data() + plain_word.size();
    const auto [rest, fault] = decimal_at(plain_word.data(), end, number);
    if (fault != std::errc{} || !(number > 0)) {
        return {};
    }
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    for (const SizeUnit& known : kSizeUnits) {
        if (unit == known.name) {
            return WrittenSize{known.of, number * known.value};
        }
    }
    return {};
}

}  // namespace

bool names_one(files::NameOf kind, const std::string& typed, std::span<const std::string> names) {
    const std::size_t tasks = kind == files::NameOf::model ? typed.find('+') : std::string::npos;
    const std::string word = typed.substr(0, tasks);
    if (files::is_path(word) || std::find(names.begin(), names.end(), word) != names.end()) {
        return true;
    }
    const auto meant = library().resolve_alias(kind, word);
    return meant && meant->note.empty();
}

bool has_words(const std::vector<std::string>& words, const std::string& facts,
               const std::function<double(SizeOf)>& size) {
    constexpr double kNear = 0.1;
    const std::string plain = files::letters_and_digits(facts);
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        if (const auto wanted = written_size(small_letters(word))) {
            const double has = size(wanted->of);
            if (has > 0) {
                return std::abs(has / wanted->value - 1) <= kNear;
            }
        }
        const std::string looked_for = files::letters_and_digits(word);
        return !looked_for.empty() && plain.find(looked_for) != std::string::npos;
    });
}

bool may_have_words(const std::vector<std::string>& words, const std::string& facts) {
    const std::string letters = files::letters_and_digits(facts);
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return written_size(small_letters(word)) || letters.find(files::letters_and_digits(word)) != std::string::npos;
    });
}

bool is_cut_short(const std::string& typed, const std::string& name) {
    return typed.size() < name.size() && name.starts_with(small_letters(typed)) && name[typed.size()] != '-';
}

void nothing_found(const std::string& plural, const std::vector<std::string>& words) {
    const auto typed = mapped<std::string>(words, [](const std::string& word) { return as_typed(word); });
    fail({}, fmt::format("none of the {} has all of {}", plural, join(typed)),
         fmt::format("fewer words find more; `dodona {}` lists all", plural));
}

std::vector<Positional> listing_positionals(Names completes) {
    return {{.name = "WORDS",
             .description = "a name or a file: show this one; else search names, families and sources,\n"
                            "or sizes (70b, 80gb)",
             .required = false,
             .many = true,
             .completes = completes}};
}

Option all_option(const std::string& what) { return {"--all", "", "list " + what + " too", "Output"}; }

}  // namespace dodona::cli
