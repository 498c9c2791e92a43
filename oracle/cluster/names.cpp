#include "base/check.hpp"
#include "cluster/cluster.hpp"

namespace dodona::cluster {

namespace {

template <typename Choices>
auto find(const Choices& choices, std::string_view text) -> std::optional<typename Choices::value_type> {
    for (const auto choice : choices) {
        if (name(choice) == text) {
            return choice;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view name(LevelKind kind) {
    switch (kind) {
        case LevelKind::switched: return "switch";
        case LevelKind::all_to_all: return "all-to-all";
        case LevelKind::ring: return "ring";
        case LevelKind::fat_tree: return "fat-tree";
        case LevelKind::rail: return "rail";
        case LevelKind::bus: return "bus";
        case LevelKind::torus: return "torus";
        case LevelKind::dragonfly: return "dragonfly";
    }
    throw InternalError("a kind of level without a name");
}

std::string_view name(Routing routing) {
    switch (routing) {
        case Routing::minimal: return "minimal";
        case Routing::valiant: return "valiant";
        case Routing::adaptive: return "adaptive";
    }
    throw InternalError("a routing without a name");
}

std::string_view name(ParameterServers::Place place) {
    switch (place) {
        case ParameterServers::Place::device: return "device";
        case ParameterServers::Place::host: return "host";
        case ParameterServers::Place::nodes: return "nodes";
    }
    throw InternalError("a place of parameter servers without a name");
}

std::string_view name(Wiring wiring) {
    switch (wiring) {
        case Wiring::any: return "switch";
        case Wiring::pairs: return "pairs";
        case Wiring::ring: return "ring";
    }
    throw InternalError("a wiring without a name");
}

std::string_view name(Collective collective) {
    switch (collective) {
        case Collective::all_reduce: return "all-reduce";
        case Collective::all_gather: return "all-gather";
        case Collective::reduce_scatter: return "reduce-scatter";
        case Collective::all_to_all: return "all-to-all";
        case Collective::send: return "send";
        case Collective::halo: return "halo";
    }
    throw InternalError("a collective without a name");
}

std::string_view name(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::ring: return "ring";
        case Algorithm::tree: return "tree";
        case Algorithm::double_tree: return "double-tree";
        case Algorithm::hierarchical: return "hierarchical";
        case Algorithm::direct: return "direct";
        case Algorithm::torus: return "torus";
        case Algorithm::in_network: return "in-network";
        case Algorithm::parameter_server: return "parameter-server";
    }
    throw InternalError("an algorithm without a name");
}

std::optional<Algorithm> algorithm_from(std::string_view text) { return find(kAlgorithms, text); }

}  // namespace dodona::cluster
