// Records, settings and cases as JSON lines.
#include <chrono>
#include <type_traits>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/record/case_fault.hpp"
#include "calibrate/record/exchange.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

namespace {

using Json = nlohmann::ordered_json;

Json case_json(const Case& of) {
    Json json{{"benchmark", of.benchmark}};
    for (const auto& [name, value] : of.parameters) {
        std::visit([&, &key = name](const auto& known) { json[key] = known; }, value);
    }
    return json;
}

Json statistics_json(const Statistics& time) {
    return {{"least", time.least.in(1_s)},   {"first_quartile", time.first_quartile.in(1_s)},
            {"median", time.median.in(1_s)}, {"third_quartile", time.third_quartile.in(1_s)},
            {"samples", time.samples},       {"estimator", time.estimator == Estimator::median ? "median" : "least"},
            {"rejected", time.rejected}};
}

struct ToJson {
    Json& json;
    void operator()(const Environment& environment) const {
        json["kind"] = "environment";
        json["facts"] = environment.facts;
    }
    void operator()(const Measurement& measurement) const {
        json["kind"] = "measurement";
        json["case"] = case_json(measurement.of);
        if (measurement.time.samples > 0) {
            json["time"] = statistics_json(measurement.time);
        }
        if (!measurement.values.empty()) {
            json["values"] = measurement.values;
        }
        if (!measurement.words.empty()) {
            json["words"] = measurement.words;
        }
    }
    void operator()(const Failure& failure) const {
        json["kind"] = "failure";
        json["case"] = case_json(failure.of);
        json["why"] = failure.why;
    }
    void operator()(const Lacking& lacking) const {
        json["kind"] = "lacking";
        json["why"] = lacking.why;
        json["help"] = lacking.help;
    }
};

/// A JSON object whose members are asked for by name and type; any fault is one of the line.
class Line {
public:
    Line(std::string_view text, const Location& where) : where_(where) {
        try {
            json_ = Json::parse(text);
        } catch (const Json::parse_error& error) {
            Location place = where;
            place.column = static_cast<int>(error.byte);
            fail(place, "this is no line of JSON", "a calibration has one JSON object a line; was it cut short?");
        } catch (const Json::exception&) {
            wrong("a number that is too large");
        }
        if (!json_.is_object()) {
            wrong("not a JSON object");
        }
    }
    [[noreturn]] void wrong(const std::string& message) const {
        fail(where_, message, "a calibration is written by `dodona calibrate`; docs/files.md says what its lines hold");
    }
    template <typename T>
    [[nodiscard]] T get(const Json& from, const char* key) const {
        try {
            const Json& value = from.at(key);
            if (!std::is_integral_v<T> || std::is_same_v<T, bool> || value.is_number_integer()) {
                return value.get<T>();
            }
        } catch (const Json::exception&) {
        }
        wrong(fmt::format("\"{}\" is missing or not of its kind", key));
    }
    template <typename T>
    [[nodiscard]] T get(const char* key) const {
        return get<T>(json_, key);
    }
    template <typename T>
    [[nodiscard]] T get(const Json& from, const char* key, T otherwise) const {
        return from.contains(key) ? get<T>(from, key) : otherwise;
    }
    [[nodiscard]] const Json& json() const { return json_; }

