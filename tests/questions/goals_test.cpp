// Questions about many plans without words of a command line: options from documents by their tables, complete or refused with
// all that is wrong.
#include "questions/goals.hpp"

#include <variant>

#include <gtest/gtest.h>

#include "files/read_description.hpp"
#include "questions/goodput/goodput.hpp"
#include "questions/largest/largest.hpp"
#include "questions/size/size.hpp"

namespace dodona::questions::goals_test {
namespace {

template <class Options>
Options options_in(const std::string& text) {
    return files::read_file<Options>(files::parse_document(text, "question"));
}

std::vector<std::string> options_of(const Faults& faults) {
    std::vector<std::string> options;
    for (const Fault& fault : faults) {
        options.push_back(fault.option);
    }
    return options;
}

TEST(GoalOptions, AreReadFromADocumentByTheirTable) {
    const auto options = options_in<size::Options>(
        "{tokens: 15e12, deadline: 30 d, budget: 1e6 USD, price: {box: 2.5 USD/h, crate: 4 USD/h}, find: cheapest}");
    EXPECT_EQ(options.goals.tokens, 15e12);
    EXPECT_EQ(options.goals.deadline, 30 * unit::day);
    EXPECT_EQ(options.goals.budget->money, 1e6 * unit::money);
    EXPECT_EQ(options.goals.budget->currency, "USD");
    ASSERT_EQ(options.goals.prices.size(), 2U);
    EXPECT_EQ(options.goals.prices[1].machine, "crate");
    EXPECT_EQ(options.goals.prices[1].price.money, 4 * unit::money / unit::hour);
    EXPECT_EQ(options.find, search::Find::cheapest);
    EXPECT_THROW(options_in<size::Options>("{budget: 1e6}"), InputError);
    EXPECT_THROW(options_in<size::Options>("{find: best}"), InputError);
    EXPECT_THROW(options_in<largest::Options>("{find: fewest}"), InputError) << "it is no option of largest";
    EXPECT_EQ(options_in<largest::Options>("{step: 16, samples: 1000}").step, 16);
}

TEST(GoalOptions, ContradictEachOther) {
    EXPECT_TRUE(contradictions({}).empty());
    GoalOptions options{.tokens = 1, .epochs = 1, .tokens_per_second = 1, .samples_per_second = 1};
    EXPECT_EQ(options_of(contradictions(options)), (std::vector<std::string>{"epochs", "samples_per_s"}));
    options = {.deadline = 1_s, .budget = files::Amount{1 * unit::money, "USD"}};
    EXPECT_EQ(options_of(contradictions(options)), (std::vector<std::string>{"deadline", "budget"}));
    options.samples = 1;
    EXPECT_TRUE(contradictions(options).empty());
}

TEST(Prices, TakeThePlaceOfThoseOfMachines) {
    const files::Rate cheap{2 * unit::money / unit::hour, "USD"};
    const files::Rate euros{2 * unit::money / unit::hour, "EUR"};
    const std::vector<NamedMachine> machines{{"box", {}}, {"crate", {}}};
    const auto faults_of = [&](std::vector<MachinePrice> prices) {
        Faults faults;
        static_cast<void>(priced(machines, {.prices = std::move(prices)}, faults));
        return faults.empty() ? std::string() : faults.front().message;
    };
    Faults none;
    EXPECT_EQ(priced(machines, {.prices = {{"crate", cheap}}}, none)[1].cluster.price->device, cheap.money);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(faults_of({{"", cheap}}), "which machine's price is it?");
    EXPECT_EQ(faults_of({{"crat", cheap}}), "\"crat\" is not asked about; did you mean \"crate\"?");
    EXPECT_EQ(faults_of({{"box", cheap}, {"box", cheap}}), "\"box\" has two prices");
    EXPECT_EQ(faults_of({{"box", cheap}, {"crate", euros}}), "the price of crate is in EUR, the price of box in USD");
}

TEST(GoodputOptions, AreReadFromADocumentByTheirTable) {
    using reliability::FailureUnit;
    const auto options = options_in<goodput::Options>(
        "{checkpoint_every: 500, checkpoint_mode: async, mtbf: {gpu: 3000 d/gpu}, spares: 0, repair: 1 d, power: 700 "
        "W}");
    EXPECT_EQ(options.every.steps, 500);
    EXPECT_EQ(options.mode, reliability::CheckpointMode::asynchronous);
    ASSERT_EQ(options.mtbf.size(), 1U);
    EXPECT_EQ(options.mtbf[0].name, "gpu");
    EXPECT_EQ(options.mtbf[0].rate.mtbf, 3000 * unit::day);
    EXPECT_EQ(options.mtbf[0].rate.unit, FailureUnit::device);
    EXPECT_EQ(options.spares, 0);
    EXPECT_TRUE(goodput::contradictions(options).empty());
    EXPECT_TRUE(options_in<goodput::Options>("{checkpoint_every: epoch}").every.epoch);
    EXPECT_EQ(options_in<goodput::Options>("{checkpoint_every: 30 min}").every.time, 1800_s);
    EXPECT_THROW(options_in<goodput::Options>("{mtbf: {gpu: 3000 d}}"), InputError);
    EXPECT_EQ(options_of(goodput::contradictions(options_in<goodput::Options>("{ratio: 0.5, runs: 1, spares: 2}"))),
              (std::vector<std::string>{"ratio", "spares", "runs"}));
}

}  // namespace
}  // namespace dodona::questions::goals_test
