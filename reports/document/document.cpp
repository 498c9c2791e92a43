#include "reports/document/document.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::reports {

namespace {

struct IsEmpty {
    bool operator()(const Headline& block) const { return block.text.empty(); }
    bool operator()(const Paragraph& block) const { return block.text.empty(); }
    bool operator()(const KeyFigures& block) const { return block.figures.empty(); }
    bool operator()(const Table& block) const { return block.rows.empty(); }
    bool operator()(const StackedBar& block) const {
        return none_of(block.parts, [](const BarPart& part) { return part.amount > 0; });
    }
    bool operator()(const List& block) const { return block.items.empty(); }
    bool operator()(const Chart& block) const { return block.x.empty(); }
    bool operator()(const TimelineChart& block) const { return block.bars.empty(); }
    bool operator()(const Code& block) const { return block.lines.empty(); }
    bool operator()(const Note& block) const { return block.text.empty(); }
    bool operator()(const Section& block) const { return block.title.empty(); }
};

}  // namespace

bool is_empty(const Block& block) { return std::visit(IsEmpty{}, block); }

void Table::row(std::vector<Cell> cells) {
    check(cells.size() == columns.size(), "a table row needs one cell a column");
    rows.push_back(std::move(cells));
}

void set_asked(Document& document, const std::string& model, const std::string& machine, std::int64_t devices) {
    document.asked = {{"model", model}, {"machine", machine}, {"gpus", devices < 1 ? Record() : Record(devices)}};
}

std::span<const Record> rows_of(const Document& document) {
    return document.rows ? std::span<const Record>(*document.rows) : std::span<const Record>(&document.record, 1);
}

void add(Document& document, Block block) {
    if (!is_empty(block)) {
        document.blocks.push_back(std::move(block));
    }
}

void add_section(Document& document, Section section, std::vector<Block> blocks) {
    if (std::all_of(blocks.begin(), blocks.end(), is_empty)) {
        return;
    }
    document.blocks.emplace_back(std::move(section));
    append(document.blocks, blocks);
}

}  // namespace dodona::reports
