#include <unistd.h>

#include <gtest/gtest.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {
namespace record_test {

Case product() {
    return {.benchmark = "matmul",
            .parameters = {{"m", 512.0}, {"n", 64.0}, {"k", 0.5}, {"precision", "fp32"}, {"direction", "forward"}}};
}

TEST(Case, TheSameParametersInAnyOrderAreTheSameKey) {
    EXPECT_EQ(product().key(), "matmul direction=forward k=0.5 m=512 n=64 precision=fp32");
}

TEST(Case, ExtentsAreNumbersBetweenCrosses) {
    EXPECT_EQ(extents("56x7x112"), (std::vector<std::int64_t>{56, 7, 112}));
    EXPECT_EQ(extents("3"), (std::vector<std::int64_t>{3}));
    EXPECT_THROW(extents("3xthree"), std::logic_error);
}

TEST(Record, AMeasurementIsReadAsItWasWritten) {
    const Record record{.backend = "cpu",
                        .pass = Pass::names,
                        .date = "2026-11-20T23:10:00Z",
                        .what = Measurement{.of = product(),
                                            .time = {.least = 1e-6_s,
                                                     .first_quartile = 1.5e-6_s,
                                                     .median = 2e-6_s,
                                                     .third_quartile = 3e-6_s,
                                                     .samples = 31,
                                                     .rejected = {{"switched", 2}},
                                                     .estimator = Estimator::least},
                                            .values = {{"clock", 1.98e9}},
                                            .words = {{"kernel", "sgemm \"tn\""}}}};
    const Record read = record_from(to_line(record), {});
    EXPECT_EQ(to_line(read), to_line(record));
    const auto& measured = std::get<Measurement>(read.what);
    EXPECT_EQ(measured.of, product());
    EXPECT_EQ(measured.time.value(), 1e-6_s);
    EXPECT_EQ(measured.time.rejected.at("switched"), 2);
    EXPECT_EQ(measured.words.at("kernel"), "sgemm \"tn\"");
}

TEST(Record, FailuresEnvironmentsAndWhatLacksAreReadAsTheyWereWritten) {
    const std::vector<std::variant<Environment, Measurement, Failure, Lacking>> whats{
        Environment{{{"device", "NVIDIA H200"}}}, Failure{product(), "out of memory"},
        Lacking{"no driver", "install it"}};
    for (const auto& what : whats) {
        const Record record{.backend = "cuda", .pass = Pass::time, .date = "2026-11-20T23:10:00Z", .what = what};
        EXPECT_EQ(to_line(record_from(to_line(record), {})), to_line(record));
    }
}

std::string refusal(const std::string& line) {
    try {
        static_cast<void>(record_from(line, {}));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Record, ALineThatIsCutShortOrOfAnotherVersionIsRefusedWithAReason) {
    EXPECT_NE(refusal(R"({"calibration":1,"backend")").find("was it cut short?"), std::string::npos);
    EXPECT_NE(refusal(R"({"calibration":2})").find("this line is of version 2"), std::string::npos);
    EXPECT_NE(refusal(R"({"calibration":1,"backend":"cpu","pass":"time","date":"","kind":"song"})").find("\"song\""),
              std::string::npos);
    EXPECT_NE(refusal(R"({"calibration":1,"backend":"cpu","pass":"time","date":7,"kind":"failure"})").find("\"date\""),
              std::string::npos);
}

/// A measurement with this part of its line in place of the good one.
std::string refusal_with(const std::string& good, const std::string& bad) {
    std::string line =
        R"({"calibration":1,"backend":"cpu","pass":"time","date":"2026-11-20","kind":"measurement","case":{"benchmark":)"
        R"("convolution","images":4,"channels":8,"filters":8,"input":"14x14","window":"3x3","precision":"fp32",)"
        R"("direction":"forward"},"time":{"least":1e-6,"first_quartile":2e-6,"median":3e-6,"third_quartile":4e-6,)"
        R"("samples":10,"estimator":"median","rejected":{"switched":1}},"values":{"clock":1e9}})";
    const std::size_t at = line.find(good);
    EXPECT_NE(at, std::string::npos) << good;
    return refusal(line.replace(at, good.size(), bad));
}

// Each of these ended in "a fault in dodona" or in a machine file that nobody can read.
TEST(Record, ValuesThatNoBenchmarkHasAreRefusedAtTheirLine) {
    EXPECT_EQ(refusal_with("", ""), "");
    for (const auto& [good, bad] :
         std::vector<std::pair<std::string, std::string>>{{"\"images\":4", "\"images\":\"four\""},
                                                          {"\"images\":4", "\"images\":0"},
                                                          {"\"images\":4", "\"images\":-4"},
                                                          {"\"images\":4", "\"images\":1e999"},
                                                          {"\"images\":4", "\"images\":1e30"},
                                                          {"\"images\":4", "\"images\":[4]"},
                                                          {"\"images\":4", "\"frames\":4"},
                                                          {"\"14x14\"", "14"},
                                                          {"\"14x14\"", "\"14x\""},
                                                          {"\"14x14\"", "\"\""},
                                                          {"\"14x14\"", "\"14xx14\""},
                                                          {"\"14x14\"", "\"0x14\""},
                                                          {"\"14x14\"", "\"2x14\""},
                                                          {"\"fp32\"", "\"fp33\""},
                                                          {"\"fp32\"", "32"},
                                                          {"\"forward\"", "\"sideways\""},
                                                          {"\"least\":1e-6", "\"least\":-1e-6"},
                                                          {"\"least\":1e-6", "\"least\":0"},
                                                          {"\"least\":1e-6", "\"least\":1e10"},
                                                          {"\"least\":1e-6", "\"least\":2.5e-6"},
                                                          {"\"median\":3e-6", "\"median\":5e-6"},
                                                          {"\"median\":3e-6", "\"median\":\"soon\""},
                                                          {"\"samples\":10", "\"samples\":-10"},
                                                          {"\"samples\":10", "\"samples\":1.5"},
                                                          {"\"samples\":10", "\"samples\":1e300"},
                                                          {"\"estimator\":\"median\"", "\"estimator\":\"mean\""},
                                                          {"\"switched\":1", "\"switched\":-1"},
                                                          {"\"switched\":1", "\"switched\":\"once\""},
                                                          {"1e9}", "\"fast\"}"},
                                                          {"\"calibration\":1", "\"calibration\":0"},
                                                          {"\"calibration\":1", "\"calibration\":1.5"}}) {
        EXPECT_NE(refusal_with(good, bad), "") << bad << " in place of " << good;
    }
}

class Doubling : public Instrument {
public:
    Environment environment() override { return {{{"device", "a table"}}}; }
    Measurement measure(const Case& asked) override {
        if (asked.number("m") == 13) {
            throw CannotMeasure("m is 13");
        }
        return {.of = asked, .time = {}, .values = {{"twice", 2 * asked.number("m")}}, .words = {}};
    }
};

/// What a back end answers to these lines, and the status that it ends with.
std::pair<std::string, int> served(MakeInstrument make, const std::string& asked) {
    int in[2], out[2];
    EXPECT_EQ(pipe(in) + pipe(out), 0);
    EXPECT_EQ(write(in[1], asked.data(), asked.size()), static_cast<ssize_t>(asked.size()));
    close(in[1]);
    const int status = serve("test", make, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    std::string answer(65536, '\0');
    const ssize_t size = read(out[0], answer.data(), answer.size());
    close(out[0]);
    answer.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return {answer, status};
}

TEST(Exchange, ABackEndAnswersEveryCaseInOrderAndFailuresDoNotEndIt) {
    Case good = product();
    Case bad = product();
    bad.parameters["m"] = 13.0;
    const auto [answer, status] =
        served([](const Settings&) -> std::unique_ptr<Instrument> { return std::make_unique<Doubling>(); },
               to_line(Settings{}) + "\n" + to_line(bad) + "\n" + to_line(good) + "\n");
    EXPECT_EQ(status, 0);
    std::vector<Record> records;
    for (std::size_t at = 0; at < answer.size(); at = answer.find('\n', at) + 1) {
        records.push_back(record_from(answer.substr(at, answer.find('\n', at) - at), {}));
    }
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(std::get<Environment>(records[0].what).facts.at("device"), "a table");
    EXPECT_EQ(std::get<Failure>(records[1].what).why, "m is 13");
    EXPECT_EQ(std::get<Measurement>(records[2].what).values.at("twice"), 1024);
    EXPECT_EQ(records[2].backend, "test");
}

TEST(Exchange, WhatIsMissingIsSaidWithStatusThree) {
    const auto [answer, status] = served(
        [](const Settings&) -> std::unique_ptr<Instrument> {
            throw InstrumentMissing({.why = "there is no NVIDIA driver", .help = "install it"});
        },
        to_line(Settings{}) + "\n");
    EXPECT_EQ(status, 3);
    EXPECT_EQ(std::get<Lacking>(record_from(answer, {}).what).why, "there is no NVIDIA driver");
}

TEST(Exchange, SettingsAreReadAsTheyWereWritten) {
    const Settings read =
        settings_from(to_line(Settings{.pass = Pass::counters, .quick = true, .most_seconds = 0.5, .seed = 7}), {});
    EXPECT_EQ(read.pass, Pass::counters);
    EXPECT_TRUE(read.quick);
    EXPECT_EQ(read.most_seconds, 0.5);
    EXPECT_EQ(read.seed, 7u);
}

}  // namespace record_test
}  // namespace dodona::calibrate
