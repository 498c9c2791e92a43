// config.json of Hugging Face: published networks have the published number of parameters.
#include "files/hf/config.hpp"

#include <fmt/format.h>

#include "../cases.hpp"
#include "files/hf/imported_model.hpp"
#include "files/hf/layer_runs.hpp"
#include "files/hf/stored_weights.hpp"
#include "files/number.hpp"
#include "graph/graph.hpp"
#include "graph/post_training.hpp"
#include "graph/sample_tokens.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace hf_config_test {

/// Published networks; below each the number of parameters and where the number comes from. One without a config is of
/// models/hub.
std::filesystem::path published() { return here() / "configs.txt"; }

std::filesystem::path families() { return here() / "../../models/hf"; }

ImportedModel imported(const std::string& config) {
    return import_config(parse_document(config, "config.json"), "network", families());
}

graph::Graph graph_with(const std::string& config, const std::vector<Setting>& settings) {
    return graph::build(
        read_model(parse_document(imported(config).text, "imported"), settings, library().model_opener()));
}

graph::Graph graph_of(const std::string& config) { return graph_with(config, {}); }

/// The message of the first fault.
std::string fault_of(const std::string& config) {
    try {
        static_cast<void>(imported(config));
    } catch (const InputError& error) {
        return to_text(error.diagnostics().front());
    }
    return "none";
}

const std::string kSmall =
    "\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
    "\"intermediate_size\": 128, \"vocab_size\": 100";

TEST(HfConfig, PublishedNetworksHaveTheirNumberOfParameters) {
    const Library shelf(here() / "../..");
    const cases::Unpacked configs(published());
    const std::vector<cases::Case> all = cases::read(published());
    EXPECT_GE(all.size(), 120U);
    for (const cases::Case& network : all) {
        try {
            const graph::Graph graph = graph::build(
                shelf.model(network.given.empty() ? network.name : (configs.path() / network.name).string()));
            ASSERT_EQ(network.expected.size(), 1U) << network.name;
            EXPECT_TRUE(network.expected.front().text.starts_with(
                fmt::format("{:.0f} parameters: ", graph::count(graph).parameters)))
                << network.name << " has " << graph::count(graph).parameters << ", not "
                << network.expected.front().text;
        } catch (const InputError& error) {
            ADD_FAILURE() << network.name << ": " << error.what();
        }
    }
}

TEST(HfConfig, EveryNetworkOfTheHubHasItsNumberOfParametersHere) {
    const std::vector<cases::Case> all = cases::read(published());
    const std::vector<std::string> of_hub = Library(here() / "../..").models_of_hub();
    EXPECT_GT(of_hub.size(), 200U);
    for (const std::string& name : of_hub) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const cases::Case& one) { return one.name == name; }))
            << name;
    }
}

TEST(HfConfig, MissingAndNullMeanTheDefaultOfTheClass) {
    const auto parameters = [](const std::string& more) {
        return graph::count(graph_of("{" + kSmall + more + "}")).parameters;
    };
    EXPECT_EQ(parameters(""), parameters(", \"num_key_value_heads\": null"));
    EXPECT_EQ(parameters(""), parameters(", \"num_key_value_heads\": 4, \"head_dim\": 16"));
    // Two layers with keys and values of two heads instead of four: 2 * 2 * 64 * 2 * 16 weights less.
    EXPECT_EQ(parameters("") - parameters(", \"num_key_value_heads\": 2"), 2 * 2 * 64 * 2 * 16);
}

TEST(HfConfig, AKeyThatMayChangeShapesIsRefusedByName) {
    EXPECT_NE(fault_of("{" + kSmall + ", \"mystery_layers\": 3}").find("config.json:1:"), std::string::npos);
    EXPECT_NE(fault_of("{" + kSmall + ", \"mystery_layers\": 3}").find("mystery_layers"), std::string::npos);
    EXPECT_NE(fault_of("{" + kSmall + ", \"mystery\": \"M-M*\"}").find("mystery"), std::string::npos);
    EXPECT_EQ(fault_of("{" + kSmall + ", \"mystery\": 0.25, \"other\": null, \"third\": false}"), "none");
}

TEST(HfConfig, AKeyThatEveryPublishedConfigHasIsNeverDefaulted) {
    const std::string experts =
        "{\"model_type\": \"qwen3_moe\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
        "\"num_key_value_heads\": 4, \"head_dim\": 16, \"intermediate_size\": 128, \"vocab_size\": 100, "
        "\"num_experts_per_tok\": 2, "
        "\"moe_intermediate_size\": 32";
    EXPECT_EQ(fault_of(experts + ", \"num_experts\": 4}"), "none");
    EXPECT_NE(fault_of(experts + "}").find("num_experts: missing"), std::string::npos) << "not the 128 of the class";
    EXPECT_NE(fault_of("{\"model_type\": \"whisper\", \"d_model\": 64}").find("missing"), std::string::npos);
}

