#include "files/scope.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/expression.hpp"
#include "base/ranges.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

using graph::AttributeValue;

constexpr double kMaxExact = 0x1p53;  ///< whole numbers up to here are doubles without loss

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_operator(std::string_view text) { return text.find_first_of("+-*/%()<>=!,") != std::string_view::npos; }

bool means_not_finite(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view bare = std::string_view(text).substr(std::min(text.find_first_not_of("+-."), text.size()));
    return bare == "nan" || bare == "inf" || bare == "infinity";
}

std::optional<double> as_number(const AttributeValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value.value)) {
        return static_cast<double>(*whole);
    }
    if (const auto* decimal = std::get_if<double>(&value.value)) {
        return *decimal;
    }
    return std::nullopt;
}

std::string not_a_number(std::string_view name, const AttributeValue& value) {
    if (const auto* word = std::get_if<std::string>(&value.value)) {
        return fmt::format("{} is the word \"{}\", not a number", name, *word);
    }
    const auto* flag = std::get_if<bool>(&value.value);
    return fmt::format("{} is {}, not a number", name, flag != nullptr && *flag ? "true" : "false");
}

/// A number written as digits; throws where it looks like one but is none.
std::optional<AttributeValue> plain_number(const Written& written) {
    const auto whole = whole_from(written.text);
    if (const auto* value = std::get_if<std::int64_t>(&whole)) {
        return AttributeValue{*value, written.where};
    }
    const bool is_digits = written.text.find_first_not_of("+-0123456789") == std::string::npos;
    const auto decimal = decimal_from(written.text);
    if (is_digits && std::holds_alternative<double>(decimal)) {
        fail(written.where, fmt::format("{} {}", written.text, std::get<NotANumber>(whole).why));
    }
    const auto* fault = std::get_if<NotANumber>(&decimal);
    if (fault != nullptr && fault->why == kOutOfRange) {
        fail(written.where, fmt::format("{} {}", written.text, fault->why));
    }
    if (means_not_finite(written.text)) {
        fail(written.where, fmt::format("\"{}\" is not a finite number", written.text));
    }
    if (const auto* value = std::get_if<double>(&decimal)) {
        return AttributeValue{*value, written.where};
    }
    return std::nullopt;
}

}  // namespace

bool is_identifier(std::string_view text) {
    return !text.empty() && starts_identifier(text[0]) && std::all_of(text.begin(), text.end(), continues_identifier);
}

Written written(const Value& scalar) { return {scalar.node().text, scalar.node().quoted, scalar.node().inside()}; }

void Scope::set(const std::string& name, AttributeValue value) {
    if (values_.insert_or_assign(name, std::move(value)).second) {
        names_.push_back(name);
    }
}

const AttributeValue* Scope::find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

/// Words joined by `-` or `/`, none of them a parameter: all-reduce, decoder/embedding.
bool Scope::is_word(const std::string& text) const {
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find_first_of("-/", begin), text.size());
        const std::string piece = text.substr(begin, end - begin);
        if (!is_identifier(piece) || find(piece) != nullptr) {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

double Scope::arithmetic(const Written& written) const {
    const Expression expression = Expression::parse(written.text, written.where);
    const auto numbers = filtered<std::string>(names_, [&](const std::string& name) { return as_number(*find(name)); });
    for (const std::string& name : expression.names()) {
        const AttributeValue* value = find(name);
        if (value != nullptr && !as_number(*value)) {
            fail(written.where, not_a_number(name, *value));
        }
    }
    return expression.evaluate(
        [this](std::string_view name) {
            const AttributeValue* value = find(name);
            return value == nullptr ? std::nullopt : as_number(*value);
        },
        numbers);
}

AttributeValue Scope::value(const Written& written) const {
    const std::string& text = written.text;
    if (text == "true" || text == "false") {
        return {text == "true", written.where};
    }
    if (const auto number = plain_number(written)) {
        return *number;
    }
    if (const AttributeValue* parameter = written.quoted ? nullptr : find(text)) {
        return {parameter->value, written.where};
    }
    if (has_operator(text) && !is_word(text)) {
        const double result = arithmetic(written);
        if (std::abs(result) > kMaxExact) {
            fail(written.where, fmt::format("\"{}\" is {}, too large for an exact whole number", text, result));
        }
        if (result == std::floor(result)) {
            return {static_cast<std::int64_t>(result), written.where};
        }
        return {result, written.where};
    }
    if (looks_numeric(text) && !written.quoted) {
        fail(written.where, fmt::format("\"{}\" is not a number", text),
             "numbers are plain decimal digits: 50257, 0.5, 4e9; a word that starts with a digit goes in quotes");
    }
    return {text, written.where};
}

std::int64_t Scope::whole(const Value& value, std::int64_t least, std::int64_t most) const {
    if (!value) {
        return least;
    }
    if (!value.is_scalar()) {
        value.error("expected a whole number or an expression");
        return least;
    }
    try {
        const AttributeValue read = this->value(written(value));
        const std::optional<double> number = as_number(read);
        if (!number) {
            value.error(fmt::format("\"{}\" is not a whole number{}", value.node().text,
                                    did_you_mean(value.node().text, names_)));
        } else if (*number != std::floor(*number)) {
            value.error(fmt::format("{} is not a whole number", *number));
        } else if (*number < static_cast<double>(least) || *number > static_cast<double>(most)) {
            const bool is_small = *number < static_cast<double>(least);
            value.error(
                fmt::format("{} must be at {} {}", *number, is_small ? "least" : "most", is_small ? least : most));
        } else {
            return static_cast<std::int64_t>(*number);
        }
    } catch (const InputError& error) {
        absorb(value.faults(), error, value.path());
    }
    return least;
}

bool Scope::flag(const Value& value) const {
    if (!value) {
        return false;
    }
    if (!value.is_scalar()) {
        value.error("expected true or false");
        return false;
    }
    try {
        const AttributeValue read = this->value(written(value));
        if (const bool* flag = std::get_if<bool>(&read.value)) {
            return *flag;
        }
        const std::optional<double> number = as_number(read);
        if (number == 0.0 || number == 1.0) {
            return number == 1.0;
        }
        value.error(fmt::format("\"{}\" is neither true nor false", value.node().text));
    } catch (const InputError& error) {
        absorb(value.faults(), error, value.path());
    }
    return false;
}

}  // namespace dodona::files
