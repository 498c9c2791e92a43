#include "reports/document/record.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace dodona::reports {

namespace {

Record::Of number(double value) {
    constexpr double kExact = 0x1p53;
    if (!std::isfinite(value)) {
        return nullptr;
    }
    if (std::abs(value) <= kExact && value == std::floor(value)) {
        return static_cast<std::int64_t>(value);
    }
    return value;
}

Record::Fields::iterator find(Record::Fields& fields, std::string_view key) {
    return std::find_if(fields.begin(), fields.end(), [&](const Record::Field& field) { return field.key == key; });
}

}  // namespace

Record::Record(std::string text) : of_(std::move(text)) {}
Record::Record(std::string_view text) : of_(std::string(text)) {}
Record::Record(const char* text) : of_(std::string(text)) {}
Record::Record(List list) : of_(std::move(list)) {}
Record::Record(Fields fields) : of_(std::move(fields)) {}
Record::Record(std::initializer_list<Field> fields) : of_(Fields(fields)) {}
Record::Record(bool flag) : of_(flag) {}
Record::Record(double value) : of_(number(value)) {}

bool Record::is_tree() const { return std::holds_alternative<List>(of_) || std::holds_alternative<Fields>(of_); }

Record& Record::operator[](std::string_view key) {
    if (is_null()) {
        of_ = Fields{};
    }
    Fields& fields = std::get<Fields>(of_);
    const auto known = find(fields, key);
    return known == fields.end() ? fields.emplace_back(Field{std::string(key), {}}).value : known->value;
}

const Record& Record::at(std::string_view key) const {
    const Fields& fields = std::get<Fields>(of_);
    const auto known = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.key == key; });
    check(known != fields.end(), "a record lacks a field that is asked for");
    return known->value;
}

void Record::erase(std::string_view key) {
    std::erase_if(std::get<Fields>(of_), [&](const Field& field) { return field.key == key; });
}

void Record::push_back(Record element) {
    if (is_null()) {
        of_ = List{};
    }
    std::get<List>(of_).push_back(std::move(element));
}

void Record::append(Record fields) {
    for (Field& field : std::get<Fields>(fields.of_)) {
        (*this)[field.key] = std::move(field.value);
    }
}

Record text_or_null(const std::string& text) { return text.empty() ? Record() : Record(text); }

}  // namespace dodona::reports
