#include "reports/collect/report_record.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/collect/report_fields.hpp"

namespace dodona::reports {

namespace {

/// A member as a record. Parts that are zero are left out.
class ReportWriter {
public:
    explicit ReportWriter(Record& to) : to_(to) {}

    void operator()(const char* key, const auto& member) { to_[key] = written(member); }

    template <class T>
    static Record written(const T& value) {
        if constexpr (std::constructible_from<Record, const T&>) {
            return Record(value);
        } else {
            Record record = no_fields();
            ReportWriter io(record);
            fields(io, value);
            return record;
        }
    }
    template <class T>
    static Record written(const std::vector<T>& list) {
        return Record(list_of(list, [](const T& element) { return written(element); }));
    }
    template <class T>
    static Record written(const std::optional<T>& value) {
        return value ? written(*value) : Record();
    }
    static Record written(const Estimate& time) {
        return {{"value", time.value}, {"lo", time.lo}, {"hi", time.hi}, {"level", kIntervalLevel}};
    }
    template <class T, std::size_t N, class Part>
    static Record written(const step::PartArray<T, N, Part>& parts) {
        Record record = no_fields();
        for (std::size_t i = 0; i < N; ++i) {
            if (parts.values[i] != T{}) {
                record[step::name(static_cast<Part>(i))] = parts.values[i];
            }
        }
        return record;
    }

private:
    Record& to_;
};

/// What is wrong with a record, by the path of the key.
class ReportFaults {
public:
    explicit ReportFaults(const std::string& name) : where_{.source = std::make_shared<Source>(Source{name, {}})} {}

    void add(const std::string& path, const std::string& message) {
        if (++count_ <= kMost) {
            faults_.error(where_, fmt::format("{}: {}", path.empty() ? "the whole" : path, message), kHelp);
        }
    }
    void throw_if_any() const { faults_.throw_if_errors(); }

private:
    static constexpr int kMost = 10;
    static constexpr const char* kHelp =
        "reports are written by `dodona report -o FILE.json`; reports/schemas/report.schema.json describes them";
    Location where_;
    int count_ = 0;
    Diagnostics faults_;
};

class ReportReader {
public:
    ReportReader(const Record& from, std::string path, ReportFaults& faults)
        : from_(std::get_if<Record::Fields>(&from.of())), path_(std::move(path)), faults_(faults) {
        if (from_ == nullptr) {
            faults_.add(path_, "an object is expected");
        }
    }

    void operator()(const char* key, auto& member) {
        if (from_ == nullptr) {
            return;
        }
        known_.emplace_back(key);
        const auto found =
            std::find_if(from_->begin(), from_->end(), [&](const Record::Field& field) { return field.key == key; });
        const std::string path = path_.empty() ? key : path_ + "." + key;
        if (found == from_->end()) {
            faults_.add(path, "the key is missing");
        } else {
            read(found->value, path, member);
        }
    }

    /// To be called when all members are read.
    void refuse_others() const {
        for (std::size_t i = 0; from_ != nullptr && i < from_->size(); ++i) {
            const std::string& key = (*from_)[i].key;
            if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
                faults_.add(path_.empty() ? key : path_ + "." + key, "unknown key" + did_you_mean(key, known_));
            }
        }
    }

