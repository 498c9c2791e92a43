#include "cli/interactive_form.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "build_config.hpp"
#include "cli/arguments.hpp"
#include "cli/built_parts.hpp"
#include "cli/data_folder.hpp"
#include "cli/files.hpp"
#include "cli/missing.hpp"
#include "reports/render/gzip.hpp"
#include "reports/render/html.hpp"
#include "reports/render/json.hpp"

namespace dodona::cli {

namespace {

constexpr std::array kModule{"dodona.js", "dodona.wasm"};
constexpr std::array kBuiltPage{"explorer.html"};

/// The search as a page carries it: packed.
struct PackedModule {
    std::string worker, code;
};

std::string packed(const std::string& content) { return reports::base64(reports::gzipped(content)); }

std::vector<std::string> found_parts(std::span<const char* const> names) {
    return built_parts({.variable = "DODONA_EXPLORER_MODULE", .folder = "explorer", .names = names});
}

/// A part of a page that `dodona explorer` wrote: what ask.html has under that id. Empty where that is nothing packed.
std::string packed_part(const std::string& page, std::string_view id) {
    const std::string begin = fmt::format("<script type=\"text/plain\" id=\"dodona-{}\">", id);
    const std::size_t at = page.find(begin);
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t from = at + begin.size();
    const std::string part = page.substr(from, page.find('<', from) - from);
    const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    return part.find_first_not_of(letters) == std::string::npos ? part : "";
}

/// The search of a release's page, found where the module would be: for a page with another question and other files.
std::optional<PackedModule> module_of_page() {
    const std::vector<std::string> pages = found_parts(kBuiltPage);
    if (pages.empty()) {
        return {};
    }
    PackedModule module{packed_part(pages[0], "worker"), packed_part(pages[0], "module")};
    if (module.worker.empty() || module.code.empty()) {
        throw Missing("explorer.html next to dodona is no page of `dodona explorer`; take that of the release");
    }
    if (pages[0].find(fmt::format("content=\"dodona {}\"", kVersion)) == std::string::npos) {
        throw Missing(fmt::format(
            "explorer.html next to dodona is of another version; the search of this page must be that of dodona {}",
            kVersion));
    }
    return module;
}

PackedModule packed_module() {
    if (const std::vector<std::string> parts = found_parts(kModule); !parts.empty()) {
        return {packed(parts[0] + page_part("ask.js") + page_part("worker.js")), packed(parts[1])};
    }
    if (auto module = module_of_page()) {
        return std::move(*module);
    }
    throw Missing(
        "a page to ask in needs the search as WebAssembly, which this build has not got; put explorer.html of the "
        "release into the folder explorer next to dodona; or install Emscripten (apt-get install emscripten), then the "
        "same command through `./dodona` of a source tree builds it, in some minutes");
}

}  // namespace

void set_model(FormOpening& opening, const std::string& name) {
    opening.subject.model = name;
    opening.question["model"] = model_in_module(name);
}

void set_machine(FormOpening& opening, const std::string& name) {
    opening.subject.machine = name;
    opening.question["machine"] = files::is_path(name) ? place_in_module(name, kMachines) : name;
}

reports::Record asked_options(const std::vector<std::pair<std::string, std::string>>& given) {
    std::map<std::string, reports::Record::List> values;
    reports::Record options = reports::no_fields();
    for (const auto& [option, value] : given) {
        const std::string name = option.substr(2);
        if (const std::size_t equals = value.find('='); name == "set" || name == "adjust") {
            options[name][value.substr(0, equals)] = value.substr(equals + 1);
        } else if (name == "fixed") {
            for (const std::string& part : between_commas(value)) {
                values[name].emplace_back(part);
            }
        } else {
            values[name].emplace_back(value);
        }
    }
    for (const auto& [name, all] : values) {
        options[name] = all.size() == 1 && name != "fixed" ? all.front() : reports::Record(all);
    }
    return options;
}

void require_module() { packed_module(); }

std::string page_part(const char* name) {
    const std::filesystem::path path = data_folder() / "explorer/page" / name;
    constexpr std::size_t kMax = std::size_t{1} << 20;
    return read_file(path, path.generic_string(), {}, kMax);
}

void put(std::string& page, std::string_view name, const std::string& text) {
    const std::string mark = fmt::format("@{}@", name);
    page.replace(page.find(mark), mark.size(), text);
}

std::string interactive_form(const FormOpening& opening, bool folded) {
    const PackedModule module = packed_module();
    std::string form = page_part("form.html");
    if (folded) {
        std::string frame = page_part("folded.html");
        put(frame, "form", form);
        form = std::move(frame);
    }
    std::string page = page_part("ask.html");
    put(page, "style", page_part("ask.css"));
    put(page, "form", form);
    put(page, "question", packed(reports::json_line(opening.question)));
    put(page, "data", packed(reports::json_line(explorer_data(opening.subject))));
    put(page, "worker", module.worker);
    put(page, "module", module.code);
    put(page, "script", page_part("page.js"));
    return page;
}

}  // namespace dodona::cli
