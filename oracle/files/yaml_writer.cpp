#include "files/yaml_writer.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include <yaml-cpp/emitter.h>

#include "base/check.hpp"
#include "base/printable.hpp"
#include "base/ranges.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

/// Whether every YAML reader takes the text, without quotes, as the same text.
bool is_plain_scalar(std::string_view text) {
    constexpr std::string_view kMeaningful[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf"};
    const auto is_word = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("_-+.").find(static_cast<char>(c)) != std::string_view::npos;
    };
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
           std::all_of(text.begin(), text.end(), is_word) &&
           std::find(std::begin(kMeaningful), std::end(kMeaningful), lower) == std::end(kMeaningful);
}

/// 8192, and 2.284e+12.
std::string whole_number(double value) {
    constexpr double kLong = 1e7;
    std::string text = fmt::format("{:.0f}", value);
    for (int digits = 1; std::abs(value) >= kLong && digits < static_cast<int>(text.size()); ++digits) {
        if (std::string shorter = fmt::format("{:.{}g}", value, digits); std::stod(shorter) == value) {
            return shorter;
        }
    }
    return text;
}

bool is_one_line(const ValueType& type);

/// Lists of these stand on one line.
struct StandsOnOneLine {
    bool operator()(const RecordType& type) const {
        const Description& description = type.description();
        return description.one_line || description.by_position;
    }
    bool operator()(const OptionalType& type) const { return is_one_line(*type.element); }
    bool operator()(const ListType& type) const {
        const auto* const record = std::get_if<RecordType>(&type.element->type);
        return record != nullptr ? record->description().by_position : is_one_line(*type.element);
    }
    bool operator()(const MapType& type) const { return is_one_line(*type.element); }
    bool operator()(const ConvertedType& type) const { return is_one_line(*type.written); }
    bool operator()(const ReferenceType& /*type*/) const { return false; }
    template <class Scalar>
    bool operator()(const Scalar& /*type*/) const {
        return true;
    }
};

bool is_one_line(const ValueType& type) { return std::visit(StandsOnOneLine{}, type.type); }

class Writer {
public:
    explicit Writer(const YamlOptions& options) : options_(options) {
        if (!options.comments.empty()) {
            out_ << YAML::Comment(printable(join(options.comments, "\n")));
        }
    }

    void object(const Description& description, const void* object, const std::string& note = {}) {
        if (description.by_position) {
            out_ << YAML::Flow << YAML::BeginSeq;
            for (const Key& key : description.keys) {
                value(key.type, key.of(object));
            }
            out_ << YAML::EndSeq;
            return;
        }
        auto keys = mapped_where<const Key*>(
            description.keys, [&](const Key& key) { return is_written(description, key, object); },
            [](const Key& key) { return &key; });
        if (keys.size() == 1 && keys.front()->name == description.single_value) {
            value(keys.front()->type, keys.front()->of(object));
            return;
        }
        if (description.one_line || keys.empty()) {
            out_ << YAML::Flow;
        }
        out_ << YAML::BeginMap;
        for (const Key* key : keys) {
            out_ << YAML::Key;
            text(key->name);
            out_ << YAML::Value;
            value(key->type, key->of(object));
            if (key->name == "source" && !note.empty()) {
                out_ << YAML::Key << "note" << YAML::Value << YAML::DoubleQuoted << note;
            }
        }
        out_ << YAML::EndMap;
    }

    [[nodiscard]] std::string written() const {
        check(out_.good(), "yaml-cpp refused what was written");
        // yaml-cpp escapes some; all stand in double quotes.
        return printable(out_.c_str()) + "\n";
    }

    void operator()(const TextType& /*type*/) { text(as<std::string>()); }
    void operator()(const FlagType& /*type*/) { out_ << (as<bool>() ? "true" : "false"); }
    void operator()(const WholeType& type) { out_ << fmt::format("{:.0f}", type.get(member_)); }
    void operator()(const NumberType& /*type*/) { out_ << number(as<double>()); }
    void operator()(const QuantityType& type) {
        out_ << quantity_text(type.get(member_), type.dimensions, options_.digits);
    }
    void operator()(const EnumType& type) { out_ << std::string(choice_name(type, member_)); }
    void operator()(const RecordType& type) { object(type.description(), member_); }
    void operator()(const OptionalType& type) { value(*type.element, type.get(member_)); }
    void operator()(const ListType& type) {
        const std::size_t size = type.size(member_);
        if (type.or_single && size == 1) {
            value(*type.element, type.at(member_, 0));
            return;
        }
        const void* const list = member_;
        begin(size == 0 || is_one_line(ValueType{type}), YAML::BeginSeq);
        for (std::size_t i = 0; i < size; ++i) {
            value(*type.element, type.at(list, i));
        }
        out_ << YAML::EndSeq;
    }
    void operator()(const MapType& type) {
        begin(is_one_line(*type.element), YAML::BeginMap);
        type.each(member_, [&](std::string_view key, const void* element) {
            out_ << YAML::Key;
            text(std::string(key));
            out_ << YAML::Value;
            value(*type.element, element);
        });
        out_ << YAML::EndMap;
    }
    void operator()(const ConvertedType& type) {
        const auto written = type.from(member_);
        value(*type.written, written.get());
    }
    void operator()(const ReferenceType& type) {
        const std::string name = type.name != nullptr ? type.name(member_) : std::string();
        if (!name.empty()) {
            text(name);
        } else {
            object(type.description(), type.object(const_cast<void*>(member_)));
        }
    }
    void operator()(const OwnType& /*type*/) { throw InternalError("a value that only its own reader knows"); }

private:
    template <class T>
    [[nodiscard]] const T& as() const {
        return *static_cast<const T*>(member_);
    }

    static bool is_written(const Description& description, const Key& key, const void* object) {
        if (!applies(description, key, object) || (key.is_absent != nullptr && key.is_absent(object)) ||
            (key.is_derived != nullptr && key.is_derived(object))) {
            return false;
        }
        if (const auto* const optional = std::get_if<OptionalType>(&key.type.type)) {
            return optional->get(key.of(object)) != nullptr;
        }
        return key.always_written || (key.required && !is_empty_source(description, key, object)) ||
               !is_default(description, key, object);
    }

    /// Objects inside others need no source, and an empty text is no text.
    static bool is_empty_source(const Description& description, const Key& key, const void* object) {
        return !description.file_kind.empty() && key.name == "source" && is_default(description, key, object);
    }

    void value(const ValueType& type, const void* member) {
        const void* const outer = std::exchange(member_, member);
        std::visit(*this, type.type);
        member_ = outer;
    }

    void begin(bool one_line, YAML::EMITTER_MANIP what) {
        if (one_line) {
            out_ << YAML::Flow;
        }
        out_ << what;
    }

    void text(const std::string& text) {
        if (!is_plain_scalar(text)) {
            out_ << YAML::DoubleQuoted;
        }
        out_ << text;
    }

    [[nodiscard]] std::string number(double value) const {
        if (std::floor(value) == value) {
            return whole_number(value);
        }
        return options_.digits > 0 ? fmt::format("{:.{}g}", value, options_.digits) : shortest(value);
    }

    const YamlOptions& options_;
    YAML::Emitter out_;
    const void* member_ = nullptr;
};

}  // namespace

std::string to_yaml(const Description& description, const void* object, const YamlOptions& options) {
    Writer writer(options);
    writer.object(description, object, options.note);
    return writer.written();
}

}  // namespace dodona::files