    template <class T>
    void read_fields(T& value) {
        fields(*this, value);
        refuse_others();
    }

private:
    template <class T>
    void read(const Record& from, const std::string& path, T& value) {
        ReportReader reader(from, path, faults_);
        reader.read_fields(value);
    }
    void read(const Record& from, const std::string& path, bool& value) {
        take<bool>(from, path, "true or false", [&](bool is) { value = is; });
    }
    void read(const Record& from, const std::string& path, std::string& value) {
        take<std::string>(from, path, "a text", [&](const std::string& is) { value = is; });
    }
    void read(const Record& from, const std::string& path, std::int64_t& value) {
        take<std::int64_t>(from, path, "a whole number", [&](std::int64_t is) { value = is; });
    }
    void read(const Record& from, const std::string& path, double& value) {
        if (const auto* whole = std::get_if<std::int64_t>(&from.of())) {
            value = static_cast<double>(*whole);
        } else {
            take<double>(from, path, "a number", [&](double is) { value = is; });
        }
    }
    template <Dimensions D>
    void read(const Record& from, const std::string& path, Quantity<D>& value) {
        double number = 0;
        read(from, path, number);
        value = Quantity<D>::of_base(number);
    }
    template <class T>
    void read(const Record& from, const std::string& path, std::optional<T>& value) {
        if (!from.is_null()) {
            read(from, path, value.emplace());
        }
    }
    template <class T>
    void read(const Record& from, const std::string& path, std::vector<T>& list) {
        take<Record::List>(from, path, "a list", [&](const Record::List& elements) {
            for (std::size_t i = 0; i < elements.size(); ++i) {
                read(elements[i], fmt::format("{}[{}]", path, i), list.emplace_back());
            }
        });
    }
    void read(const Record& from, const std::string& path, Estimate& time) {
        ReportReader reader(from, path, faults_);
        double level = 0;
        reader("value", time.value);
        reader("lo", time.lo);
        reader("hi", time.hi);
        reader("level", level);
        reader.refuse_others();
    }
    template <class T, std::size_t N, class Part>
    void read(const Record& from, const std::string& path, step::PartArray<T, N, Part>& parts) {
        ReportReader reader(from, path, faults_);
        for (std::size_t i = 0; i < N; ++i) {
            reader.read_where_given(std::string(step::name(static_cast<Part>(i))), parts.values[i]);
        }
        reader.refuse_others();
    }
    void read_where_given(const std::string& key, auto& value) {
        known_.push_back(key);
        for (std::size_t i = 0; from_ != nullptr && i < from_->size(); ++i) {
            if ((*from_)[i].key == key) {
                read((*from_)[i].value, path_ + "." + key, value);
            }
        }
    }
    template <class Of, class Use>
    void take(const Record& from, const std::string& path, const char* expected, Use use) {
        if (const Of* is = std::get_if<Of>(&from.of())) {
            use(*is);
        } else {
            faults_.add(path, fmt::format("{} is expected", expected));
        }
    }

    const Record::Fields* from_;
    std::string path_;
    ReportFaults& faults_;
    std::vector<std::string> known_;
};

}  // namespace

Record report_record(const Report& report) {
    Record record{{"schema", kReportSchema}};
    ReportWriter io(record);
    fields(io, report);
    return record;
}

std::vector<Record> report_rows(const Report& report) {
    std::vector<Record> rows;
    for (const ReportScaling& scaling : report.scalings) {
        for (const ReportStrategy& strategy : scaling.strategies) {
            for (const ReportPoint& point : strategy.points) {
                Record row{{"scaling", scaling.batch ? "strong" : "weak"}, {"strategy", strategy.name}};
                ReportWriter io(row);
                fields(io, point);
                if (!point.plan) {
                    row.erase("plan");
                }
                rows.push_back(std::move(row));
            }
        }
    }
    return rows;
}

Record point_record(const ReportPoint& point) { return ReportWriter::written(point); }

ReportPoint point_from(const Record& record, const std::string& name) {
    ReportFaults faults(name);
    ReportReader reader(record, "", faults);
    ReportPoint point;
    reader.read_fields(point);
    faults.throw_if_any();
    return point;
}

Report report_from(const Record& record, const std::string& name) {
    ReportFaults faults(name);
    ReportReader reader(record, "", faults);
    std::string schema;
    reader("schema", schema);
    if (schema != kReportSchema) {
        faults.add("schema", fmt::format("{} is expected", kReportSchema));
        faults.throw_if_any();
    }
    Report report;
    reader.read_fields(report);
    faults.throw_if_any();
    return report;
}

}  // namespace dodona::reports
