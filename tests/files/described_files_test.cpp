// The reference says what the descriptions of files say, and every file that comes with Dodona holds its schema.
// DODONA_ACCEPT=1 rewrites the tables of docs/files.md.
#include <fstream>
#include <set>
#include <sstream>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "files/file_kinds.hpp"
#include "files/hf/family.hpp"
#include "files/launch/target.hpp"
#include "files/number.hpp"
#include "files/plan_file.hpp"
#include "files/run_conventions.hpp"
#include "files/schema.hpp"
#include "files/table_conventions.hpp"
#include "reading.hpp"
#include "reference_writer.hpp"

namespace dodona::files::testing {
namespace described_files_test {

namespace fs = std::filesystem;

fs::path root() { return here().parent_path().parent_path(); }
fs::path schemas() { return root() / "docs/schemas"; }

bool accepts() {
    const char* const accept = std::getenv("DODONA_ACCEPT");
    return accept != nullptr && std::string(accept) == "1";
}

std::string content(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

void expect_written(const fs::path& path, const std::string& text) {
    if (accepts()) {
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
    }
    EXPECT_EQ(content(path), text) << "DODONA_ACCEPT=1 rewrites " << path;
}

/// The schema of a kind of files: that of its description, or one by hand.
nlohmann::json schema_of(const std::string& kind) {
    for (const FileKind& described : file_kinds()) {
        if (described.name == kind) {
            return nlohmann::json::parse(schema(described.described));
        }
    }
    return nlohmann::json::parse(content(schemas() / (kind + ".schema.json")));
}

/// A file as a JSON document: scalars without quotes are what YAML takes them for.
nlohmann::json json_of(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null: return nullptr;
        case Node::Kind::list: {
            nlohmann::json list = nlohmann::json::array();
            for (const auto& item : node.items) {
                list.push_back(json_of(*item));
            }
            return list;
        }
        case Node::Kind::mapping: {
            nlohmann::json mapping = nlohmann::json::object();
            for (const Node::Member& member : node.members) {
                mapping[member.key] = json_of(*member.value);
            }
            return mapping;
        }
        case Node::Kind::scalar: break;
    }
    if (node.quoted) {
        return node.text;
    }
    if (node.text == "true" || node.text == "false") {
        return node.text == "true";
    }
    const auto whole = whole_from(node.text);
    if (const auto* const number = std::get_if<std::int64_t>(&whole)) {
        return *number;
    }
    const auto decimal = decimal_from(node.text);
    if (const auto* const number = std::get_if<double>(&decimal)) {
        return *number;
    }
    return node.text;
}

/// A published schema, and what it refers to.
class Published {
public:
    explicit Published(const std::string& kind) {
        const nlohmann::json text = schema_of(kind);
        valijson::SchemaParser().populateSchema(
            valijson::adapters::NlohmannJsonAdapter(text), schema_,
            [](const std::string& file) {
                const std::string name = fs::path(file).filename().string();  // KIND.schema.json
                return new nlohmann::json(schema_of(name.substr(0, name.find('.'))));
            },
            [](const nlohmann::json* document) { delete document; });
    }

    /// What is wrong with a document; empty: nothing.
    [[nodiscard]] std::string fault(const nlohmann::json& document) const {
        valijson::ValidationResults results;
        valijson::Validator().validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), &results);
        std::string text;
        valijson::ValidationResults::Error error;
        while (results.popError(error)) {
            for (const std::string& part : error.context) {
                text += part;
            }
            text += ": " + error.description + "\n";
        }
        return text;
    }
    [[nodiscard]] std::string fault_of_text(const std::string& text) const {
        return fault(json_of(*parse_document(text, "file.yaml").root));
    }

private:
    valijson::Schema schema_;
};

/// Kinds and the folders of files that come with dodona.
struct Shelf {
    const char* kind;
    const char* folder;
};
const std::vector<Shelf> kShelves{
    {"device", "hardware/devices"},
    {"profile", "hardware/profiles"},
    {"link", "hardware/links"},
    {"cluster", "hardware/clusters"},
    {"cluster", "docs"},
    {"model", "models"},
    {"strategy", "oracle/plan/strategies"},
    {"exchange", "oracle/exchange/exchanges"},
    {"trials", "reports/trials"},
    {"framework", "lab/evidence/frameworks"},
    {"family", "models/hf/families"},
    {"framework", "software"},
    {"mechanism", "software"},
    {"memory", "software"},
    {"log", "software"},
    {"target", "software"},
};

class BuiltIn : public ::testing::TestWithParam<Shelf> {
protected:
    [[nodiscard]] std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        const bool is_software = GetParam().folder == std::string("software");
        const auto add = [&](const fs::path& folder) {
            for (const auto& file : fs::directory_iterator(folder)) {
                const fs::path inner = file.path().stem().extension();  // NAME.KIND.yaml
                const std::string kind = inner.empty() ? "framework" : inner.string().substr(1);
                if (file.path().extension() == ".yaml" && (!is_software || kind == GetParam().kind)) {
                    all.push_back(file.path());
                }
            }
        };
        if (!is_software) {
            add(root() / GetParam().folder);
        } else {
            for (const auto& software : fs::directory_iterator(root() / GetParam().folder)) {
                add(software.path());
            }
        }
        EXPECT_FALSE(all.empty());
        return all;
    }
};

