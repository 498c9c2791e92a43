// What users' files and command lines are called or hold is shown, in every format, and never obeyed.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../cases.hpp"
#include "base/diagnostic.hpp"
#include "questions/report/report.hpp"
#include "reports/render/json.hpp"
#include "reports/render/json_reader.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports::testing {
namespace injection_test {

constexpr const char* kTerminal =
    "\x1b]0;title\x07 \xC2\x9B"
    "31m \xE2\x80\xAE"
    "desrever\x7f";
constexpr const char* kMarkup = "<img src=x onerror=alert(1)> a\\|b [x](javascript:y) =1+1";

/// A document with a text in every place that has one.
Document document_of(const std::string& text) {
    Document document;
    Table table({{text}, {"number", Align::right}});
    table.row({text, Count{1}});
    Chart chart{.title = text, .x_title = text, .x = {Count{1}, Count{2}}, .series = {}, .form = ChartForm::lines};
    chart.series = {{.label = text, .component = text, .points = {Number{1}, Number{2}}}};
    chart.level = Level{text, Number{1}};
    document.blocks = {Headline{text},
                       Paragraph{text},
                       KeyFigures{{{.label = text, .value = text, .note = text}}},
                       table,
                       StackedBar{.title = text, .parts = {{text, text, 1.0}}, .whole = 1},
                       TimelineChart{.title = text,
                                     .rows = {text},
                                     .bars = {{0, text, text, Seconds{}, unit::second}},
                                     .end = unit::second,
                                     .name = "step"},
                       List{{text}},
                       chart,
                       Code{{text}},
                       Section{text},
                       Note{text}};
    document.record = Record{{"name", text}, {"list", Record::List{Record(text), Record(text)}}};
    return document;
}

std::string rendered(std::string_view format, const std::string& text) {
    return renderer_named(format)->render(document_of(text), {});
}

std::vector<std::string> obeyed_in(const std::string& shown) {
    std::vector<std::string> all;
    for (const char* obeyed : {"\x1b", "\x07", "\xC2\x9B", "\xE2\x80\xAE", "\x7f"}) {
        if (shown.find(obeyed) != std::string::npos) {
            all.emplace_back(obeyed);
        }
    }
    return all;
}

/// The pointers to all texts of a JSON value.
void find_texts(const nlohmann::json& value, const nlohmann::json::json_pointer& at,
                std::vector<nlohmann::json::json_pointer>& found) {
    if (value.is_string()) {
        found.push_back(at);
    } else if (value.is_object()) {
        for (const auto& [key, child] : value.items()) {
            find_texts(child, at / key, found);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            find_texts(value[i], at / i, found);
        }
    }
}

TEST(Injection, OfEachTextOfAReportIsShownOrRefused) {
    const nlohmann::json whole = nlohmann::json::parse(
        cases::content(std::filesystem::path(std::getenv("DODONA_SOURCE")) / "tests/reports/golden/report.json"));
    std::vector<nlohmann::json::json_pointer> texts;
    find_texts(whole, nlohmann::json::json_pointer(), texts);
    EXPECT_GT(texts.size(), 50U);
    for (const auto& at : texts) {
        nlohmann::json changed = whole;
        changed[at] = kTerminal;
        try {
            const Report report = report_from(record_of_json(changed.dump(), kTerminal), kTerminal);
            const Document document = questions::report::document(report);
            for (const Renderer& renderer : renderers()) {
                EXPECT_TRUE(obeyed_in(renderer.render(document, {})).empty())
                    << renderer.name << ", " << at.to_string();
            }
        } catch (const InputError& error) {
            EXPECT_TRUE(obeyed_in(error.what()).empty()) << at.to_string();
        }
    }
}

class EveryFormat : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFormat, ShowsWhatATerminalWouldObey) {
    const std::string shown = rendered(GetParam(), kTerminal);
    EXPECT_TRUE(obeyed_in(shown).empty()) << GetParam() << ": " << ::testing::PrintToString(obeyed_in(shown));
    EXPECT_NE(shown.find("desrever"), std::string::npos) << shown;
}

