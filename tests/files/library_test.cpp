// Built-in files and paths.
#include "files/library.hpp"

#include <filesystem>

#include "reading.hpp"

namespace dodona::files::testing {
namespace library_test {

TEST(Library, ListsItsFilesByName) {
    EXPECT_EQ(library().models(), (std::vector<std::string>{"tiny-cnn", "wide-cnn"}));
    EXPECT_EQ(library().clusters(), (std::vector<std::string>{"kinds", "pair"}));
    EXPECT_EQ(library().devices(), std::vector<std::string>{"plain"});
    EXPECT_EQ(library().strategies(), (std::vector<std::string>{"data", "tensor"}));
    EXPECT_TRUE(Library("/no/such/directory").models().empty());
}

TEST(Library, TellsPathsFromNames) {
    EXPECT_TRUE(is_path("./resnet50"));
    EXPECT_TRUE(is_path("mine.yaml"));
    EXPECT_TRUE(is_path("config.json"));
    EXPECT_FALSE(is_path("llama-3.1-8b"));
}

TEST(Library, OpensPathsAndFollowsThemFromTheirFile) {
    const std::string path = (here() / "library/hardware/clusters/pair.yaml").string();
    EXPECT_EQ(library().cluster(path).name, "pair");
}

TEST(Library, ThatRemembersReadsAFileOnce) {
    namespace fs = std::filesystem;
    const fs::path data = fs::path(::testing::TempDir()) / "remembered_library";
    fs::remove_all(data);
    fs::copy(here() / "library", data, fs::copy_options::recursive);
    const Library fresh(data);
    const Library kept = fresh.remembering();
    const Library copy = kept;
    const std::size_t models = kept.models().size();
    const std::string title = kept.model("tiny-cnn").name;
    fs::remove(data / "models/tiny-cnn.yaml");
    EXPECT_EQ(copy.model("tiny-cnn").name, title) << "copies have what one of them has read";
    EXPECT_EQ(copy.models().size(), models);
    EXPECT_EQ(fresh.models().size(), models - 1);
    EXPECT_THROW(static_cast<void>(fresh.model("tiny-cnn")), InputError);
}

TEST(Library, SuggestsABuiltIn) {
    EXPECT_EQ(fault_of([] { static_cast<void>(library().model("tiny-cmm")); }),
              "command line: error: unknown model \"tiny-cmm\"; did you mean \"tiny-cnn\"?\n"
              "  help: built in: tiny-cnn, wide-cnn; a file of your own is given by its path: ./tiny-cmm.yaml\n");
    EXPECT_EQ(fault_of([] { static_cast<void>(library().plan("none.yaml")); }),
              "command line: error: there is no file none.yaml\n");
}

TEST(Library, ReadsOtherSpellingsOfAName) {
    EXPECT_EQ(library().model("Tiny CNN").name, "tiny-cnn");
    EXPECT_EQ(library().resolve_alias(NameOf::model, "tinycnn")->name, "tiny-cnn");
    EXPECT_FALSE(library().resolve_alias(NameOf::model, "tiny-cnn")) << "a name means itself";
    EXPECT_FALSE(library().resolve_alias(NameOf::model, "./tinycnn.yaml")) << "a path";
    EXPECT_FALSE(library().resolve_alias(NameOf::model, "--"));
}

TEST(Library, OfThisRepositoryHasEachOtherNameOnceAndOfABuiltIn) {
    const char* root = std::getenv("DODONA_SOURCE");
    const std::string folder = root == nullptr ? "." : root;
    const Library own(folder);
    const std::string file = folder + "/oracle/validate/names.yaml";
    const OtherNames names = read_other_names(load_document(file, file, command_line()));
    const std::vector<std::pair<NameOf, std::vector<std::string>>> kinds{{NameOf::model, own.models()},
                                                                         {NameOf::cluster, own.clusters()},
                                                                         {NameOf::device, own.devices()},
                                                                         {NameOf::strategy, own.strategies()}};
    for (const auto& [kind, known] : kinds) {
        std::set<std::string> seen(known.begin(), known.end());
        ASSERT_FALSE(names.of(kind).empty());
        for (const OtherName& row : names.of(kind)) {
            EXPECT_EQ(std::count(known.begin(), known.end(), row.means), 1) << row.means;
            for (const std::string& word : row.words) {
                EXPECT_TRUE(seen.insert(word).second) << word << " is a built-in, or stands twice";
            }
        }
    }
}

TEST(Library, OfThisRepositoryKnowsTheFieldsWords) {
    const char* root = std::getenv("DODONA_SOURCE");
    const Library own(root == nullptr ? "." : root);
    struct Word {
        NameOf kind;
        const char* word;
        const char* name;
        bool asks;  ///< something else could have been meant
    };
    constexpr Word kWords[] = {{NameOf::cluster, "h100", "dgx-h100", true},
                               {NameOf::cluster, "RTX 4090", "rtx-4090-x8", true},
                               {NameOf::cluster, "trn2", "trn2-48xlarge", true},
                               {NameOf::cluster, "p4d.24xlarge", "aws-p4d", true},
                               {NameOf::cluster, "GB200-NVL72", "dgx-gb200", true},
                               {NameOf::cluster, "Standard_ND96isr_H100_v5", "azure-nd-h100-v5", true},
                               {NameOf::device, "H100", "h100-sxm5-80gb", true},
                               {NameOf::device, "rtx4090", "rtx-4090", false},
                               {NameOf::device, "4090", "rtx-4090", false},
                               {NameOf::device, "TPU v5", "tpu-v5p", true},
                               {NameOf::model, "gpt3", "gpt3-175b", true},
                               {NameOf::model, "gpt-2", "gpt2", false},
                               {NameOf::model, "openai-community/gpt2", "gpt2", true},
                               {NameOf::model, "meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", true},
                               {NameOf::model, "deepseek-ai/DeepSeek-V3-Base", "deepseek-v3", true},
                               {NameOf::model, "mistralai/Mistral-7B-v0.1", "mistral-7b", true},
                               {NameOf::model, "meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b", true},
                               {NameOf::model, "Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b", true},
                               {NameOf::model, "qwen2.5-7b-instruct", "qwen2.5-7b", true},
                               {NameOf::model, "openai/whisper-base", "whisper-base", true},
                               {NameOf::model, "llama2-7b", "llama-2-7b", false},
                               {NameOf::model, "llama4-maverick-400b", "llama-4-maverick-400b", false},
                               {NameOf::model, "bert-base-uncased", "bert-base", true},
                               {NameOf::model, "llama-70b", "llama-3.1-70b", true},
                               {NameOf::model, "llama-405b", "llama-3.1-405b", true},
                               {NameOf::model, "deepseek-671b", "deepseek-v3", true},
                               {NameOf::model, "qwen3-235b", "qwen3-235b-a22b", true},
                               {NameOf::model, "qwen3-30b", "qwen3-30b-a3b", true},
                               {NameOf::model, "vit-b16", "vit-base-patch16-224", true},
                               {NameOf::model, "vit-base", "vit-base-patch16-224", true},
                               {NameOf::model, "flux-dev", "flux.1-dev", true},
                               {NameOf::model, "wan-14b", "wan2.1-14b", true},
                               {NameOf::model, "t5-xxl", "t5-v1.1-xxl", true},
                               {NameOf::model, "stable-diffusion-xl", "sdxl", false},
                               {NameOf::strategy, "fsdp", "zero3", false},
                               {NameOf::strategy, "ddp", "data", false},
                               {NameOf::strategy, "zero-1", "zero1", false},
                               {NameOf::strategy, "hsdp", "hybrid-shard", false},
                               {NameOf::framework, "megatron", "megatron-2026", true},
                               {NameOf::framework, "Megatron-LM", "megatron-2026", true},
                               {NameOf::framework, "jax", "maxtext", false}};
    for (const Word& row : kWords) {
        const auto meant = own.resolve_alias(row.kind, row.word);
        ASSERT_TRUE(meant) << row.word;
        EXPECT_EQ(meant->name, row.name) << row.word;
        EXPECT_EQ(!meant->note.empty(), row.asks) << row.word << ": " << meant->note;
    }
    for (const char* nothing_clear :
         {"qwen2.6-32b", "llama-7", "phi3", "clip", "resnet5", "gpt-4", "google/vit-base", "Qwen/Qwen3-235B"}) {
        EXPECT_FALSE(own.resolve_alias(NameOf::model, nothing_clear)) << nothing_clear;
    }
    EXPECT_NE(fault_of([&] { static_cast<void>(own.model("phi3")); }).find("it could be phi-3-"), std::string::npos);
    for (const char* no_name_of_the_hub : {"a/b/gpt2", "/gpt2", "./gpt2", "~/gpt2", "gpt2/", "openai/gpt2.json"}) {
        EXPECT_FALSE(own.resolve_alias(NameOf::model, no_name_of_the_hub)) << no_name_of_the_hub;
    }
    EXPECT_NE(fault_of([&] {
                  static_cast<void>(own.model("mistralai/Mistral-Large-Instruct-2411"));
              }).find("its config.json"),
              std::string::npos);
    EXPECT_NE(fault_of([&] { static_cast<void>(own.model("qwen2.6-32b")); }).find("of that family: qwen-7b, "),
              std::string::npos);
}

TEST(Library, OfThisRepositoryIsWithoutFault) {
    const char* root = std::getenv("DODONA_SOURCE");
    const Library own(root == nullptr ? "." : root);
    const std::vector<std::string> of_hub = own.models_of_hub();  // hf_config_test reads them
    for (const std::string& name : own.models()) {
        if (std::find(of_hub.begin(), of_hub.end(), name) == of_hub.end()) {
            EXPECT_EQ(own.model(name).name, name);
        }
    }
    for (const std::string& name : own.clusters()) {
        EXPECT_EQ(own.cluster(name).name, name);
    }
    for (const std::string& name : own.devices()) {
        EXPECT_EQ(own.device(name).name, name);
    }
    for (const std::string& name : own.strategies()) {
        EXPECT_EQ(own.strategy(name).name, name);
    }
}

}  // namespace library_test
}  // namespace dodona::files::testing
