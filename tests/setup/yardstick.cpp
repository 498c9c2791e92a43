// What bare_debian.sh measures the compiler with: standard headers and templates of the kind that Dodona is made of. It
// must stay as it is, or the figure in bare_debian.sh must be measured anew.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct Item {
    std::string name;
    std::variant<int, double, std::string, std::vector<int>> value;
    std::optional<std::shared_ptr<Item>> next;
};

template <int N>
double fold(const std::map<std::string, std::vector<double>>& all) {
    double sum = N;
    for (const auto& [name, values] : all) {
        std::vector<double> sorted = values;
        std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return a * N < b * N; });
        sum += sorted.empty() ? static_cast<double>(name.size()) : sorted[sorted.size() / 2];
    }
    return sum + fold<N - 1>(all);
}

template <>
double fold<0>(const std::map<std::string, std::vector<double>>&) {
    return 0;
}

}  // namespace

double yardstick(const std::map<std::string, std::vector<double>>& all, const std::string& text) {
    std::unordered_map<std::string, Item> items;
    const std::regex pattern("([a-z]+)=([0-9]+)");
    for (std::sregex_iterator found(text.begin(), text.end(), pattern), end; found != end; ++found) {
        items[(*found)[1]] = Item{(*found)[1], std::stoi((*found)[2]), std::nullopt};
    }
    std::function<double(const Item&)> weigh = [&](const Item& item) {
        return static_cast<double>(item.value.index()) + (item.next ? weigh(**item.next) : 0.0);
    };
    double sum = fold<24>(all);
    for (const auto& [name, item] : items) {
        sum += weigh(item) + static_cast<double>(name.size());
    }
    return sum;
}
