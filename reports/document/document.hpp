// A report before it has a format: an ordered list of blocks for people, and a record for machines. A command computes
// its answer, one function of reports/collect makes the document, one of reports/render prints it. Renderers compute
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/document/record.hpp"
#include "reports/document/value.hpp"

namespace dodona::reports {

/// The answer in one line.
struct Headline {
    std::string text;
};

/// `good` and `bad`: whether something fits.
enum class Tone { plain, good, bad };

struct Paragraph {
    std::string text;
    Tone tone = Tone::plain;
};

/// A number that the reader came for: "step time  10.0 s (90 % interval 9.00 to 12.5 s)".
struct KeyFigure {
    std::string label;
    Cell value;
    std::string note;  ///< continues the value: "of 80.0 GiB"; may be empty
    Tone tone = Tone::plain;
};

struct KeyFigures {
    std::vector<KeyFigure> figures;
};

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
    bool detail = false;  ///< left out where room is scarce, as on a terminal
};

struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
    std::size_t brief_rows = 0;  ///< the first, shown where room is scarce; 0: all

    explicit Table(std::vector<Column> titles) : columns(std::move(titles)) {}
    /// As many cells as there are columns.
    void row(std::vector<Cell> cells);
    [[nodiscard]] bool empty() const { return rows.empty(); }
};

/// One part of a stacked bar. The component is a key of component_colours.hpp: one colour for it in every report.
struct BarPart {
    std::string component;
    std::string label;
    double amount = 0;
};

struct StackedBar {
    std::string title;
    std::vector<BarPart> parts;  ///< in order; their amounts and `whole` are of one unit
    double whole = 0;            ///< the full width, and what percentages are of
    bool detail = false;         ///< left out where room is scarce, since a table says the same
};

struct List {
    std::vector<std::string> items;
};

/// How a series is drawn.
enum class Stroke {
    solid,
    dashed,  ///< a reference, such as ideal scaling
    none,    ///< points alone, such as measurements
};

/// Values over x; points have intervals where they are known.
struct Series {
    std::string label;
    std::string component;  ///< as of BarPart; may be empty
    std::vector<Cell> points;
    Stroke stroke = Stroke::solid;
    std::string like = {};  ///< label of the series whose colour it has; may be empty
};

enum class ChartForm {
    table,    ///< not drawn
    lines,    ///< series over x
    stacked,  ///< series on top of each other at each x: one bar an x
};

/// A horizontal line, such as a capacity.
struct Level {
    std::string label;
    Cell value;
};

struct Chart {
    std::string title;
    std::string x_title;
    std::vector<Cell> x;
    std::vector<Series> series;  ///< each with as many points as x
    bool logarithmic = false;    ///< both axes
    ChartForm form = ChartForm::table;
    std::string y_title = {};
    std::optional<Level> level = {};
    std::string name = {};  ///< of its file: "strong-scaling"
};

/// One bar of a timeline, on one of its rows.
struct TimelineBar {
    std::size_t row = 0;
    std::string component;  ///< as of BarPart
    std::string label;
    Seconds start;
    Seconds duration;
};

/// What runs when: rows over time. Bars of a row do not overlap.
struct TimelineChart {
    std::string title;
    std::vector<std::string> rows;
    std::vector<TimelineBar> bars;
    Seconds end;
    std::string name = {};  ///< of its file
};

/// Commands ready to paste into a shell, one a line.
struct Code {
    std::vector<std::string> lines;
};

/// A remark on what stands above it. One of `detail` is left out where room is scarce.
struct Note {
    std::string text;
    bool detail = false;
};

/// Starts a section, which ends where the next one starts. One of `detail` is left out where room is scarce.
struct Section {
    std::string title;
    bool detail = false;
};

using Block =
    std::variant<Headline, Paragraph, KeyFigures, Table, StackedBar, List, Chart, TimelineChart, Code, Note, Section>;

struct Document {
    std::vector<Block> blocks;
    Record record;  ///< all of the answer
    /// Model, machine and number of GPUs: what each row of a table of answers starts with. May be null.
    Record asked;
    /// What a table of the answer has in its rows. Absent: the record itself is the only row.
    std::optional<std::vector<Record>> rows;
};

/// What was asked about; `devices` below 1: several numbers.
void set_asked(Document& document, const std::string& model, const std::string& machine, std::int64_t devices);

/// The rows, or the record as the only one.
std::span<const Record> rows_of(const Document& document);

/// Adds the block unless it is empty.
void add(Document& document, Block block);

/// Adds the section with its blocks, unless all of them are empty.
void add_section(Document& document, Section section, std::vector<Block> blocks);

/// Whether a block shows nothing: a table without rows, a list without items, an empty text.
bool is_empty(const Block& block);

}  // namespace dodona::reports
