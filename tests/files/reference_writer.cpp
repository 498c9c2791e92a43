#include "reference_writer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/number.hpp"
#include "graph/operators.hpp"

namespace dodona::files::testing {

namespace {

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string slug(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '-');
    return text;
}

/// Text inside a cell of a table.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
        text.insert(at, "\\");
    }
    return text;
}

/// "level", with a link to its table.
std::string link_to(const Description& description) {
    const std::string section = description.file_kind.empty() ? description.noun : description.noun + " file";
    return fmt::format("[{}](#{})", description.noun, slug(section));
}

std::string range_text(const std::string& what, const Range& range, double usual_least) {
    constexpr double kAnyCount = 1e6;
    const bool has_most = range.most < kAnyCount;
    const double least = std::isfinite(range.least) ? range.least : usual_least;
    if (has_most && range.without_least) {
        return fmt::format("{} above {}, at most {}", what, least, range.most);
    }
    if (has_most && std::isfinite(least)) {
        return fmt::format("{} from {} to {}{}", what, least, range.without_most ? "below " : "", range.most);
    }
    if (has_most) {
        return fmt::format("{}, at most {}", what, range.most);
    }
    if (range.without_least) {
        return fmt::format("{} above {}", what, least);
    }
    return std::isfinite(least) && least != usual_least ? fmt::format("{}, {} or more", what, least) : what;
}

std::string names_of(const std::vector<EnumType::Choice>& choices) {
    std::vector<std::string> names;
    for (const EnumType::Choice& choice : choices) {
        names.push_back(code(choice.name));
    }
    return join(names);
}

std::string is_text(const ValueType& type);

/// What a value is, for the second column.
struct IsText {
    std::string operator()(const TextType& type) const {
        return type.form == nullptr ? "text" : std::string(type.form->is);
    }
    std::string operator()(const FlagType& /*type*/) const { return "`true` or `false`"; }
    std::string operator()(const WholeType& type) const { return range_text("whole number", type.range, 1); }
    std::string operator()(const NumberType& type) const { return range_text("number", type.range, -INFINITY); }
    std::string operator()(const QuantityType& type) const {
        const QuantityKind& kind = quantity_kind(type.dimensions);
        return fmt::format("{}: {}", kind.name, code(kind.example));
    }
    std::string operator()(const EnumType& type) const { return names_of(type.choices); }
    std::string operator()(const RecordType& type) const {
        const Description& description = type.description();
        if (description.by_position) {
            std::vector<std::string> names;
            for (const Key& key : description.keys) {
                names.push_back(key.name);
            }
            return code("[" + join(names) + "]");
        }
        const std::string record = link_to(description);
        if (description.single_value.empty()) {
            return record;
        }
        const Key& single = *description.find(description.single_value);
        return fmt::format("{}, or its `{}` alone", record, single.name);
    }
    std::string operator()(const OptionalType& type) const {
        const auto* const record = std::get_if<RecordType>(&type.element->type);
        const bool may_be_true = record != nullptr && record->description().true_is_all_defaults;
        return (may_be_true ? "`true`, or " : "") + is_text(*type.element);
    }
    std::string operator()(const ListType& type) const {
        const std::string element = is_text(*type.element);
        return type.or_single ? element + ", or a list of such" : "a list, each " + element;
    }
    std::string operator()(const MapType& type) const {
        const std::string element = is_text(*type.element);
        return type.keys.empty() ? fmt::format("`{{{}: …}}`, each {}", type.key_is, element)
                                 : fmt::format("`{{…: …}}` with keys {}, each {}", names_of(type.keys), element);
    }
    std::string operator()(const ConvertedType& type) const { return is_text(*type.written); }
    std::string operator()(const ReferenceType& type) const {
        return fmt::format("a name, a file, or the {} itself", link_to(type.description()));
    }
    std::string operator()(const OwnType& type) const { return type.is; }
};

std::string is_text(const ValueType& type) { return std::visit(IsText{}, type.type); }

/// The default of a key that is left out; empty: nothing to say.
std::string default_text(const Description& description, const Key& key) {
    const void* const member = key.of(description.defaults());
    if (const auto* const flag = std::get_if<FlagType>(&key.type.type)) {
        static_cast<void>(flag);
        return code(*static_cast<const bool*>(member) ? "true" : "false");
    }
    if (const auto* const whole = std::get_if<WholeType>(&key.type.type)) {
        return fmt::format("{:.0f}", whole->get(member));
    }
    if (std::holds_alternative<NumberType>(key.type.type)) {
        return shortest(*static_cast<const double*>(member));
    }
    if (const auto* const quantity = std::get_if<QuantityType>(&key.type.type)) {
        return code(quantity_text(quantity->get(member), quantity->dimensions));
    }
    if (const auto* const choice = std::get_if<EnumType>(&key.type.type)) {
        return code(choice_name(*choice, member));
    }
    return "none";
}

