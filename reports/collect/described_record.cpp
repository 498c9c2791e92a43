#include "reports/collect/described_record.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::reports {

using namespace files;

namespace {

std::string_view unit_suffix(const ValueType& type);

/// What the unit of a value adds to its key.
struct UnitSuffix {
    std::string_view operator()(const QuantityType& type) const { return quantity_kind(type.dimensions).json_suffix; }
    std::string_view operator()(const OptionalType& type) const { return unit_suffix(*type.element); }
    std::string_view operator()(const ListType& type) const { return unit_suffix(*type.element); }
    std::string_view operator()(const MapType& type) const { return unit_suffix(*type.element); }
    std::string_view operator()(const ConvertedType& type) const { return unit_suffix(*type.written); }
    std::string_view operator()(const RecordType& type) const {
        const Description& description = type.description();
        const bool has_one = description.by_position || description.one_unit;
        return has_one ? unit_suffix(description.keys.front().type) : "";
    }
    template <class Other>
    std::string_view operator()(const Other& /*type*/) const {
        return "";
    }
};

std::string_view unit_suffix(const ValueType& type) { return std::visit(UnitSuffix{}, type.type); }

Record value_record(const ValueType& type, const void* member);

struct ToRecord {
    const void* member;

    Record operator()(const TextType& /*type*/) const { return *static_cast<const std::string*>(member); }
    Record operator()(const FlagType& /*type*/) const { return *static_cast<const bool*>(member); }
    Record operator()(const WholeType& type) const { return type.get(member); }
    Record operator()(const NumberType& /*type*/) const { return *static_cast<const double*>(member); }
    Record operator()(const QuantityType& type) const { return type.get(member); }
    Record operator()(const EnumType& type) const { return choice_name(type, member); }
    Record operator()(const RecordType& type) const { return described_record(type.description(), member); }
    Record operator()(const OptionalType& type) const {
        const void* const value = type.get(member);
        return value == nullptr ? Record() : value_record(*type.element, value);
    }
    Record operator()(const ListType& type) const {
        Record list = no_elements();
        for (std::size_t i = 0; i < type.size(member); ++i) {
            list.push_back(value_record(*type.element, type.at(member, i)));
        }
        return list;
    }
    Record operator()(const MapType& type) const {
        Record map = no_fields();
        type.each(member,
                  [&](std::string_view key, const void* element) { map[key] = value_record(*type.element, element); });
        return map;
    }
    Record operator()(const ConvertedType& type) const { return value_record(*type.written, type.from(member).get()); }
    Record operator()(const ReferenceType& type) const {
        return described_record(type.description(), type.object(const_cast<void*>(member)));
    }
    Record operator()(const OwnType& /*type*/) const { return {}; }
};

Record value_record(const ValueType& type, const void* member) { return std::visit(ToRecord{member}, type.type); }

/// A text that need not be there, and is empty.
bool is_empty_text(const Key& key, const void* object) {
    return !key.required && std::holds_alternative<TextType>(key.type.type) &&
           static_cast<const std::string*>(key.of(object))->empty();
}

bool is_there(const Description& description, const Key& key, const void* object) {
    return !is_empty_text(key, object) && applies(description, key, object) &&
           (key.is_absent == nullptr || !key.is_absent(object));
}

}  // namespace

std::string record_key(const Description& description, const Key& key) {
    const bool is_name = !description.file_kind.empty() && &key == &description.keys.front();
    return is_name ? "name" : description.one_unit ? key.name : key.name + std::string(unit_suffix(key.type));
}

Record described_record(const Description& description, const void* object) {
    if (description.by_position) {
        Record values = no_elements();
        for (const Key& key : description.keys) {
            values.push_back(value_record(key.type, key.of(object)));
        }
        return values;
    }
    Record record = no_fields();
    for (const Key& key : description.keys) {
        Record value = is_there(description, key, object) ? value_record(key.type, key.of(object)) : Record();
        if (key.in_place) {
            record.append(std::move(value));
            continue;
        }
        if (value.is_null() && key.left_out) {
            continue;
        }
        Record& field = record[record_key(description, key)];
        if (!value.is_null()) {  // several keys may have one name, of which one applies
            field = std::move(value);
        }
    }
    return record;
}