INSTANTIATE_TEST_SUITE_P(Renderers, EveryFormat, ::testing::Values("text", "md", "html", "csv", "json", "ndjson"));

TEST(Injection, OfJsonReadsBackTheSame) {
    EXPECT_EQ(nlohmann::json::parse(rendered("json", kTerminal))["name"], kTerminal);
    const std::string tag = "\xF3\xA0\x80\xA1";  // U+E0021, a pair of surrogates
    EXPECT_EQ(nlohmann::json::parse(rendered("json", tag))["name"], tag);
}

// Found by tests/fuzz/run: 1E311 was a fault of ours, 2^64 - 1 became -1, and brackets filled the stack.
TEST(Injection, OfJsonIsReadOrRefused) {
    const auto refusal = [](const std::string& json) {
        try {
            static_cast<void>(record_of_json(json, "it.json"));
        } catch (const InputError& error) {
            return error.diagnostics().front().message;
        }
        return std::string();
    };
    EXPECT_EQ(refusal("{\"step\": 1E311}"), "a number that is too large");
    EXPECT_EQ(refusal(std::string(100'000, '[') + std::string(100'000, ']')), "nested more than 64 deep");
    EXPECT_EQ(json_line(record_of_json("18446744073709551615", "it.json")), "1.8446744073709552e+19");
    EXPECT_EQ(json_line(record_of_json("9223372036854775807", "it.json")), "9223372036854775807");
}

TEST(Injection, OfHtmlIsText) {
    const std::string page = rendered("html", kMarkup);
    EXPECT_EQ(page.find("<img src=x"), std::string::npos);
    EXPECT_NE(page.find("&lt;img src=x onerror=alert(1)&gt;"), std::string::npos);
}

TEST(Injection, OfMarkdownIsText) {
    std::string page = rendered("md", kMarkup);
    EXPECT_NE(page.find("| \\<img src=x onerror=alert(1)> a\\\\\\|b [x\\](javascript:y) =1+1 |"), std::string::npos)
        << page;
    page.erase(page.find("```sh"), page.find("```\n") - page.find("```sh"));
    EXPECT_EQ(page.find(" <img"), std::string::npos) << page;
    EXPECT_EQ(page.find("x]("), std::string::npos) << page;
    EXPECT_NE(rendered("md", "data <= 512 [1..12]/gated").find("data <= 512 [1..12]/gated"), std::string::npos);
}

// A command of a file whose name has a fence of its own.
TEST(Injection, NoLineOfCodeEndsItsBlockInMarkdown) {
    const std::string page = rendered("md", "dodona plan './a\n```\n<img src=x>\n````.yaml'");
    const std::size_t begin = page.find("`````sh\n");
    ASSERT_NE(begin, std::string::npos) << page;
    const std::size_t end = page.find("\n`````\n", begin);
    ASSERT_NE(end, std::string::npos) << page;
    EXPECT_NE(page.substr(begin, end - begin).find("\n<img src=x>\n"), std::string::npos) << page;
    EXPECT_NE(rendered("md", "ls").find("```sh\nls\n```\n"), std::string::npos);
}

TEST(Injection, OfCsvIsNoFormula) {
    for (const char* formula : {"=1+1", "+1", "-1+cmd", "@SUM(A1)", "\t=1"}) {
        const std::string csv = rendered("csv", formula);
        const std::string row = csv.substr(csv.find('\n') + 1);
        EXPECT_TRUE(row.starts_with("'") || row.starts_with("\"'")) << row;
    }
    EXPECT_NE(rendered("csv", "plain").find("\nplain,"), std::string::npos);
    EXPECT_NE(rendered("csv", "-1e-3").find("\n-1e-3,"), std::string::npos) << "a number";
}

}  // namespace injection_test
}  // namespace dodona::reports::testing