/// Which objects have a key: by the values of another key, or by its other values where those are fewer.
std::string condition_text(const Description& description, const Condition& only) {
    std::vector<std::string> values;
    std::vector<std::string> others;
    for (const EnumType::Choice& choice : std::get<EnumType>(description.find(only.key)->type.type).choices) {
        const bool is_value = std::find(only.values.begin(), only.values.end(), choice.name) != only.values.end();
        (is_value ? values : others).push_back(code(choice.name));
    }
    return others.size() < values.size() ? fmt::format(" Not where `{}` is {}.", only.key, join(others, " or "))
                                         : fmt::format(" Only where `{}` is {}.", only.key, join(values, " or "));
}

std::string row(const Description& description, const Key& key) {
    std::string meaning = key.meaning;
    if (key.only) {
        meaning += condition_text(description, *key.only);
    }
    if (!key.former_name.empty()) {
        meaning += fmt::format(" Formerly `{}`, which is still read.", key.former_name);
    }
    const std::string fallback = key.required                ? "required"
                                 : !key.default_text.empty() ? key.default_text
                                                             : default_text(description, key);
    return fmt::format("| `{}` | {} | {} | {} |\n", key.name,
                       cell(key.value_text.empty() ? is_text(key.type) : key.value_text), cell(fallback),
                       cell(meaning));
}

/// The choices of a type, and the descriptions that it mentions.
struct Mentioned {
    std::vector<const Description*>& records;
    const EnumType* choices = nullptr;

    void operator()(const EnumType& type) { choices = &type; }
    void operator()(const RecordType& type) {
        if (!type.description().by_position) {
            records.push_back(&type.description());
        }
    }
    void operator()(const OptionalType& type) {
        std::visit([this](const auto& one) { (*this)(one); }, type.element->type);
    }
    void operator()(const ListType& type) {
        std::visit([this](const auto& one) { (*this)(one); }, type.element->type);
    }
    void operator()(const MapType& type) {
        std::visit([this](const auto& one) { (*this)(one); }, type.element->type);
    }
    void operator()(const ConvertedType& type) {
        std::visit([this](const auto& one) { (*this)(one); }, type.written->type);
    }
    template <class Other>
    void operator()(const Other& /*type*/) {}
};

std::string meanings(const Key& key, const EnumType& type) {
    std::string text = fmt::format("\n`{}`:\n\n", key.name);
    for (const EnumType::Choice& choice : type.choices) {
        text += fmt::format("- `{}`: {}{}\n", choice.name, choice.meaning,
                            choice.former_name.empty() ? "" : fmt::format(" (formerly `{}`)", choice.former_name));
    }
    return text;
}

}  // namespace

std::string ReferenceWriter::tables(const Description& description, std::vector<const Description*>& inside) {
    std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
    std::string lists;
    for (const Key& key : description.keys) {
        text += row(description, key);
        Mentioned mentioned{inside};
        std::visit([&](const auto& one) { mentioned(one); }, key.type.type);
        if (mentioned.choices != nullptr && listed_.insert(names_of(mentioned.choices->choices)).second) {
            lists += meanings(key, *mentioned.choices);
        }
    }
    return text + lists;
}

std::string ReferenceWriter::file(const Description& description) {
    std::vector<const Description*> inside;
    std::string text = description.summary + "\n\n" + tables(description, inside);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const Description& part = *inside[i];
        if (part.file_kind.empty() && described_.insert(part.noun).second) {
            text += fmt::format("\n### {}\n\n{}\n\n", part.noun, part.summary);
            text += tables(part, inside);
        }
    }
    return text;
}

std::string operator_table() {
    std::string text = "| operator | what it is | attributes | dimensions |\n|---|---|---|---|\n";
    for (const graph::OperatorKind& kind : graph::operator_kinds()) {
        text += fmt::format("| `{}` | {} | {} | {} |\n", kind.name, cell(std::string(kind.summary)),
                            cell(std::string(kind.attributes)), cell(std::string(kind.dimensions)));
    }
    return text;
}

}  // namespace dodona::files::testing
