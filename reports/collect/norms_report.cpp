#include "reports/collect/norms_report.hpp"

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

void add_norms(Document& document, const step::SplitNorms& norms) {
    document.record["norms"] = {{"tensors", norms.tensors}, {"ranks", norms.ranks},
                                {"all_s", norms.all},       {"most_of_a_rank_s", norms.most},
                                {"gather_s", norms.gather}, {"split_s", norms.split()}};
    const bool helps = norms.split() < norms.all;
    add_section(document, {"Norms of layers"},
                {List{{fmt::format("norms of {} take {} where every rank computes all, a kernel each",
                                   counted(norms.tensors, "tensor"), text(norms.all)),
                       fmt::format("each rank a part and an all-gather of the norms: {} and {}, {}", text(norms.most),
                                   text(norms.gather),
                                   helps ? fmt::format("{} less", text(norms.all - norms.split()))
                                         : fmt::format("{} more", text(norms.split() - norms.all)))}}});
}

}  // namespace dodona::reports