TEST_P(BuiltIn, HoldsItsSchema) {
    const Published schema(GetParam().kind);
    for (const fs::path& file : files()) {
        const Document document = load_document(file, file.string(), command_line());
        EXPECT_EQ(schema.fault(json_of(*document.root)), "") << file;
    }
}

TEST_P(BuiltIn, NamesItsSchemaForEditors) {
    const fs::path schema = schemas() / (std::string(GetParam().kind) + ".schema.json");
    for (const fs::path& file : files()) {
        const std::string line =
            "# yaml-language-server: $schema=" + schema.lexically_relative(file.parent_path()).string() + "\n";
        EXPECT_TRUE(content(file).starts_with(line)) << file << " starts with " << line;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, BuiltIn, ::testing::ValuesIn(kShelves), [](const auto& folder) {
    std::string name;
    for (const char c : std::string(folder.param.folder) + "/" + folder.param.kind) {
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
});

TEST(Schemas, HoldForPlansThatAreWritten) {
    const plan::Plan plan = library().plan((here() / "library/plan.yaml").string());
    const Published schema("plan");
    EXPECT_EQ(schema.fault_of_text(content(here() / "library/plan.yaml")), "");
    EXPECT_EQ(schema.fault_of_text(to_yaml(plan, "by name", "tensor")), "");
    EXPECT_EQ(schema.fault_of_text(to_yaml(plan, "in place")), "");
}

// Kinds of files that are read by hand have schemas by hand: they have the keys that the readers take.

/// The keys that a reader says it takes of a file that has one more, beside `source` and `note`, which all have.
template <typename Read>
std::set<std::string> keys_taken(const std::string& text, const Read& read) {
    std::set<std::string> keys;
    try {
        static_cast<void>(read(parse_document(text + "unheard_of: 1\n", "file.yaml")));
    } catch (const InputError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) {
            const std::string start = "accepted here: ";
            if (diagnostic.message.find("unheard_of") != std::string::npos && diagnostic.help.starts_with(start)) {
                std::istringstream words(diagnostic.help.substr(start.size()));
                for (std::string word; words >> word;) {
                    keys.insert(word.substr(0, word.find(',')));
                }
            }
        }
    }
    return keys;
}

std::set<std::string> keys_of_schema(const std::string& kind) {
    std::set<std::string> keys;
    const auto schema = schema_of(kind);
    for (const auto& [key, value] : schema["properties"].items()) {
        keys.insert(key);
    }
    return keys;
}

template <typename Read>
void expect_keys_of(const std::string& kind, const Read& read) {
    std::set<std::string> taken = keys_taken(kind + ": x\nsource: a test\n", read);
    EXPECT_GT(taken.size(), 2U) << kind;
    taken.insert({"source", "note"});
    EXPECT_EQ(keys_of_schema(kind), taken) << kind;
}

TEST(SchemasByHand, HaveTheKeysOfTheirReaders) {
    expect_keys_of("family", read_family);
    expect_keys_of("target", read_target);
    expect_keys_of("conventions", read_run_conventions);
    expect_keys_of("tables", read_table_conventions);
}

TEST(SchemasByHand, HoldForConventions) {
    for (const char* file : {"oracle/validate/conventions.yaml", "lab/evidence/conventions.yaml"}) {
        EXPECT_EQ(Published("conventions").fault_of_text(content(root() / file)), "") << file;
    }
    EXPECT_EQ(Published("tables").fault_of_text(content(root() / "oracle/validate/tables.yaml")), "");
    for (const char* file :
         {"oracle/validate/conventions.yaml", "lab/evidence/conventions.yaml", "oracle/validate/tables.yaml"}) {
        const std::string kind = std::string(file).find("tables") == std::string::npos ? "conventions" : "tables";
        const fs::path schema = (schemas() / (kind + ".schema.json")).lexically_relative((root() / file).parent_path());
        EXPECT_TRUE(content(root() / file).starts_with("# yaml-language-server: $schema=" + schema.string() + "\n"))
            << file;
    }
}

TEST(SchemasByHand, RejectMisspeltKeysInside) {
    const std::string family = "family: f\nsource: a test\nmodel_types: [f]\narchitecture: decoder\n";
    const Published families("family");
    EXPECT_EQ(
        families.fault_of_text(family + "keys: {a: {is: hidden, default: 1}}\nset: {b: [{is: 1, when: c}, {is: 2}]}\n"),
        "");
    EXPECT_NE(families.fault_of_text(family + "keys: {a: {is: hidden, defualt: 1}}\n"), "");
    EXPECT_NE(families.fault_of_text(family + "set: {b: [{is: 1, whne: c}]}\n"), "");
    EXPECT_NE(families.fault_of_text(family + "each_layer: {seen: {values: {a: 1}}}\n"), "");
    EXPECT_NE(families.fault_of_text("family: f\nsource: a test\nmodel_types: [f]\n"), "");
    EXPECT_EQ(families.fault_of_text("family: f\nsource: a test\nclass_names: [F]\narchitecture: decoder\n"), "");
    EXPECT_NE(families.fault_of_text("family: f\nsource: a test\narchitecture: decoder\n"), "");
    const std::string target = "target: t\nsource: a test\nversion: one\nsummary: a test\n";
    const Published targets("target");
    EXPECT_EQ(targets.fault_of_text(target + "options: {--zero: \"{zero}\", --mesh: {words: [{is: a, when: b}, c]}}\n"),
              "");
    EXPECT_NE(targets.fault_of_text(target + "options: {--mesh: {wrods: [a]}}\n"), "");
    EXPECT_NE(targets.fault_of_text(target + "refused: [{when: a, lost: b}]\n"), "");
    const std::string conventions = "conventions: c\nsource: a test\n";
    const Published published("conventions");
    EXPECT_EQ(
        published.fault_of_text(conventions + "strategies: [{when: {strategy: a}, use: data, mesh: {data: data}}]\n"),
        "");
    EXPECT_NE(published.fault_of_text(conventions + "strategies: [{when: {strategy: a}, mesh: {data: data}}]\n"), "");
    EXPECT_NE(published.fault_of_text(conventions + "models: [{when: {}, use: [a]}]\n"), "");
}

TEST(Schemas, RejectWhatTheReadersReject) {
    const Published cluster("cluster");
    const std::string head = "cluster: c\nsource: a test\ndevice: h100\nlevels:\n";
    const std::string level = "  - {name: node, size: 8, bandwidth: 50 GB/s, latency: 9 us, ";
    EXPECT_EQ(cluster.fault_of_text(head + level + "kind: fat-tree, taper: 2}\n"), "");
    EXPECT_NE(cluster.fault_of_text(head + level + "kind: switch, taper: 2}\n"), "");
    EXPECT_NE(cluster.fault_of_text(head + level + "kind: torus}\n"), "");
    EXPECT_EQ(cluster.fault_of_text(head + level + "kind: torus, sizes: [2, 4]}\n"), "");
    EXPECT_NE(cluster.fault_of_text(head + level + "kind: swich}\n"), "");
    EXPECT_NE(cluster.fault_of_text(head + level + "kind: switch, latancy: 1 us}\n"), "");
    EXPECT_NE(cluster.fault_of_text(head + "  - {name: node, size: 8, kind: switch, bandwidth: 50, latency: 9 us}\n"),
              "");
    EXPECT_NE(cluster.fault_of_text("cluster: c\nsource: a test\ndevice: h100\n"), "");
    EXPECT_NE(Published("plan").fault_of_text(
                  "plan: p\nstrategy: data\nmesh: {data: 0}\nbatch: 1\nmicrobatch: 1\nprecision: bf16\n"),
              "");
}

/// The page with the text between `<!-- keys: NAME -->` or `<!-- operators -->` and `<!-- end -->` written anew.
std::string with_tables(const std::string& page) {
    std::string text;
    std::istringstream lines(page);
    ReferenceWriter writer;
    std::vector<std::string> described;
    bool is_generated = false;
    for (std::string line; std::getline(lines, line);) {
        const std::string begin = "<!-- keys: ";
        if (line == "<!-- end -->") {
            is_generated = false;
        }
        if (!is_generated) {
            text += line + "\n";
        }
        if (line.rfind(begin, 0) == 0) {
            const std::string name = line.substr(begin.size(), line.find(' ', begin.size()) - begin.size());
            for (const FileKind& kind : file_kinds()) {
                text += kind.name == name ? "\n" + writer.file(kind.described) + "\n" : "";
            }
            described.push_back(name);
            is_generated = true;
        } else if (line == "<!-- operators -->") {
            text += "\n" + operator_table() + "\n";
            is_generated = true;
        }
    }
    for (const FileKind& kind : file_kinds()) {
        EXPECT_EQ(std::count(described.begin(), described.end(), kind.name), 1) << kind.name;
    }
    EXPECT_FALSE(is_generated);
    return text;
}

TEST(Reference, HasTheKeysOfEveryFile) {
    const fs::path path = root() / "docs/files.md";
    expect_written(path, with_tables(content(path)));
}

/// The blocks of YAML of a page.
std::vector<std::string> examples(const std::string& page) {
    std::vector<std::string> blocks;
    std::istringstream lines(page);
    bool is_inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == "```yaml") {
            blocks.emplace_back();
            is_inside = true;
        } else if (line == "```") {
            is_inside = false;
        } else if (is_inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

TEST(Reference, ExamplesAreValid) {
    int checked = 0;
    for (const std::string& example : examples(content(root() / "docs/files.md"))) {
        const std::string kind = example.substr(0, example.find(':'));
        for (const FileKind& known : file_kinds()) {
            if (known.name == kind) {
                EXPECT_EQ(Published(kind).fault_of_text(example), "") << example;
                ++checked;
            }
        }
    }
    EXPECT_GE(checked, 7);
}

}  // namespace described_files_test
}  // namespace dodona::files::testing