    [[nodiscard]] Case case_of(const Json& json) const {
        Case of{.benchmark = get<std::string>(json, "benchmark"), .parameters = {}};
        for (const auto& [key, value] : json.items()) {
            if (key == "benchmark") {
                continue;
            }
            if (value.is_number()) {
                of.parameters[key] = value.get<double>();
            } else if (value.is_string()) {
                of.parameters[key] = value.get<std::string>();
            } else {
                wrong(fmt::format("\"{}\" of a case is neither number nor word", key));
            }
        }
        if (const std::string fault = case_fault(of); !fault.empty()) {
            wrong(fault);
        }
        return of;
    }
    [[nodiscard]] Seconds seconds(const Json& json, const char* key) const {
        const auto value = get<double>(json, key);
        constexpr double kShortest = 1e-15;
        constexpr double kLongest = 1e9;  // some 30 years
        if (!(value >= kShortest && value <= kLongest)) {
            wrong(fmt::format("\"{}\" is {} s, which no measurement takes", key, value));
        }
        return value * 1_s;
    }

private:
    Json json_;
    Location where_;
};

/// How many samples were kept or, for each reason, not.
std::int64_t samples(const Line& line, const Json& json, const char* key, std::int64_t least) {
    const auto count = line.get<std::int64_t>(json, key);
    if (count < least) {
        line.wrong(fmt::format("\"{}\" is {}, less than {}", key, count, least));
    }
    return count;
}

Statistics statistics(const Line& line, const Json& json) {
    Statistics read{.least = line.seconds(json, "least"),
                    .first_quartile = line.seconds(json, "first_quartile"),
                    .median = line.seconds(json, "median"),
                    .third_quartile = line.seconds(json, "third_quartile"),
                    .samples = samples(line, json, "samples", 1)};
    if (read.least > read.first_quartile || read.first_quartile > read.median || read.median > read.third_quartile) {
        line.wrong("the least time and the quartiles are not in their order");
    }
    const Json rejected = line.get<Json>(json, "rejected");
    for (const auto& [why, count] : line.get<std::map<std::string, Json>>(json, "rejected")) {
        read.rejected[why] = samples(line, rejected, why.c_str(), 0);
    }
    const auto estimator = line.get<std::string>(json, "estimator");
    if (estimator != "median" && estimator != "least") {
        line.wrong(fmt::format("\"{}\" is no estimator: median or least", estimator));
    }
    read.estimator = estimator == "least" ? Estimator::least : Estimator::median;
    return read;
}

Measurement measurement(const Line& line) {
    const Json& json = line.json();
    Measurement read{.of = line.case_of(line.get<Json>("case")), .time = {}, .values = {}, .words = {}};
    if (const std::string fault = measured_case_fault(read.of); !fault.empty()) {
        line.wrong(fault);
    }
    if (json.contains("time")) {
        read.time = statistics(line, json["time"]);
    }
    read.values = line.get(json, "values", read.values);
    read.words = line.get(json, "words", read.words);
    return read;
}

}  // namespace

std::string_view name(Pass pass) {
    switch (pass) {
        case Pass::time: return "time";
        case Pass::names: return "names";
        case Pass::counters: return "counters";
    }
    return "";
}

std::optional<Pass> pass_from(std::string_view text) {
    for (const Pass pass : {Pass::time, Pass::names, Pass::counters}) {
        if (text == name(pass)) {
            return pass;
        }
    }
    return std::nullopt;
}

std::string to_line(const Record& record) {
    Json json{{"calibration", kRecordVersion},
              {"backend", record.backend},
              {"pass", name(record.pass)},
              {"date", record.date}};
    std::visit(ToJson{json}, record.what);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Record record_from(std::string_view text, const Location& where) {
    const Line line(text, where);
    const auto version = line.get<int>("calibration");
    if (version < 1) {
        line.wrong(fmt::format("{} is no version of a calibration", version));
    }
    if (version > kRecordVersion) {
        fail(where, fmt::format("this line is of version {}; this dodona reads up to {}", version, kRecordVersion),
             "a newer dodona wrote it");
    }
    Record record{.backend = line.get<std::string>("backend"), .date = line.get<std::string>("date"), .what = {}};
    const auto pass = pass_from(line.get<std::string>("pass"));
    if (!pass) {
        line.wrong("\"pass\" is none of time, names, counters");
    }
    record.pass = *pass;
    const auto kind = line.get<std::string>("kind");
    if (kind == "environment") {
        record.what = Environment{line.get<std::map<std::string, std::string>>("facts")};
    } else if (kind == "measurement") {
        record.what = measurement(line);
    } else if (kind == "failure") {
        record.what = Failure{line.case_of(line.get<Json>("case")), line.get<std::string>("why")};
    } else if (kind == "lacking") {
        record.what = Lacking{line.get<std::string>("why"), line.get<std::string>("help")};
    } else {
        line.wrong(fmt::format("\"{}\" is no kind of line", kind));
    }
    return record;
}

std::string date_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())); }

std::string to_line(const Settings& settings) {
    return Json{{"pass", name(settings.pass)},
                {"quick", settings.quick},
                {"most_seconds", settings.most_seconds},
                {"seed", settings.seed}}
        .dump();
}

Settings settings_from(std::string_view text, const Location& where) {
    const Line line(text, where);
    const auto pass = pass_from(line.get<std::string>("pass"));
    if (!pass) {
        line.wrong("\"pass\" is none of time, names, counters");
    }
    return {.pass = *pass,
            .quick = line.get<bool>("quick"),
            .most_seconds = line.get<double>("most_seconds"),
            .seed = line.get<std::uint64_t>("seed")};
}

std::string to_line(const Case& asked) { return case_json(asked).dump(); }

Case case_from(std::string_view text, const Location& where) {
    const Line line(text, where);
    return line.case_of(line.json());
}

}  // namespace dodona::calibrate
