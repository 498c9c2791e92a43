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

struct Small {
    Bytes memory;
    Kind kind = Kind::fast;
    std::optional<Kind> other;
    std::string note;
    std::vector<Part> parts;
};

}  // namespace dodona::questions::described_test

namespace dodona::files {

using questions::described_test::Part;
using questions::described_test::Small;

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
            required<&Small::parts>("parts", "", {.rows = true, .none = "there is one"})}};
    return described;
}

}  // namespace dodona::files

namespace dodona::questions::described_test {
namespace {

using reports::json_line;

TEST(Described, AnswerIsItsMembersInBaseUnits) {
    const reports::Document document = answer_document(
        Small{.memory = 2_GB, .kind = Kind::slow, .other = {}, .note = {}, .parts = {{"a", 4}, {"b", {}}}});
    EXPECT_EQ(json_line(document.record), R"({"schema":"dodona/small/1","memory_bytes":2000000000,"kind":"slow",)"
                                          R"("other":null,"note":null,"share":0.5,)"
                                          R"("parts":[{"name":"a","gpus":4},{"name":"b","gpus":null}]})");
    ASSERT_TRUE(document.rows);
    ASSERT_EQ(document.rows->size(), 2U);
    EXPECT_EQ(json_line(document.rows->at(1)), R"({"name":"b","gpus":null})");
}

TEST(Described, SchemaSaysTypesUnitsRangesAndWhatMayBeNull) {
    EXPECT_EQ(
        json_line(answer_schema(files::description<Small>())),
        R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"dodona/small/1: the answer of dodona small",)"
        R"("description":"A test.","type":"object","properties":{"schema":{"const":"dodona/small/1"},)"
        R"("memory_bytes":{"type":"number","minimum":0,"description":"of a GPU"},"kind":{"enum":["fast","slow"]},)"
        R"("other":{"enum":["fast","slow",null]},"note":{"type":["string","null"]},)"
        R"("share":{"type":["number","null"],"exclusiveMinimum":0,"maximum":1},)"
        R"("parts":{"type":"array","minItems":1,"items":{"type":"object","properties":{"name":{"type":"string"},)"
        R"("gpus":{"type":["integer","null"],"minimum":1,"description":"all"}},"required":["name","gpus"],)"
        R"("additionalProperties":false}}},)"
        R"("required":["memory_bytes","kind","other","note","share","parts","schema"],"additionalProperties":false})");
}

}  // namespace
}  // namespace dodona::questions::described_test
