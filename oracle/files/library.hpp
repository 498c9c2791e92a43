// The models, clusters, devices, links, strategies and exchanges that come with Dodona, and files of the user beside them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "exchange/exchange.hpp"
#include "files/aliases.hpp"
#include "files/document.hpp"
#include "files/hf/imported_model.hpp"
#include "files/launch/launch.hpp"
#include "files/logs/training_log.hpp"
#include "files/machine_file.hpp"
#include "files/model_file.hpp"
#include "graph/spec.hpp"
#include "plan/plan.hpp"

namespace dodona::files {

struct RunConventions;
struct TableConventions;

/// An argument with `/` in it, or that ends in .yaml, .yml, .json or .onnx, is a path; any other is the name of a built-in.
bool is_path(const std::string& argument);

class Library {
public:
    /// The directory that holds models/, hardware/, software/ and oracle/plan/.
    explicit Library(std::filesystem::path data_directory);
    /// The same, which reads each file of a built-in once and keeps it, as do its copies: for one question that needs a
    /// file many times. May be asked by several threads.
    [[nodiscard]] Library remembering() const;

    /// Names of the built-ins, sorted.
    [[nodiscard]] std::vector<std::string> models() const;
    /// Those of the Hugging Face hub, each a config.json (models/hub).
    [[nodiscard]] std::vector<std::string> models_of_hub() const;
    /// The path below the data directory and the unread text of the file of one of them, for searches.
    [[nodiscard]] std::string text_of_model(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> clusters() const;
    [[nodiscard]] std::vector<std::string> devices() const;
    [[nodiscard]] std::vector<std::string> profiles() const;
    [[nodiscard]] std::vector<std::string> links() const;
    [[nodiscard]] std::vector<std::string> strategies() const;
    [[nodiscard]] std::vector<std::string> frameworks() const;
    /// The file of a built-in one, below the data directory.
    [[nodiscard]] std::string framework_file(const std::string& name) const;
    /// All built-in ones.
    [[nodiscard]] std::vector<plan::Framework> all_frameworks() const;
    [[nodiscard]] std::vector<std::string> mechanisms() const;
    [[nodiscard]] std::vector<std::string> memory_profiles() const;
    [[nodiscard]] std::vector<std::string> exchanges() const;

    /// What a word means that is neither the name of a built-in nor a path; the other readers take such words too.
    [[nodiscard]] std::optional<ResolvedAlias> resolve_alias(NameOf kind, const std::string& word) const;

    /// With the tasks of "NAME+TASK...". `where`: the place that names the file, for faults. A config.json of Hugging Face,
    /// a folder with one, a file of ONNX and a graph of PyTorch are read as the model files that they import as.
    [[nodiscard]] graph::NetworkSpec model(const std::string& reference, std::span<const Setting> settings = {},
                                           const Location& where = command_line()) const;
    [[nodiscard]] cluster::Cluster cluster(const std::string& name_or_path,
                                           const Location& where = command_line()) const;
    [[nodiscard]] cluster::Device device(const std::string& name_or_path, const Location& where = command_line()) const;
    [[nodiscard]] cluster::Link link(const std::string& name_or_path, const Location& where = command_line()) const;
    [[nodiscard]] plan::Strategy strategy(const std::string& name_or_path,
                                          const Location& where = command_line()) const;
    [[nodiscard]] exchange::Exchange exchange(const std::string& name_or_path,
                                              const Location& where = command_line()) const;
    /// With the mechanisms of "NAME+MECHANISM...".
    [[nodiscard]] plan::Framework framework(const std::string& reference, const Location& where = command_line()) const;
    [[nodiscard]] plan::Mechanism mechanism(const std::string& name_or_path,
                                            const Location& where = command_line()) const;
    [[nodiscard]] plan::MemoryProfile memory_profile(const std::string& name_or_path,
                                                     const Location& where = command_line()) const;
    /// A config.json, a folder with one, a file of ONNX or a graph of PyTorch as a model file. `settings` give extents that ONNX leaves open.
    [[nodiscard]] ImportedModel import_model(const std::string& path, std::span<const Setting> settings = {},
                                             const Location& where = command_line()) const;
    /// A file as it is, or the model file that it imports as: a config.json, a file of ONNX, a graph of PyTorch.
    [[nodiscard]] Document model_document(const std::string& argument, std::span<const Setting> settings = {},
                                          const Location& where = command_line()) const;
    /// What a launch script or its configuration asks; `gpus` and `with_model` as of read_launch.
    [[nodiscard]] Launch launch(const std::string& path, std::int64_t gpus, bool with_model) const;
    /// Does the file have settings of a launcher that dodona reads?
    [[nodiscard]] bool is_launch(const std::string& path) const;
    /// The launchers that dodona writes for and reads, in the order of their names.
    [[nodiscard]] std::vector<Target> targets() const;
    /// How training software prints its steps.
    [[nodiscard]] std::vector<LogForm> log_forms() const;
    /// The steps that a log of training software has; `where` is the place that names it.
    [[nodiscard]] TrainingLog training_log(const std::string& path, const Location& where) const;
    /// A model whose file is this text; `reference`: its name, and tasks that change it.
    [[nodiscard]] graph::NetworkSpec model_from_text(std::string text, const std::string& reference,
                                                     std::span<const Setting> settings) const;
    /// Plans are always files.
    [[nodiscard]] plan::Plan plan(const std::string& path, const Location& where = command_line()) const;

    /// What the words of any table of runs mean.
    [[nodiscard]] RunConventions run_conventions() const;

    /// How rows of tables of models and machines are read.
    [[nodiscard]] TableConventions table_conventions() const;

    /// Finds what documents name.
    [[nodiscard]] Opener model_opener() const;
    [[nodiscard]] MachineOpeners machine_openers() const;
    [[nodiscard]] Opener strategy_opener() const;
    [[nodiscard]] Opener framework_opener() const;
    [[nodiscard]] Opener mechanism_opener() const;

private:
    enum class Kind {
        model,
        cluster,
        device,
        strategy,
        framework,
        mechanism,
        profile,
        link,
        memory,
        exchange,
        target,
        log
    };

    /// By name: the path below the data directory.
    [[nodiscard]] std::map<std::string, std::string> files(Kind kind) const;
    [[nodiscard]] std::vector<std::string> names(Kind kind) const;
    [[noreturn]] void unknown(Kind kind, const std::string& name, const Location& where) const;
    [[nodiscard]] Document open(Kind kind, const std::string& name_or_path, const std::filesystem::path& folder,
                                const Location& where) const;
    /// A config.json as the model file that it imports as.
    [[nodiscard]] Document as_model(Document config) const;
    [[nodiscard]] Opener opener(Kind kind) const;
    /// None where the data directory has no such file.
    [[nodiscard]] OtherNames other_names() const;
    [[nodiscard]] std::optional<ResolvedAlias> framework_called(const std::string& word) const;
    [[nodiscard]] std::optional<ResolvedAlias> machine_with(const std::string& word, const OtherNames& other) const;
    [[nodiscard]] Document whole_framework(const std::string& name, const std::filesystem::path& folder,
                                           const Location& where) const;
    [[nodiscard]] Document open_framework(const std::string& reference, const std::filesystem::path& folder,
                                          const Location& where) const;

    struct Read;  ///< files that were read, by name

    std::filesystem::path data_;
    std::shared_ptr<Read> read_;  ///< null: nothing is kept
};

}  // namespace dodona::files
