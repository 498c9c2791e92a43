#include "reports/collect/report_record.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/collect/report_fields.hpp"
#include "reports/document/component_colours.hpp"

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
        if (++count_ <= kMax) {
            faults_.error(where_, fmt::format("{}: {}", path.empty() ? "the whole" : path, message), kHelp);
        }
    }
    void throw_if_any() const { faults_.throw_if_errors(); }

private:
    static constexpr int kMax = 10;
    static constexpr const char* kHelp =
        "reports are written by `dodona report -o FILE.json`; reports/schemas/report.schema.json describes them";
    Location where_;
    int count_ = 0;
    Diagnostics faults_;
};

constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr double kMaxNumber = 1e30;

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
        if (value < 0 || value > kMaxCount) {
            faults_.add(path, fmt::format("{} is not in 0..{}", value, kMaxCount));
        }
    }
    void read(const Record& from, const std::string& path, double& value) {
        if (const auto* whole = std::get_if<std::int64_t>(&from.of())) {
            value = static_cast<double>(*whole);
        } else {
            take<double>(from, path, "a number", [&](double is) { value = is; });
        }
        if (!(std::abs(value) <= kMaxNumber)) {
            faults_.add(path, fmt::format("{} is beyond {}", value, kMaxNumber));
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

/// What its readers rely on, beyond the types of its members.
class ReportCheck {
public:
    explicit ReportCheck(ReportFaults& faults) : faults_(faults) {}

    void check(const Report& report) {
        require(!report.scalings.empty(), "scalings", "one at least is expected");
        require(!report.inputs.counts.empty(), "inputs.gpus", "one number at least is expected");
        for (std::size_t i = 0; i < report.scalings.size(); ++i) {
            check_scaling(report.scalings[i], fmt::format("scalings[{}]", i));
        }
        for (std::size_t i = 0; i < report.measured.size(); ++i) {
            const ReportMeasured& run = report.measured[i];
            const std::string path = fmt::format("measured[{}]", i);
            require(run.devices > 0, path + ".gpus", "a number above 0 is expected");
            require(run.batch > 0, path + ".batch", "a number above 0 is expected");
            require(run.measured > Seconds{}, path + ".measured_s", "a time above 0 is expected");
            check_time(run.predicted, path + ".predicted_s");
        }
        if (report.best && report.best->sensitivity) {
            const ReportTable& table = report.best->sensitivity->table;
            for (std::size_t i = 0; i < table.rows.size(); ++i) {
                require(table.rows[i].size() <= table.columns.size(), fmt::format("best.sensitivity.table.rows[{}]", i),
                        fmt::format("at most {} cells are expected", table.columns.size()));
            }
        }
        if (report.best && report.best->timeline) {
            check_timeline(*report.best->timeline);
        }
    }
    void check_point(const ReportPoint& point, const std::string& path) {
        require(point.devices > 0, path + "gpus", "a number above 0 is expected");
        require(point.batch > 0, path + "batch", "a number above 0 is expected");
        if (point.plan) {
            check_time(point.plan->step, path + "plan.step_time_s");
            require(point.plan->samples_per_second > 0, path + "plan.samples_per_s", "a number above 0 is expected");
            require(point.plan->tokens_per_second.value_or(1) > 0, path + "plan.tokens_per_s",
                    "a number above 0 is expected");
        }
    }

private:
    void require(bool holds, const std::string& path, const std::string& message) {
        if (!holds) {
            faults_.add(path, message);
        }
    }
    void check_time(const Estimate& time, const std::string& path) {
        require(time.value > Seconds{} && time.lo >= Seconds{} && time.lo <= time.value && time.value <= time.hi, path,
                "a time above 0 within its interval is expected");
    }
    void check_points(const ReportScaling& scaling, const std::vector<ReportPoint>& points, const std::string& path) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const std::string at = fmt::format("{}[{}].", path, i);
            const std::int64_t batch = scaling.batch.value_or(scaling.batch_per_gpu * points[i].devices);
            check_point(points[i], at);
            require(i == 0 || points[i - 1].devices < points[i].devices, at + "gpus",
                    "a number above that of the point before is expected");
            require(points[i].batch == batch, at + "batch", fmt::format("{} is expected", batch));
        }
    }
    void check_scaling(const ReportScaling& scaling, const std::string& path) {
        require(scaling.batch.value_or(scaling.batch_per_gpu) > 0, path, "a batch above 0 is expected");
        check_points(scaling, scaling.answers, path + ".answers");
        for (std::size_t i = 0; i < scaling.strategies.size(); ++i) {
            check_points(scaling, scaling.strategies[i].points, fmt::format("{}.strategies[{}].points", path, i));
        }
    }
    void check_timeline(const ReportTimeline& timeline) {
        const std::string path = "best.timeline";
        require(timeline.end > Seconds{}, path + ".end_s", "a time above 0 is expected");
        for (std::size_t i = 0; i < timeline.bars.size(); ++i) {
            const ReportBar& bar = timeline.bars[i];
            const std::string at = fmt::format("{}.bars[{}].", path, i);
            require(bar.stage < static_cast<std::int64_t>(timeline.stages.size()), at + "stage",
                    fmt::format("one of {} stages, counted from 0, is expected", timeline.stages.size()));
            require(bar.start >= Seconds{} && bar.duration >= Seconds{} &&
                        bar.start + bar.duration <= (1 + kRounding) * timeline.end,
                    at + "start_s", "a bar within the step is expected");
            require(std::any_of(kComponentColours.begin(), kComponentColours.end(),
                                [&](const ComponentColour& colour) { return colour.component == bar.component; }) ||
                        bar.component == kOtherColour.component,
                    at + "component", "no part of a step is called that");
        }
    }

    static constexpr double kRounding = 2e-6;  ///< of bars to a millionth of the step
    ReportFaults& faults_;
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
    ReportCheck(faults).check_point(point, "");
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
    ReportCheck(faults).check(report);
    faults.throw_if_any();
    return report;
}

}  // namespace dodona::reports
