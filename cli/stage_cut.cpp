#include "cli/stage_cut.hpp"

#include "cli/words.hpp"
#include "files/launch/stage_layout.hpp"

namespace dodona::cli {

AskedCut read_cut(Arguments& arguments) {
    const std::string typed = arguments.text("--cut").value_or("");
    if (typed.empty()) {
        return {};
    }
    if (typed.ends_with('L')) {
        files::Node layout;
        layout.kind = files::Node::Kind::scalar;
        layout.text = typed;
        layout.where = arguments.place("--cut");
        return {.cut = {}, .stages = files::read_layout(layout).layers};
    }
    if (typed.find_first_not_of("0123456789, ") == std::string::npos) {
        return {.cut = {}, .stages = arguments.counts("--cut", true)};
    }
    const auto word = arguments.word("--cut", value_names<search::Cut>());
    return {.cut = word ? value_of<search::Cut>(*word) : std::nullopt, .stages = {}};
}

}  // namespace dodona::cli
