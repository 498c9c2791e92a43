// The machine-readable half of a report: a tree of named values in SI base units. JSON prints it, CSV flattens it.
//
//   Record record{{"schema", "dodona/model/1"}, {"parameters", counts.parameters}, {"source", graph.source}};
//   record["layers"] = layers;
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "base/ranges.hpp"

namespace dodona::reports {

class Record {
public:
    struct Field;
    using List = std::vector<Record>;
    using Fields = std::vector<Field>;  ///< in the order in which they are printed
    using Of = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Fields>;

    Record();  ///< null
    Record(std::nullptr_t);
    Record(const Record& other);
    Record(Record&& other) noexcept;
    Record& operator=(const Record& other);
    Record& operator=(Record&& other) noexcept;
    ~Record();
    Record(std::string text);
    Record(std::string_view text);
    Record(const char* text);
    Record(List list);
    Record(Fields fields);
    Record(std::initializer_list<Field> fields);
    Record(bool flag);
    /// A whole number up to 2^53 prints without a point; what is not finite is null.
    Record(double number);
    template <std::integral Integer>
    Record(Integer number);
    /// In SI base units: seconds, bytes, FLOP.
    template <Dimensions D>
    Record(Quantity<D> quantity) : Record(quantity.in(Quantity<D>::of_base(1))) {}
    template <class T>
    Record(const std::optional<T>& value) : Record(value ? Record(*value) : Record()) {}
    template <class T>
    Record(const std::vector<T>& list);

    [[nodiscard]] const Of& of() const { return of_; }
    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(of_); }
    [[nodiscard]] bool is_tree() const;  ///< a list or fields

    /// The field of that name; added, as null, where there is none. A null record gets fields.
    Record& operator[](std::string_view key);
    /// The field of that name, which must be there.
    [[nodiscard]] const Record& at(std::string_view key) const;
    void erase(std::string_view key);
    /// Appends to a list. A null record becomes a list.
    void push_back(Record element);
    /// Appends all fields of another record.
    void append(Record fields);

    bool operator==(const Record& other) const;

private:
    Of of_;
};

struct Record::Field {
    std::string key;
    Record value;
    bool operator==(const Field& other) const = default;
};

// Here, where a field is known in full.
inline Record::Record() = default;
inline Record::Record(std::nullptr_t) {}
inline Record::Record(const Record& other) = default;
inline Record::Record(Record&& other) noexcept = default;
inline Record& Record::operator=(const Record& other) = default;
inline Record& Record::operator=(Record&& other) noexcept = default;
inline Record::~Record() = default;
inline bool Record::operator==(const Record& other) const { return of_ == other.of_; }
template <std::integral Integer>
Record::Record(Integer number) : of_(static_cast<std::int64_t>(number)) {}
template <class T>
Record::Record(const std::vector<T>& list) : of_(List(list.begin(), list.end())) {}

/// A list of what `make` makes of each element.
template <class Range, class Make>
Record list_of(const Range& range, Make make) {
    Record::List list;
    append(list, range, [&](const auto& element) { return make(element); });
    return list;
}

/// An empty text is absent: null.
Record text_or_null(const std::string& text);

/// No fields, and no elements: `Record()` is null.
inline Record no_fields() { return Record(Record::Fields{}); }
inline Record no_elements() { return Record(Record::List{}); }

}  // namespace dodona::reports
