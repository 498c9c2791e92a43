#include "files/traced/roles.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace dodona::files {

namespace {

class RoleFinder {
public:
    explicit RoleFinder(std::vector<TracedLayer>& layers) : layers_(layers), readers_(layers.size()) {
        for (std::size_t i = 0; i < layers.size(); ++i) {
            for (const std::size_t from : layers[i].from) {
                readers_[from].push_back(i);
            }
        }
    }

    void run() {
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            if (layers_[i].op == "attention") {
                around_attention(i);
            }
        }
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            if (is_product(i) && role_of(i).empty()) {
                before_activation(i);
            }
        }
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const bool is_head = layers_[i].op == "cross_entropy" && !layers_[i].from.empty();
            if (is_head && is_product(layers_[i].from[0]) && role_of(layers_[i].from[0]).empty()) {
                set(layers_[i].from[0], "role", "head");
            }
        }
    }

private:
    [[nodiscard]] bool is_product(std::size_t layer) const {
        return layers_[layer].op == "linear" && layers_[layer].result.size() == 2;
    }

    [[nodiscard]] std::string attribute(std::size_t layer, std::string_view key) const {
        for (const auto& [name, value] : layers_[layer].attributes) {
            if (name == key) {
                return value;
            }
        }
        return {};
    }

    [[nodiscard]] std::string role_of(std::size_t layer) const { return attribute(layer, "role"); }

    void set(std::size_t layer, const std::string& key, const std::string& value) {
        auto& attributes = layers_[layer].attributes;
        if (attribute(layer, key).empty()) {
            attributes.insert(key == "role" ? attributes.begin() : attributes.end(), {key, value});
        }
    }

    /// The product that an input of attention comes from, through rotations and norms of heads.
    std::optional<std::size_t> source(std::size_t layer) {
        while (layers_[layer].op == "rotary" || layers_[layer].op == "rms_norm" || layers_[layer].op == "layer_norm") {
            if (readers_[layer].size() != 1) {
                return std::nullopt;
            }
            if (layers_[layer].op == "rotary") {
                set(layer, "role", "heads");
            }
            layer = layers_[layer].from[0];
        }
        const bool is_own = is_product(layer) && readers_[layer].size() == 1;
        return is_own ? std::optional(layer) : std::nullopt;
    }

    void around_attention(std::size_t attention) {
        const std::int64_t heads = std::atoll(attribute(attention, "heads").c_str());
        const std::string given = attribute(attention, "kv_heads");
        const std::int64_t key_heads = given.empty() ? heads : std::atoll(given.c_str());
        const TracedLayer& layer = layers_[attention];
        for (std::size_t i = 0; i < layer.from.size(); ++i) {
            const auto product = source(layer.from[i]);
            if (!product) {
                continue;
            }
            const std::int64_t ways = layer.from.size() == 1 || i > 0 ? key_heads : heads;
            set(*product, "role", "column");
            set(*product, "unit", std::to_string(layers_[*product].result.back().extent / ways));
            if (i > 0 && key_heads != heads) {
                set(*product, "replicates", "true");
            }
        }
        if (readers_[attention].size() == 1 && is_product(readers_[attention][0])) {
            set(readers_[attention][0], "role", "row");
            set(readers_[attention][0], "in_unit", std::to_string(layer.result.back().extent / heads));
        }
    }

    /// A product whose result goes through an activation into another product.
    void before_activation(std::size_t product) {
        constexpr std::array<std::string_view, 9> kBetween{"relu",    "gelu",         "silu",     "gated",  "tanh",
                                                           "sigmoid", "relu_squared", "multiply", "dropout"};
        std::size_t at = product;
        bool has_activation = false;
        while (readers_[at].size() == 1) {
            at = readers_[at][0];
            if (std::find(kBetween.begin(), kBetween.end(), layers_[at].op) == kBetween.end()) {
                break;
            }
            has_activation = true;
        }
        const bool is_pair = has_activation && is_product(at) && (role_of(at).empty() || role_of(at) == "row");
        if (is_pair) {
            set(product, "role", "column");
            set(at, "role", "row");
        }
    }

    std::vector<TracedLayer>& layers_;
    std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace

void add_roles(std::vector<TracedLayer>& layers) { RoleFinder(layers).run(); }

}  // namespace dodona::files
