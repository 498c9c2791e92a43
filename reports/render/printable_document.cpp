#include "reports/render/printable_document.hpp"

#include "base/printable.hpp"

namespace dodona::reports {

namespace {

struct MakePrintable {
    static void text(std::string& of) { of = printable(of); }
    static void texts(std::vector<std::string>& all) {
        for (std::string& one : all) {
            text(one);
        }
    }
    static void value(Value& of) {
        if (auto* words = std::get_if<std::string>(&of)) {
            text(*words);
        } else if (auto* rate = std::get_if<Rate>(&of)) {
            text(rate->of);
        } else if (auto* cost = std::get_if<Cost>(&of)) {
            text(cost->currency);
        }
    }
    static void cell(Cell& of) {
        value(of.value);
        if (of.interval) {
            value(of.interval->lo);
            value(of.interval->hi);
        }
    }
    static void cells(std::vector<Cell>& all) {
        for (Cell& one : all) {
            cell(one);
        }
    }

    void operator()(Headline& block) const { text(block.text); }
    void operator()(Paragraph& block) const { text(block.text); }
    void operator()(Note& block) const { text(block.text); }
    void operator()(Section& block) const { text(block.title); }
    void operator()(List& block) const { texts(block.items); }
    void operator()(Code& block) const { texts(block.lines); }
    void operator()(KeyFigures& block) const {
        for (KeyFigure& figure : block.figures) {
            text(figure.label);
            cell(figure.value);
            text(figure.note);
        }
    }
    void operator()(Table& block) const {
        for (Column& column : block.columns) {
            text(column.title);
        }
        for (std::vector<Cell>& row : block.rows) {
            cells(row);
        }
    }
    void operator()(StackedBar& block) const {
        text(block.title);
        for (BarPart& part : block.parts) {
            text(part.component);
            text(part.label);
        }
    }
    void operator()(Chart& block) const {
        for (std::string* title : {&block.title, &block.x_title, &block.y_title}) {
            text(*title);
        }
        cells(block.x);
        for (Series& series : block.series) {
            text(series.component);
            text(series.label);
            text(series.like);
            cells(series.points);
        }
        if (block.level) {
            text(block.level->label);
            cell(block.level->value);
        }
    }
    void operator()(TimelineChart& block) const {
        text(block.title);
        texts(block.rows);
        for (TimelineBar& bar : block.bars) {
            text(bar.component);
            text(bar.label);
        }
    }
};

}  // namespace

std::vector<Block> printable_blocks(const Document& document) {
    std::vector<Block> blocks = document.blocks;
    for (Block& block : blocks) {
        std::visit(MakePrintable{}, block);
    }
    return blocks;
}

}  // namespace dodona::reports