TEST(HfConfig, KeysThatChangeNoShapeAreListed) {
    const ImportedModel model = imported("{" + kSmall + ", \"rope_theta\": 500000.0, \"torch_dtype\": \"bfloat16\"}");
    EXPECT_EQ(model.ignored, (std::vector<std::string>{"rope_theta", "torch_dtype"}));
    EXPECT_NE(model.text.find("rope_theta, torch_dtype"), std::string::npos);
}

TEST(HfConfig, NumbersThatAreNoneAreFaultsAtTheirPlace) {
    for (const char* bad : {"0", "-1", "1.5", "\"many\"", "[4]", "{}", "1e30", "true", "99999999999999999999"}) {
        const std::string fault = fault_of(
            "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2,\n" +
            ("\"num_attention_heads\": " + std::string(bad)) + ",\n\"intermediate_size\": 128, \"vocab_size\": 100}");
        EXPECT_NE(fault.find("config.json:2:"), std::string::npos) << bad << ": " << fault;
        EXPECT_NE(fault.find("num_attention_heads"), std::string::npos) << bad << ": " << fault;
    }
}

TEST(HfConfig, UnknownArchitecturesAreRefusedWithTheKnownOnes) {
    EXPECT_NE(fault_of("{\"model_type\": \"lama\"}").find("did you mean \"llama\"?"), std::string::npos);
    EXPECT_NE(fault_of("{\"model_type\": [1]}").find("unknown architecture"), std::string::npos);
    for (const char* type : {"qwen3_6_moe", "gemma9", "llama_moe", "kimi_k9"}) {  // others, not slips of spelling
        const std::string fault = fault_of(fmt::format("{{\"model_type\": \"{}\"}}", type));
        EXPECT_NE(fault.find("unknown architecture"), std::string::npos) << fault;
        EXPECT_EQ(fault.find("did you mean"), std::string::npos) << fault;
    }
    const std::string fault = fault_of("{\"model_type\": \"mixtral2\"}");
    EXPECT_NE(fault.find("help: known of mixtral: mixtral; models/hf/families has all "), std::string::npos) << fault;
}

TEST(HfConfig, ANetworkOfDiffusersSaysItsClass) {
    const std::string small =
        "\"_class_name\": \"FluxTransformer2DModel\", \"num_layers\": 1, \"num_single_layers\": 1, "
        "\"num_attention_heads\": 2, \"attention_head_dim\": 8";
    const ImportedModel model = imported("{" + small + ", \"_diffusers_version\": \"0.30.0\"}");
    EXPECT_EQ(model.family, "flux");
    EXPECT_EQ(model.ignored, (std::vector<std::string>{"_diffusers_version"})) << "but not its class";
    EXPECT_NE(fault_of("{" + small + ", \"num_refiners\": 2}").find("num_refiners: unknown key"), std::string::npos);
    const std::string unknown = fault_of("{\"_class_name\": \"FluxTransfomer2DModel\"}");
    EXPECT_NE(unknown.find("_class_name: unknown architecture"), std::string::npos);
    EXPECT_NE(unknown.find("did you mean \"FluxTransformer2DModel\"?"), std::string::npos);
    EXPECT_EQ(unknown.find("llama"), std::string::npos) << "classes are known, not families of language models";
}

// h = 16 and one layer of each kind. 4 tokens of text and 2 x 2 of the image, an image of 32 x 32.
// Per token: q, k, v, projection and MLP of 4 h, 2 * (4 + 8) h^2; a single layer has the same: q, k, v, MLP up, and a
// projection of h + 4 h. Attention 4 * 8^2 h a layer. Per sample: modulation 2 * 6 h^2 of each stream, 3 h^2, 2 h^2;
// time, guidance off, pooled. In and out: 4 (64 h + 64 h), text 4 * 32 h.
TEST(HfConfig, ADiffusionTransformerDoesTheArithmeticOfItsTokens) {
    const std::string flux =
        "{\"_class_name\": \"FluxTransformer2DModel\", \"num_layers\": 1, \"num_single_layers\": 1, "
        "\"num_attention_heads\": 2, \"attention_head_dim\": 8, \"joint_attention_dim\": 32, "
        "\"pooled_projection_dim\": 24}";
    const graph::Graph graph = graph_with(flux, {{"image", "32", {}}, {"text_tokens", "4", {}}});
    const double h = 16, tokens = 4 + 4;
    const double layers = 2 * (tokens * 24 * h * h + 4 * tokens * tokens * h);
    const double modulation = 2 * (12 + 3 + 2) * h * h;
    const double condition = 2 * (256 * h + h * h + 24 * h + h * h);
    const double ends = 2 * (4 * 64 * h + 4 * 64 * h + 4 * 32 * h);
    EXPECT_EQ(graph::count(graph).forward_per_sample.in(unit::flop), layers + modulation + condition + ends);
}

