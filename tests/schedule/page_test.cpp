// The page on schedules: its pictures are played orders, its table has every schedule.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "scenes.hpp"

namespace dodona::schedule {
namespace page_test {

std::string page() {
    const char* const root = std::getenv("DODONA_SOURCE");
    const std::ifstream file(std::string(root == nullptr ? "." : root) + "/docs/schedules.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// One line for each stage, three letters for each unit of time, F = I = W = 1.
std::string picture(const Order& order) {
    const Played<double> run = test::played(order, test::Pass{1, 1, 1});
    std::string text;
    std::size_t at = 0;
    for (std::size_t s = 0; s < order.stages.size(); ++s) {
        std::string line(3 * static_cast<std::size_t>(run.makespan), ' ');
        for (std::size_t unit = 0; unit < line.size(); unit += 3) {
            line[unit] = '.';
        }
        for (const Task& task : order.stages[s]) {
            std::string cell = fmt::format("{}{}", name(task.kind), task.micro_batch);
            cell.resize(3 * static_cast<std::size_t>(run.end[at] - run.start[at]) - 1, '-');
            line.replace(3 * static_cast<std::size_t>(run.start[at]), cell.size(), cell);
            ++at;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += fmt::format("stage {}  {}\n", s, line);
    }
    return text;
}

TEST(Page, ShowsPlayedOrders) {
    for (const std::string_view name : {"1f1b", "zb-h1"}) {
        const std::string expected = picture(test::order_of(name, {4, 6, 1}));
        EXPECT_NE(page().find("```\n" + expected + "```\n"), std::string::npos)
            << "docs/schedules.md should show " << name << " as\n"
            << expected;
    }
}

TEST(Page, ListsEverySchedule) {
    for (const Schedule& schedule : schedules()) {
        EXPECT_NE(page().find(fmt::format("\n| `{}` |", schedule.name)), std::string::npos) << schedule.name;
    }
}

}  // namespace page_test
}  // namespace dodona::schedule
