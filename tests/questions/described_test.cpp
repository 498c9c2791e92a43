// What follows from the table of an answer: JSON, its schema, rows.
#include "questions/described.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reports/render/json.hpp"

namespace dodona::questions::described_test {

enum class Kind { fast, slow };
inline constexpr std::array kKindTable{Enumerator(Kind::fast, "fast", ""), Enumerator(Kind::slow, "slow", "")};
constexpr const auto& enumerators(Kind /*type*/) { return kKindTable; }

struct Part {
    std::string name;
    std::optional<std::int64_t> devices;
};

struct Times {
    Seconds mean;
    double share = 0;
};

struct Extra {
    std::optional<std::string> text;
    std::optional<Times> times;
};

struct Small {
    Bytes memory;
    Kind kind = Kind::fast;
    std::optional<Kind> other;
    std::string note;
    std::vector<Part> parts;
    Times times;
    Extra extra;
};

/// An answer with a Small in it.
struct Whole {
    std::string label;
    std::optional<Small> small;
};

}  // namespace dodona::questions::described_test

namespace dodona::files {

using questions::described_test::Extra;
using questions::described_test::Part;
using questions::described_test::Small;
using questions::described_test::Times;

constexpr TextForm kSmallLetters{.is = "a text", .pattern = "^[a-z]+$"};

template <>
const Description& description<Times>() {
    static const Description described{
        .noun = "times",
        .summary = "Seconds.",
        .keys = {required<&Times::mean>("mean", ""), required<&Times::share>("share", "")},
        .one_unit = true};
    return described;
}

template <>
const Description& description<Extra>() {
    static const Description described{
        .keys = {required<&Extra::text>("text", "", {.left_out = true, .form = &kSmallLetters}),
                 required<&Extra::times>("other_times", "where there are any")}};
    return described;
}

template <>
const Description& description<Part>() {
    static const Description described{
        .noun = "part",
        .keys = {required<&Part::name>("name", ""), required<&Part::devices>("gpus", "all", {.range = at_least(1)})}};
    return described;
}

template <>
const Description& description<Small>() {
    static const Description described{
        .noun = "small",
        .summary = "A test.",
        .keys = {
            required<&Small::memory>("memory", "of a GPU"), required<&Small::kind>("kind", ""),
            required<&Small::other>("other", ""), optional<&Small::note>("note", ""),
            questions::computed(
                "share", "", [](const Small& small) { return small.parts.empty() ? std::nullopt : std::optional(0.5); },
                {.range = kPositiveShare}),
            required<&Small::parts>("parts", "", {.rows = true, .none = "there is one"}),
            required<&Small::times>("times", "of a step"), required<&Small::extra>("extra", "", {.in_place = true})}};
    return described;
}

template <>
const Description& description<questions::described_test::Whole>() {
    using questions::described_test::Whole;
    static const Description described{
        .noun = "whole", .keys = {required<&Whole::label>("label", ""), required<&Whole::small>("small", "")}};
    return described;
}

}  // namespace dodona::files

namespace dodona::questions::described_test {
namespace {

using reports::json_line;

TEST(Described, AnswerIsItsMembersInBaseUnits) {
    const reports::Document document = answer_document(Small{.memory = 2_GB,
                                                             .kind = Kind::slow,
                                                             .other = {},
                                                             .note = {},
                                                             .parts = {{"a", 4}, {"b", {}}},
                                                             .times = {2_s, 0.5},
                                                             .extra = {}});
    EXPECT_EQ(json_line(document.record), R"({"schema":"dodona/small/1","memory_bytes":2000000000,"kind":"slow",)"
                                          R"("other":null,"note":null,"share":0.5,)"
                                          R"("parts":[{"name":"a","gpus":4},{"name":"b","gpus":null}],)"
                                          R"("times_s":{"mean":2,"share":0.5},"other_times_s":null})");
    ASSERT_TRUE(document.rows);
    ASSERT_EQ(document.rows->size(), 2U);
    EXPECT_EQ(json_line(document.rows->at(1)), R"({"name":"b","gpus":null})");
}

TEST(Described, RowsMayBeOfAPartOfTheAnswer) {
    const reports::Document document = answer_document(Whole{.label = "", .small = Small{.parts = {{"a", 4}}}});
    ASSERT_TRUE(document.rows);
    ASSERT_EQ(document.rows->size(), 1U);
    EXPECT_EQ(json_line(document.rows->front()), R"({"name":"a","gpus":4})");
    EXPECT_FALSE(answer_document(Whole{}).rows) << "the record is the only row";
}

TEST(Described, AnEmptyTextIsATextWhereItMayBe) {
    EXPECT_EQ(answer_document(Whole{}).record.at("label"), reports::Record(""));
    EXPECT_TRUE(answer_document(Small{}).record.at("note").is_null());
}

TEST(Described, KeyThatIsLeftOutIsThereWhereItHasAValue) {
    const reports::Document document = answer_document(Small{.extra = {.text = "a", .times = Times{1_s, 1}}});
    EXPECT_EQ(document.record.at("text"), reports::Record("a"));
    EXPECT_EQ(json_line(document.record.at("other_times_s")), R"({"mean":1,"share":1})");
}

TEST(Described, SchemaSaysTypesUnitsRangesAndWhatMayBeNull) {
    EXPECT_EQ(
        json_line(answer_schema(files::description<Small>())),
        R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"dodona/small/1: an answer of dodona",)"
        R"("description":"A test.","type":"object","properties":{"schema":{"const":"dodona/small/1"},)"
        R"("memory_bytes":{"type":"number","minimum":0,"description":"of a GPU"},"kind":{"enum":["fast","slow"]},)"
        R"("other":{"enum":["fast","slow",null]},"note":{"type":["string","null"]},)"
        R"("share":{"type":["number","null"],"exclusiveMinimum":0,"maximum":1},)"
        R"("parts":{"type":"array","minItems":1,"items":{"$ref":"#/definitions/part"}},)"
        R"("times_s":{"$ref":"#/definitions/times","description":"of a step"},)"
        R"("text":{"type":"string","pattern":"^[a-z]+$"},)"
        R"("other_times_s":{"anyOf":[{"type":"null"},{"$ref":"#/definitions/times"}],)"
        R"("description":"where there are any"}},)"
        R"("required":["memory_bytes","kind","other","note","share","parts","times_s","other_times_s","schema"],)"
        R"("additionalProperties":false,"definitions":{)"
        R"("part":{"type":"object","properties":{"name":{"type":"string"},)"
        R"("gpus":{"type":["integer","null"],"minimum":1,"description":"all"}},"required":["name","gpus"],)"
        R"("additionalProperties":false},)"
        R"("times":{"type":"object","properties":{"mean":{"type":"number","minimum":0},"share":{"type":"number"}},)"
        R"("required":["mean","share"],"additionalProperties":false,"description":"Seconds."}}})");
}

}  // namespace
}  // namespace dodona::questions::described_test