// 9 frames make 3 latent frames; 3 * (32/16) * (48/16) = 18 tokens.
TEST(HfConfig, AVideoHasTokensOfItsFramesAndPatches) {
    const std::string wan =
        "{\"_class_name\": \"WanTransformer3DModel\", \"num_layers\": 1, \"num_attention_heads\": 2, "
        "\"attention_head_dim\": 8, \"ffn_dim\": 32}";
    const auto tokens = [&](const std::string& frames) {
        const graph::Graph graph = graph_with(wan, {{"height", "32", {}}, {"width", "48", {}}, {"frames", frames, {}}});
        return graph.layers.front().nest.result.dimensions[1].extent;
    };
    EXPECT_EQ(tokens("9"), 18);
    EXPECT_EQ(tokens("12"), 18) << "latents are of four frames each, after the first";
    EXPECT_EQ(tokens("13"), 24);
}

TEST(HfConfig, AnItemOfAListIsAKey) {
    const auto wan = [](const std::string& patch) {
        return "{\"_class_name\": \"WanTransformer3DModel\", \"num_layers\": 1, \"num_attention_heads\": 2, "
               "\"attention_head_dim\": 8, \"ffn_dim\": 32, \"patch_size\": " +
               patch + "}";
    };
    const auto parameters = [&](const std::string& patch) { return graph::count(graph_of(wan(patch))).parameters; };
    EXPECT_EQ(parameters("[1, 2, 2]"), parameters("null"));
    // Patches of twice as many latents: 64 channels more each, in and out, and as many biases out.
    EXPECT_EQ(parameters("[2, 2, 2]") - parameters("[1, 2, 2]"), 2 * 64 * 16 + 64);
    EXPECT_NE(fault_of(wan("[1, 2, 4]")).find("patch_size.2: 4 is not modelled"), std::string::npos);
    EXPECT_TRUE(imported(wan("[1, 2, 2]")).ignored.empty());
}

TEST(HfConfig, KeysOfALanguageModelStandNestedOrBesideIt) {
    const std::string small =
        "\"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
        "\"num_key_value_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100";
    const auto parameters = [](const std::string& config) { return graph::count(graph_of(config)).parameters; };
    const auto alone = parameters("{\"model_type\": \"mistral\", " + small + "}");
    const std::string part = "\"text_config\": {\"model_type\": \"mistral\", " + small + "}";
    EXPECT_EQ(parameters("{\"model_type\": \"mistral3\", " + part + "}"), alone) << "the part says its family";
    EXPECT_EQ(parameters("{\"model_type\": \"mistral3\", \"tie_word_embeddings\": true, " + part + "}"),
              alone - 64 * 100)
        << "what only the whole has holds for the part";
    const ImportedModel model = imported("{\"model_type\": \"llava_onevision\", \"image_token_index\": 10, " + part +
                                         ", \"vision_config\": {\"hidden_size\": 1024}}");
    EXPECT_EQ(model.left_out, (std::vector<std::string>{"vision_config"}));
    EXPECT_EQ(model.ignored, (std::vector<std::string>{"image_token_index"}));
    EXPECT_NE(fault_of("{\"model_type\": \"mistral3\"}").find("text_config: missing"), std::string::npos);
    EXPECT_NE(fault_of("{\"model_type\": \"llava\", \"text_config\": {\"hidden_size\": 64}}").find("model_type"),
              std::string::npos);
}

/// PaliGemma's form: 16 patches of two pixels a side; `more`: keys of the encoder of images.
std::string with_images(const std::string& more = "") {
    return "{\"model_type\": \"paligemma\", \"text_config\": {\"model_type\": \"gemma\", \"hidden_size\": 64, "
           "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 4, \"head_dim\": 16, "
           "\"intermediate_size\": 128, \"vocab_size\": 100, \"max_position_embeddings\": 600}, \"vision_config\": "
           "{\"model_type\": \"siglip_vision_model\", \"hidden_size\": 32, \"num_hidden_layers\": 3, "
           "\"num_attention_heads\": 2, \"intermediate_size\": 48, \"image_size\": 32, \"patch_size\": 2" +
           more + "}}";
}

