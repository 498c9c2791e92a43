#include "cli/goals.hpp"

#include "cli/files.hpp"
#include "cli/question.hpp"

namespace dodona::cli {

namespace {

struct OnePrice {
    std::optional<files::Rate> price;
};

const files::Description& one_price() {
    static const files::Description described{.noun = "price",
                                              .summary = "",
                                              .keys = {files::optional_as<&OnePrice::price>(
                                                  files::optional_type<files::Rate>(files::rate_type()), "price", "")}};
    return described;
}

}  // namespace

std::optional<cluster::Price> read_price(Arguments& arguments) {
    OnePrice one;
    read_options(arguments, one_price(), &one);
    return one.price ? std::optional(cluster::Price{one.price->money, one.price->currency, ""}) : std::nullopt;
}

void resolve_machines(questions::GoalOptions& options) {
    for (questions::MachinePrice& price : options.prices) {
        if (const auto meant = library().resolve_alias(files::NameOf::cluster, price.machine)) {
            price.machine = meant->name;
        }
    }
}

}  // namespace dodona::cli