namespace {

constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr double kMaxNumber = 1e30;

std::string below(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

/// Fields of an object, each asked for by its name.
class RecordFields {
public:
    RecordFields(const Record& record, std::string path, RecordFaults& faults)
        : fields_(std::get_if<Record::Fields>(&record.of())), path_(std::move(path)), faults_(faults) {
        if (fields_ == nullptr) {
            faults_.add(path_, "an object is expected");
        }
    }

    /// Null where there is none, which is a fault unless it may be left out.
    const Record* find(const std::string& key, bool may_be_left_out) {
        if (fields_ == nullptr) {
            return nullptr;
        }
        known_.push_back(key);
        const auto found = std::find_if(fields_->begin(), fields_->end(),
                                        [&](const Record::Field& field) { return field.key == key; });
        if (found == fields_->end() && !may_be_left_out) {
            faults_.add(below(path_, key), "the key is missing");
        }
        return found == fields_->end() ? nullptr : &found->value;
    }

    [[nodiscard]] const Record::Fields& all() const {
        static const Record::Fields none;
        return fields_ == nullptr ? none : *fields_;
    }

    void refuse_others() const {
        for (const Record::Field& field : all()) {
            if (std::find(known_.begin(), known_.end(), field.key) == known_.end()) {
                faults_.add(below(path_, field.key), "unknown key" + did_you_mean(field.key, known_));
            }
        }
    }

private:
    const Record::Fields* fields_;
    std::string path_;
    RecordFaults& faults_;
    std::vector<std::string> known_;
};

void read_value(const ValueType& type, const Record& from, void* member, const std::string& path, RecordFaults& faults);

struct FromRecord {
    const Record& from;
    void* member;
    const std::string& path;
    RecordFaults& faults;

    void operator()(const TextType& /*type*/) const {
        take<std::string>("a text", [&](const std::string& is) { *static_cast<std::string*>(member) = is; });
    }
    void operator()(const FlagType& /*type*/) const {
        take<bool>("true or false", [&](bool is) { *static_cast<bool*>(member) = is; });
    }
    void operator()(const WholeType& type) const {
        take<std::int64_t>("a whole number", [&](std::int64_t is) {
            if (is < 0 || is > kMaxCount) {
                faults.add(path, fmt::format("{} is not in 0..{}", is, kMaxCount));
            } else {
                type.set(member, is);
            }
        });
    }
    void operator()(const NumberType& /*type*/) const { *static_cast<double*>(member) = number(); }
    void operator()(const QuantityType& type) const { type.set(member, number()); }
    void operator()(const EnumType& type) const {
        take<std::string>("a text", [&](const std::string& is) {
            const auto found = std::find_if(type.choices.begin(), type.choices.end(),
                                            [&](const EnumType::Choice& choice) { return choice.name == is; });
            if (found == type.choices.end()) {
                faults.add(path, "no value is called that");
            } else {
                type.set(member, static_cast<std::size_t>(found - type.choices.begin()));
            }
        });
    }
    void operator()(const RecordType& type) const { read_described(from, type.description(), member, path, faults); }
    void operator()(const OptionalType& type) const {
        if (!from.is_null()) {
            read_value(*type.element, from, type.emplace(member), path, faults);
        }
    }
    void operator()(const ListType& type) const {
        take<Record::List>("a list", [&](const Record::List& elements) {
            for (std::size_t i = 0; i < elements.size(); ++i) {
                read_value(*type.element, elements[i], type.append(member), fmt::format("{}[{}]", path, i), faults);
            }
        });
    }
    void operator()(const MapType& type) const {
        RecordFields fields(from, path, faults);
        for (const EnumType::Choice& key : type.keys) {
            fields.find(std::string(key.name), type.is_partial);
        }
        for (const Record::Field& field : fields.all()) {
            const auto known = [&](const EnumType::Choice& key) { return key.name == field.key; };
            if (type.keys.empty() || std::any_of(type.keys.begin(), type.keys.end(), known)) {
                read_value(*type.element, field.value, type.insert(member, field.key, {}), below(path, field.key),
                           faults);
            }
        }
        if (!type.keys.empty()) {
            fields.refuse_others();
        }
    }
    void operator()(const ConvertedType& type) const {
        check(type.make == nullptr, "a value that files have in another form is not read from records");
    }
    template <class Other>
    void operator()(const Other& /*type*/) const {
        check(false, "such a value is not read from records");
    }

private:
    template <class Of, class Use>
    void take(const char* expected, Use use) const {
        if (const Of* const is = std::get_if<Of>(&from.of())) {
            use(*is);
        } else {
            faults.add(path, fmt::format("{} is expected", expected));
        }
    }
    [[nodiscard]] double number() const {
        double value = 0;
        if (const auto* const whole = std::get_if<std::int64_t>(&from.of())) {
            value = static_cast<double>(*whole);
        } else {
            take<double>("a number", [&](double is) { value = is; });
        }
        if (!(std::abs(value) <= kMaxNumber)) {
            faults.add(path, fmt::format("{} is beyond {}", value, kMaxNumber));
        }
        return value;
    }
};

void read_value(const ValueType& type, const Record& from, void* member, const std::string& path,
                RecordFaults& faults) {
    std::visit(FromRecord{from, member, path, faults}, type.type);
}

}  // namespace

RecordFaults::RecordFaults(const std::string& name, std::string help)
    : where_{.source = std::make_shared<Source>(Source{name, {}})}, help_(std::move(help)) {}

void RecordFaults::add(const std::string& path, const std::string& message) {
    constexpr int kMax = 10;
    if (++count_ <= kMax) {
        faults_.error(where_, fmt::format("{}: {}", path.empty() ? "the whole" : path, message), help_);
    }
}

void read_described(const Record& record, const Description& description, void* object, const std::string& path,
                    RecordFaults& faults) {
    RecordFields fields(record, path, faults);
    for (const Key& key : description.keys) {
        const std::string name = record_key(description, key);
        const Record* const value = fields.find(name, key.left_out);
        const bool may_be_null = key.is_absent != nullptr || !key.required;
        if (value != nullptr && !(may_be_null && value->is_null())) {
            read_value(key.type, *value, key.member(object), below(path, name), faults);
        }
    }
    fields.refuse_others();
}

}  // namespace dodona::reports