TEST(HfConfig, AnEncoderOfImagesIsPartOfTheNetwork) {
    const std::string config = with_images();
    const std::size_t vision = config.find(", \"vision_config\"");
    const auto alone = graph::count(graph_of(config.substr(0, vision) + "}")).parameters;
    // Patches of 3 * 2 * 2 numbers and their positions, three layers, the last norm, and the projection to the text.
    const std::int64_t layer = 4 * (32 * 32 + 32) + 4 * 32 + 32 * 48 + 48 + 48 * 32 + 32;
    const std::int64_t images = 12 * 32 + 32 + 256 * 32 + 3 * layer + 2 * 32 + 32 * 64 + 64;
    EXPECT_EQ(graph::count(graph_of(config)).parameters, alone + images);
    EXPECT_TRUE(imported(config).left_out.empty());
    EXPECT_NE(imported(config).text.find("families/gemma.yaml and vision_paligemma.yaml"), std::string::npos);
}

TEST(HfConfig, PartsThatAreLeftOutAreNamedByTheirPath) {
    std::ifstream file(here() / "../../models/hub/qwen3-omni-30b-a3b.json");
    const std::string config(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(imported(config).left_out,
              (std::vector<std::string>{"talker_config", "code2wav_config", "thinker_config.audio_config"}));
}

TEST(HfConfig, ImagesOfASampleTakePositionsOfItsSequence) {
    const std::string text = imported(with_images()).text;
    const auto graph_with = [&](const std::vector<Setting>& settings) {
        return graph::build(read_model(parse_document(text, "imported"), settings, library().model_opener()));
    };
    for (const std::int64_t images : {1, 2}) {
        const graph::Graph graph = graph_with({{.name = "images", .value = std::to_string(images)}});
        for (const graph::Layer& layer : graph.layers) {
            const graph::Tensor& result = layer.nest.result;
            const auto length = [&] { return result.dimensions[*result.find("sequence")].extent; };
            if (layer.name == "patches" || layer.name == "image_features") {
                EXPECT_EQ(length(), images * 256) << layer.name;
            } else if (layer.name == "text") {
                EXPECT_EQ(length(), 600 - images * 256) << "the rest of the sequence";
            } else if (layer.name == "joined") {
                EXPECT_EQ(length(), 600);
            }
        }
        EXPECT_EQ(graph::sample_tokens(graph), 600) << "positions, of images as of text";
    }
}

TEST(HfConfig, KeysOfAnEncoderOfImagesAreReadOrRefused) {
    EXPECT_NE(fault_of(with_images(", \"mystery_layers\": 3")).find("vision_config.mystery_layers: unknown key"),
              std::string::npos);
    EXPECT_EQ(fault_of(with_images(", \"initializer_range\": 0.02, \"vision_use_head\": false")), "none");
    EXPECT_NE(fault_of(with_images(", \"vision_use_head\": true")).find("vision_use_head"), std::string::npos);
    std::string missing = with_images();
    missing.replace(missing.find(", \"patch_size\": 2"), 17, "");
    EXPECT_NE(fault_of(missing).find("vision_config.patch_size: missing"), std::string::npos);
}

TEST(HfConfig, PartsOfANetworkWithImagesAreFrozenByParameters) {
    const std::string text = imported(with_images()).text;
    const auto trained = [&](const std::vector<Setting>& settings) {
        const graph::Graph graph =
            graph::build(read_model(parse_document(text, "imported"), settings, library().model_opener()));
        return graph::count(graph).trained;
    };
    const std::int64_t projector = 32 * 64 + 64;
    const Setting images{.name = "image_frozen", .value = "true"};
    const Setting language{.name = "language_frozen", .value = "true"};
    EXPECT_EQ(trained({images, language}), projector) << "as the first stage of LLaVA trains";
    EXPECT_GT(trained({images}), projector);
    EXPECT_EQ(trained({}) - trained({images}), trained({language}) - projector) << "the encoder's parameters";
    EXPECT_EQ(trained({images, language, {.name = "projector_frozen", .value = "true"}}), 0);
}

TEST(HfConfig, AFrozenEncoderOfImagesHasNoAdapters) {
    const std::string text = imported(with_images()).text;
    const auto trained = [&](const std::vector<Setting>& settings) {
        graph::NetworkSpec spec = read_model(parse_document(text, "imported"), settings, library().model_opener());
        return graph::count(graph::build(graph::with_tasks(std::move(spec), {graph::Task::lora}, {.rank = 8}, {})))
            .trained;
    };
    // Rank 8 next to four products of 64 with 64 and three of 64 with 128, in two layers.
    const double language = 2 * 8 * (4 * (64 + 64) + 3 * (64 + 128));
    // And next to four of 32 with 32 and two of 32 with 48, in three layers.
    const double encoder = 3 * 8 * (4 * (32 + 32) + 2 * (32 + 48));
    EXPECT_EQ(trained({{.name = "image_frozen", .value = "true"}}), language);
    EXPECT_EQ(trained({}), language + encoder);
}

TEST(HfConfig, APartIsSavedWithoutTheDefaultsOfItsClass) {
    // LLaVA's language model: LlamaConfig's 32 layers of 4096 with 11008, and 32064 words.
    const std::string part =
        "{\"model_type\": \"llava\", \"text_config\": {\"model_type\": \"llama\", \"vocab_size\": 32064}}";
    EXPECT_EQ(graph::count(graph_of(part)).parameters, 6738415616 + 2 * 64 * 4096);
    EXPECT_NE(fault_of("{\"model_type\": \"llama\", \"vocab_size\": 32064}").find("hidden_size: missing"),
              std::string::npos)
        << "a whole config has it";
}

TEST(HfConfig, AListOfOneValueForEachLayerIsThatValue) {
    const auto experts = [](const std::string& top_k) {
        return "{\"model_type\": \"hunyuan_v1_moe\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
               "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100, \"num_experts\": 4, "
               "\"moe_topk\": " +
               top_k + "}";
    };
    EXPECT_EQ(imported(experts("[2, 2]")).text, imported(experts("2")).text);
    EXPECT_NE(fault_of(experts("[2, 1]")).find("moe_topk: expected a whole number"), std::string::npos);
    EXPECT_NE(fault_of(experts("[2]")).find("moe_topk: expected a whole number"), std::string::npos);
}

TEST(HfConfig, AModuleOfTheSecondTokenHasALayerAsTheLast) {
    const auto config = [](int modules) {
        return "{\"model_type\": \"glm4_moe\", \"hidden_size\": 64, \"num_hidden_layers\": 3, \"num_attention_heads\": "
               "4, "
               "\"num_key_value_heads\": 4, \"intermediate_size\": 128, \"moe_intermediate_size\": 32, "
               "\"n_routed_experts\": 8, \"n_shared_experts\": 1, \"num_experts_per_tok\": 2, \"head_dim\": 16, "
               "\"vocab_size\": 100, \"num_nextn_predict_layers\": " +
               std::to_string(modules) + "}";
    };
    const auto parameters = [&](int modules) { return graph::count(graph_of(config(modules))).parameters; };
    // A projection of both states, three norms, and a layer of experts: attention, two norms, router, 8 + 1 experts. The
    // embedding and the output layer are those of the network.
    const std::int64_t layer = 4 * 64 * 64 + 2 * 64 + 8 * 64 + 9 * 3 * 64 * 32;
    EXPECT_EQ(parameters(1) - parameters(0), 2 * 64 * 64 + 3 * 64 + layer);
    EXPECT_NE(fault_of(config(2)).find("num_nextn_predict_layers: 2 is not modelled"), std::string::npos);
}

TEST(HfConfig, FamiliesThatNoOperatorExpressesSayWhatIsMissing) {
    const auto refusal = [](const std::string& type) { return fault_of("{\"model_type\": \"" + type + "\"}"); };
    EXPECT_NE(refusal("siglip2").find("is not modelled: an image has patches"), std::string::npos);
    EXPECT_NE(refusal("siglip2").find("docs/files.md"), std::string::npos) << "what to do";
    EXPECT_NE(refusal("rwkv").find("no operator here computes"), std::string::npos);
    EXPECT_NE(refusal("longcat_flash").find("zero_expert_num"), std::string::npos);
}

TEST(HfConfig, LayersHaveHeadsAndWidthsOfTheirOwn) {
    // Layers of 2 and 4 heads of 16 over 1 and 2 of keys, feed-forwards of 64 and 128.
    const std::string elm =
        "{\"model_type\": \"openelm\", \"model_dim\": 64, \"num_transformer_layers\": 2, \"head_dim\": 16, "
        "\"num_query_heads\": [2, 4], \"num_kv_heads\": [1, 2], \"ffn_multipliers\": [1.0, 2.0], "
        "\"ffn_dim_divisor\": 64, \"vocab_size\": 100, \"share_input_output_layers\": true}";
    const std::int64_t first = 64 * 16 * (2 + 2 + 2) + 3 * 64 * 64 + 2 * 64;
    const std::int64_t second = 64 * 16 * (4 + 4 + 4) + 3 * 64 * 128 + 2 * 64;
    EXPECT_EQ(graph::count(graph_of(elm)).parameters, first + second + 64 * 100 + 64);
    const std::string nas =
        "{\"model_type\": \"nemotron-nas\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
        "\"num_attention_heads\": 4, \"vocab_size\": 100, \"block_configs\": [{\"attention\": {\"n_heads_in_group\": "
        "2, "
        "\"no_op\": false}, \"ffn\": {\"ffn_mult\": 3.0, \"no_op\": false}}, {\"attention\": {\"n_heads_in_group\": "
        "null, "
        "\"no_op\": true}, \"ffn\": {\"ffn_mult\": 6.0, \"no_op\": false}}]}";
    // Attention with two heads of keys and 256 features; no attention, and 256 features.
    const std::int64_t layers = 64 * 16 * (4 + 4 + 2 + 2) + 2 * 3 * 64 * 256 + 3 * 64;
    EXPECT_EQ(graph::count(graph_of(nas)).parameters, layers + 2 * 64 * 100 + 64);
    std::string replaced = nas;
    replaced.replace(replaced.find("\"no_op\": false"), 14, "\"no_op\": false, \"replace_with_linear\": true");
    EXPECT_NE(fault_of(replaced).find("true is not modelled"), std::string::npos) << fault_of(replaced);
    std::string word = elm;
    word.replace(word.find("[2, 4]"), 6, "[2, \"x\"]");
    EXPECT_NE(fault_of(word).find("x is not modelled"), std::string::npos);
}

TEST(HfConfig, LayersWithWindowsHaveHeadsSinksAndGatesOfTheirOwn) {
    const std::string small =
        "\"hidden_size\": 64, \"num_attention_heads\": 4, \"head_dim\": 16, \"intermediate_size\": 128, "
        "\"moe_intermediate_size\": 32, \"sliding_window\": 8, \"vocab_size\": 100, ";
    const std::string mimo =
        "{\"model_type\": \"mimo_v2_flash\", " + small +
        "\"num_hidden_layers\": 2, \"num_key_value_heads\": 1, \"v_head_dim\": 8, \"swa_num_attention_heads\": 4, "
        "\"swa_num_key_value_heads\": 2, \"add_swa_attention_sink_bias\": true, \"n_routed_experts\": 4, "
        "\"num_experts_per_tok\": 2, \"hybrid_layer_pattern\": [0, 1], \"moe_layer_freq\": [0, 1]}";
    const std::int64_t dense = 3 * 64 * 128 + 2 * 64, experts = 64 * 4 + 4 * 3 * 64 * 32 + 2 * 64;
    const std::int64_t whole = 64 * (64 + 16 + 8 + 32), windowed = 64 * (64 + 32 + 16 + 32) + 4;
    EXPECT_EQ(graph::count(graph_of(mimo)).parameters, dense + whole + experts + windowed + 2 * 64 * 100 + 64);
    const std::string step =
        "{\"model_type\": \"step3p5\", " + small +
        "\"num_hidden_layers\": 3, \"num_attention_groups\": 1, \"attention_other_setting\": {\"attention_type\": "
        "\"sliding_attention\", \"num_attention_heads\": 6, \"num_attention_groups\": 1}, \"use_head_wise_attn_gate\": "
        "true, \"moe_num_experts\": 4, \"moe_top_k\": 2, \"share_expert_dim\": 32, \"moe_layers_enum\": \"2\", "
        "\"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", \"full_attention\"]}";
    const std::int64_t four = 64 * (64 + 16 + 16 + 64 + 4) + 32, six = 64 * (96 + 16 + 16 + 96 + 6) + 32;
    EXPECT_EQ(graph::count(graph_of(step)).parameters,
              2 * dense + experts + 3 * 64 * 32 + 2 * four + six + 2 * 64 * 100 + 64);
}

TEST(HfConfig, AListOfKindsMayBeAPeriod) {
    const std::string griffin =
        "{\"model_type\": \"recurrent_gemma\", \"hidden_size\": 64, \"num_hidden_layers\": 5, \"num_attention_heads\": "
        "4, "
        "\"num_key_value_heads\": 1, \"intermediate_size\": 128, \"vocab_size\": 100";
    EXPECT_NE(fault_of(griffin + "}").find("_block_types: missing"), std::string::npos) << "never guessed";
    const auto parameters = [&](const char* period) {
        return graph::count(graph_of(griffin + ", \"_block_types\": [" + period + "]}")).parameters;
    };
    const std::string whole = "\"recurrent\", \"attention\", \"recurrent\", \"attention\", \"recurrent\"";
    EXPECT_EQ(parameters("\"recurrent\", \"attention\""), parameters(whole.c_str()));
}

// The kind of each layer is never guessed: attention in every layer would be another network.
TEST(HfConfig, AHybridMustSayWhatEachOfItsLayersIs) {
    const std::string granite =
        "{\"model_type\": \"granitemoehybrid\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
        "\"num_attention_heads\": 4, \"vocab_size\": 100, \"mamba_n_heads\": 4, \"shared_intermediate_size\": 128";
    EXPECT_NE(fault_of(granite + "}").find("layer_types: missing"), std::string::npos);
    EXPECT_EQ(fault_of(granite + ", \"layer_types\": [\"mamba\", \"attention\"]}"), "none");
    EXPECT_NE(fault_of(granite + ", \"layer_types\": [\"mamba\", \"rwkv\"]}").find("rwkv is not modelled"),
              std::string::npos);
    const std::string nemotron =
        "{\"model_type\": \"nemotron_h\", \"hidden_size\": 64, \"num_hidden_layers\": 4, "
        "\"num_attention_heads\": 4, \"head_dim\": 16, \"intermediate_size\": 128, \"mamba_num_heads\": 8, "
        "\"mamba_head_dim\": 16, \"vocab_size\": 100, \"hybrid_override_pattern\": ";
    EXPECT_NE(fault_of(nemotron + "\"M-*\"}").find("3 entries for 4 layers"), std::string::npos);
    EXPECT_NE(fault_of(nemotron + "\"M-*X\"}").find("X is not modelled"), std::string::npos);
    const auto parameters = [&](const char* pattern) {
        return graph::count(graph_of(nemotron + "\"" + pattern + "\"}")).parameters;
    };
    EXPECT_EQ(parameters("M--*") - parameters("M-**"), 2 * 64 * 128 - 4 * 64 * 64) << "a feed-forward, or attention";
}

// h = 64, transformers over 128 features: q, k, v and projection 4 * 128^2 - 128 * 64, a feed-forward of 3 * 64 * 256.
// Each use has adapters of rank 8, 64 * 8 + 8 * 512, and a product of 64 x 64.
TEST(HfConfig, TransformersInTurnShareTheirWeights) {
    const std::string zamba =
        "{\"model_type\": \"zamba2\", \"hidden_size\": 64, \"num_hidden_layers\": 5, \"num_attention_heads\": 4, "
        "\"intermediate_size\": 256, \"adapter_rank\": 8, \"n_mamba_heads\": 4, \"mamba_d_state\": 16, "
        "\"mamba_ngroups\": 1, \"vocab_size\": 100, \"num_mem_blocks\": ";
    const auto with = [&](int blocks, const std::string& hybrids, const std::vector<graph::Task>& tasks) {
        graph::NetworkSpec spec = read_model(
            parse_document(
                imported(zamba + std::to_string(blocks) + ", \"layers_block_type\": [" + hybrids + "]}").text,
                "imported"),
            {}, library().model_opener());
        return graph::count(graph::build(graph::with_tasks(std::move(spec), tasks, {}, {}))).parameters;
    };
    const std::string four = "\"hybrid\", \"mamba\", \"hybrid\", \"hybrid\", \"hybrid\"";
    const double transformer = 4 * 128 * 128 - 128 * 64 + 3 * 64 * 256 + 128 + 64;
    const double use = 64 * 8 + 8 * 512 + 64 * 64;
    const double none = with(2, R"("mamba", "mamba", "mamba", "mamba", "mamba")", {});
    EXPECT_EQ(with(1, four, {}), none + transformer + 4 * use);
    EXPECT_EQ(with(2, four, {}), none + 2 * transformer + 4 * use);
    EXPECT_EQ(with(4, four, {}), none + 4 * (transformer + use));
    EXPECT_EQ(with(2, four, {graph::Task::dpo}), 2 * with(2, four, {})) << "the reference shares with itself";
    EXPECT_NE(fault_of(zamba + "2}").find("layers_block_type: missing"), std::string::npos);
}

// What the shapes follow from is refused where it is missing or another, in published files as they are.
TEST(HfConfig, APublishedFileWithoutAKeyOfShapesIsRefused) {
    const auto hub = [](const std::string& name) {
        std::ifstream file(here() / "../../models/hub" / (name + ".json"));
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    struct Mutation {
        const char* network;
        const char* key;
        const char* instead;  // "": the key is not there
        const char* fault;
    };
    for (const Mutation& one : {Mutation{"granite-4.0-h-tiny", "layer_types", "", "layer_types: missing"},
                                {"zamba2-7b", "layers_block_type", "", "layers_block_type: missing"},
                                {"zamba2-7b", "adapter_rank", "", "adapter_rank: missing"},
                                {"deberta-v3-base", "position_buckets", "", "position_buckets: missing"},
                                {"deberta-v3-base", "share_att_key", "", "share_att_key: missing"},
                                {"deberta-v3-base", "p2c|c2p", "c2p", "pos_att_type: c2p is not known here"},
                                {"recurrentgemma-2b", "_block_types", "", "_block_types: missing"},
                                {"jamba", "attn_layer_period", "", "attn_layer_period: missing"},
                                {"qwen3-coder-480b-a35b", "num_experts", "", "num_experts: missing"},
                                {"minimax-m2", "num_local_experts", "", "num_local_experts: missing"},
                                {"qwen3-coder-480b-a35b", "head_dim", "", "head_dim: missing"},
                                {"gemma-3n-e4b", "laurel_rank", "", "laurel_rank: missing"},
                                {"deepseek-v4-flash", "compress_ratios", "", "layer_types: missing"},
                                {"sam-vit-base", "global_attn_indexes", "", "global_attn_indexes: missing"},
                                {"gemma-4-31b", "attention_k_eq_v", "", "attention_k_eq_v: missing"},
                                {"gemma-4-31b", "global_head_dim", "", "global_head_dim: missing"},
                                {"gemma-4-26b-a4b", "num_global_key_value_heads", "num_global_heads", "unknown key"},
                                {"lfm2-8b-a1b", "layer_types", "", "layer_types: missing"},
                                {"swin-tiny-patch4-window7-224", "[2, 2, 6, 2]", "[2, 2, 6]", "depths.3: missing"},
                                {"convnext-tiny-224", "hidden_sizes", "", "hidden_sizes.0: missing"},
                                {"ernie-4.5-vl-28b-a3b", "[64, 64]", "[64, 32]", "moe_num_experts: expected"},
                                {"deepseek-v3.2-exp", "index_topk", "", "index_topk: missing"},
                                {"dbrx-132b", "dbrx", "dbrx2", "unknown architecture"},
                                {"albert-base-v2", "\"num_hidden_groups\": 1", "\"num_hidden_groups\": 2",
                                 "num_hidden_groups: 2 is not modelled"}}) {
        std::string config = hub(one.network);
        const bool is_missing = *one.instead == 0;
        const std::string name = is_missing ? fmt::format("\"{}\"", one.key) : one.key;
        const std::size_t at = config.find(name);
        if (at == std::string::npos) {
            ADD_FAILURE() << one.network << " has no " << name;
            continue;
        }
        EXPECT_EQ(fault_of(config), "none") << one.network;
        config.replace(at, name.size(), is_missing ? "\"id2label\"" : one.instead);
        const std::string fault = fault_of(config);
        EXPECT_NE(fault.find(one.fault), std::string::npos) << one.network << ": " << fault;
    }
}

TEST(StoredWeights, AreCountedFromHeadersOrTheIndex) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "dodona-stored-weights";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    EXPECT_FALSE(stored_weights(folder, "bfloat16"));
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
    };
    write("model.safetensors.index.json", R"({"metadata": {"total_size": 1000}, "weight_map": {}})");
    EXPECT_EQ(stored_weights(folder, "bfloat16")->elements, 500);
    EXPECT_EQ(stored_weights(folder, "float32")->elements, 250);
    write("model.safetensors.index.json", R"({"metadata": {"total_size": 1000, "total_parameters": 333}})");
    EXPECT_EQ(stored_weights(folder, "bfloat16")->elements, 333);
    write("model.safetensors.index.json", R"({"weight_map": {}})");
    EXPECT_THROW(stored_weights(folder, "bfloat16"), InputError);
    const std::string header =
        R"({"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [3, 5]}, "b": {"shape": []}})";
    write("model.safetensors",
          std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "data");
    EXPECT_EQ(stored_weights(folder, "float32")->elements, 16) << "3 x 5, and a number";
    write("model.safetensors",
          std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header.substr(9));
    EXPECT_THROW(stored_weights(folder, "float32"), InputError) << "cut off";
    write("model.safetensors", std::string(8, '\xff'));
    EXPECT_THROW(stored_weights(folder, "float32"), InputError) << "no header is so large";
    std::filesystem::remove_all(folder);
}

TEST(HfConfig, LayersOfSeveralKindsAreFewEntries) {
    // Five of six layers are local, and two are left over.
    std::vector<std::size_t> kinds;
    for (std::size_t i = 0; i < 62; ++i) {
        kinds.push_back((i + 1) % 6 == 0 ? 1 : 0);
    }
    const LayerPattern pattern = layer_pattern(kinds);
    EXPECT_EQ(pattern.period, (std::vector<LayerRun>{{0, 5}, {1, 1}}));
    EXPECT_EQ(pattern.periods, 10U);
    EXPECT_EQ(pattern.rest, (std::vector<LayerRun>{{0, 2}}));
    EXPECT_TRUE(pattern.first.empty());
    const LayerPattern dense_first = layer_pattern({0, 0, 0, 1, 1, 1, 1});
    EXPECT_EQ(dense_first.first, (std::vector<LayerRun>{{0, 3}}));
    EXPECT_EQ(dense_first.period, (std::vector<LayerRun>{{1, 1}}));
    EXPECT_EQ(dense_first.periods, 4U);
}

}  // namespace hf_config_test
}  // namespace dodona::files::testing
