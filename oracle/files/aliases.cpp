#include "files/aliases.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "base/small_letters.hpp"

#include <fmt/format.h>

namespace dodona::files {

namespace {

struct Alias {
    NameOf kind;
    std::string_view word;  ///< small letters and digits
    std::string_view name;
    std::string_view note = {};  ///< what else could have been meant
};

constexpr std::string_view kH100s = "8 H100 SXM a node; with other networks: rail-optimised-h100, eos";
constexpr std::string_view kA100s = "8 A100 80 GB a node; also dgx-a100 (40 GB), selene, perlmutter, jean-zay-a100";

constexpr std::string_view kDistilled = "it has the same layers";
constexpr std::string_view kQwen2 = "Qwen2 and Qwen2.5 have the same layers";
constexpr std::string_view kYi = "Yi and Yi-1.5 have the same layers";

constexpr std::array kAliases{
    Alias{NameOf::cluster, "h100", "dgx-h100", kH100s},
    Alias{NameOf::cluster, "h100sxm", "dgx-h100", kH100s},
    Alias{NameOf::cluster, "h200", "dgx-h200",
          "8 H200 a node; in clouds aws-p5en, azure-nd-h200-v5, gce-a3-ultra, oci-h200"},
    Alias{NameOf::cluster, "h20", "h20-x8", "8 H20, one node"},
    Alias{NameOf::cluster, "a800", "a800-x8", "8 A800, one node"},
    Alias{NameOf::cluster, "p5en", "aws-p5en", "8 H200 an instance"},
    Alias{NameOf::cluster, "p6", "aws-p6-b200", "8 B200 an instance; racks: aws-p6e-gb200"},
    Alias{NameOf::cluster, "a3mega", "gce-a3-mega", "8 H100 an instance"},
    Alias{NameOf::cluster, "a3ultra", "gce-a3-ultra", "8 H200 an instance"},
    Alias{NameOf::cluster, "h100pcie", "mlperf-h100-pcie-80gb-x8-node", "8 H100 PCIe, one node"},
    Alias{NameOf::cluster, "h800", "deepseek-h800", "8 H800 a node"},
    Alias{NameOf::cluster, "p5", "aws-p5", "8 H100 an instance"},
    Alias{NameOf::cluster, "a100", "dgx-a100-80gb", kA100s},
    Alias{NameOf::cluster, "a10080gb", "dgx-a100-80gb", kA100s},
    Alias{NameOf::cluster, "a10040gb", "dgx-a100", "8 A100 40 GB a node; also jean-zay-a100, juwels-booster"},
    Alias{NameOf::cluster, "v100", "dgx-1-v100-32gb", "8 V100 32 GB a node; also dgx-1-v100-16gb, dgx-2, abci"},
    Alias{NameOf::cluster, "v10016gb", "dgx-1-v100-16gb", "8 V100 16 GB a node; also abci"},
    Alias{NameOf::cluster, "p100", "dgx-1-p100", "8 P100 a node; also piz-daint, one a node"},
    Alias{NameOf::cluster, "b200", "dgx-b200", "8 B200 a node; also hgx-b200 and dgx-gb200"},
    Alias{NameOf::cluster, "b300", "dgx-b300", "8 B300 a node; also dgx-gb300"},
    Alias{NameOf::cluster, "gb200", "dgx-gb200", "racks of 72"},
    Alias{NameOf::cluster, "gb300", "dgx-gb300", "racks of 72"},
    Alias{NameOf::cluster, "rubin", "dgx-vr200", "racks of 72, as announced"},
    Alias{NameOf::cluster, "vr200", "dgx-vr200", "racks of 72, as announced"},
    Alias{NameOf::cluster, "spark", "dgx-spark", "two GB10"},
    Alias{NameOf::cluster, "gb10", "dgx-spark", "two GB10"},
    Alias{NameOf::cluster, "gh200", "alps", "4 GH200 a node"},
    Alias{NameOf::cluster, "t4", "cloud-pcie", "8 T4 a node, without NVLink"},
    Alias{NameOf::cluster, "l4", "l4-x8", "8 L4 a node, without NVLink"},
    Alias{NameOf::cluster, "l20", "l20-x8", "8 L20 a node, without NVLink"},
    Alias{NameOf::cluster, "a40", "a40-x8", "8 A40 a node"},
    Alias{NameOf::cluster, "l40s", "l40s-x8", "8 L40S a node, without NVLink"},
    Alias{NameOf::cluster, "a10", "a10-x4", "4 A10 a node, without NVLink"},
    Alias{NameOf::cluster, "3090", "rtx-3090-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "4090", "rtx-4090-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "5090", "rtx-5090-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "rtx3090", "rtx-3090-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "rtx4090", "rtx-4090-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "rtx5090", "rtx-5090-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "a6000", "rtx-a6000-x8", "8 cards on PCI Express; workstation has 4 with NVLink bridges"},
    Alias{NameOf::cluster, "rtxa6000", "rtx-a6000-x8", "8 cards on PCI Express; workstation has 4 with NVLink bridges"},
    Alias{NameOf::cluster, "6000ada", "rtx-6000-ada-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "rtx6000ada", "rtx-6000-ada-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "rtxpro6000", "rtx-pro-6000-x8", "8 cards on PCI Express"},
    Alias{NameOf::cluster, "mi250", "frontier", "4 MI250X a node, two devices each"},
    Alias{NameOf::cluster, "mi250x", "frontier", "4 MI250X a node, two devices each"},
    Alias{NameOf::cluster, "mi300", "mi300x-8x400", "8 MI300X a node"},
    Alias{NameOf::cluster, "mi300x", "mi300x-8x400", "8 MI300X a node"},
    Alias{NameOf::cluster, "mi325x", "mi325x-8x400", "8 MI325X a node"},
    Alias{NameOf::cluster, "mi355x", "mi355x-8x400", "8 MI355X a node"},
    Alias{NameOf::cluster, "gaudi2", "gaudi2-x8", "8 Gaudi 2 a node"},
    Alias{NameOf::cluster, "gaudi3", "gaudi3-x8", "8 Gaudi 3 a node"},
    Alias{NameOf::cluster, "tpuv4", "tpu-v4-pod", "pods of 4,096 chips"},
    Alias{NameOf::cluster, "tpuv5e", "tpu-v5e-256", "pods of 256 chips"},
    Alias{NameOf::cluster, "v5e", "tpu-v5e-256", "pods of 256 chips"},
    Alias{NameOf::cluster, "tpuv5p", "tpu-v5p-pod", "pods of 8,960 chips"},
    Alias{NameOf::cluster, "v5p", "tpu-v5p-pod", "pods of 8,960 chips"},
    Alias{NameOf::cluster, "tpuv6e", "tpu-v6e-256", "pods of 256 chips"},
    Alias{NameOf::cluster, "v6e", "tpu-v6e-256", "pods of 256 chips"},
    Alias{NameOf::cluster, "trillium", "tpu-v6e-256", "pods of 256 chips"},
    Alias{NameOf::cluster, "tpuv7", "tpu-v7x-pod", "pods of 9,216 chips"},
    Alias{NameOf::cluster, "tpuv7x", "tpu-v7x-pod", "pods of 9,216 chips"},
    Alias{NameOf::cluster, "tpu7x", "tpu-v7x-pod", "pods of 9,216 chips"},
    Alias{NameOf::cluster, "ironwood", "tpu-v7x-pod", "pods of 9,216 chips"},
    Alias{NameOf::cluster, "910b", "ascend-910b-x8", "8 Ascend 910B a node"},
    Alias{NameOf::cluster, "ascend910b", "ascend-910b-x8", "8 Ascend 910B a node"},
    Alias{NameOf::cluster, "910c", "cloudmatrix-384", "384 Ascend 910C, two dies each"},
    Alias{NameOf::cluster, "ascend910c", "cloudmatrix-384", "384 Ascend 910C, two dies each"},
    Alias{NameOf::cluster, "cloudmatrix", "cloudmatrix-384", "384 Ascend 910C, two dies each"},
    Alias{NameOf::cluster, "trn1", "trn1-32xlarge", "16 Trainium an instance"},
    Alias{NameOf::cluster, "trn3", "trn3-ultraserver", "Trainium3"},
    Alias{NameOf::cluster, "trainium3", "trn3-ultraserver", "Trainium3"},
    Alias{NameOf::cluster, "trainium", "trn2-48xlarge", "16 Trainium2 an instance"},
    Alias{NameOf::cluster, "trn2", "trn2-48xlarge", "16 Trainium2 an instance"},
    Alias{NameOf::cluster, "trainium2", "trn2-48xlarge", "16 Trainium2 an instance"},

    Alias{NameOf::device, "h100", "h100-sxm5-80gb", "also h100-pcie-80gb"},
    Alias{NameOf::device, "h100sxm", "h100-sxm5-80gb"},
    Alias{NameOf::device, "h100sxm80gb", "h100-sxm5-80gb"},
    Alias{NameOf::device, "h100pcie", "h100-pcie-80gb"},
    Alias{NameOf::device, "h200", "h200-sxm-141gb", "also h200-nvl-141gb"},
    Alias{NameOf::device, "h200nvl", "h200-nvl-141gb"},
    Alias{NameOf::device, "h20", "h20-sxm5-96gb"},
    Alias{NameOf::device, "a800", "a800-sxm4-80gb"},
    Alias{NameOf::device, "a100", "a100-sxm4-80gb", "also a100-sxm4-40gb, a100-pcie-80gb, a100-pcie-40gb"},
    Alias{NameOf::device, "a10080gb", "a100-sxm4-80gb", "also a100-pcie-80gb"},
    Alias{NameOf::device, "a10040gb", "a100-sxm4-40gb", "also a100-pcie-40gb"},
    Alias{NameOf::device, "v100", "v100-sxm2-32gb", "also v100-sxm2-16gb, v100-sxm3-32gb"},
    Alias{NameOf::device, "p100", "p100-sxm2-16gb", "also p100-pcie-16gb"},
    Alias{NameOf::device, "3090", "rtx-3090"},
    Alias{NameOf::device, "4090", "rtx-4090"},
    Alias{NameOf::device, "5090", "rtx-5090"},
    Alias{NameOf::device, "2080ti", "rtx-2080-ti"},
    Alias{NameOf::device, "1080ti", "gtx-1080-ti"},
    Alias{NameOf::device, "a6000", "rtx-a6000"},
    Alias{NameOf::device, "6000ada", "rtx-6000-ada"},
    Alias{NameOf::device, "mi250", "mi250x", "one of its two dies"},
    Alias{NameOf::device, "mi300", "mi300x"},
    Alias{NameOf::device, "tpuv5", "tpu-v5p", "also tpu-v5e"},
    Alias{NameOf::device, "v5e", "tpu-v5e"},
    Alias{NameOf::device, "v5p", "tpu-v5p"},
    Alias{NameOf::device, "v6e", "tpu-v6e"},
    Alias{NameOf::device, "trillium", "tpu-v6e"},
    Alias{NameOf::device, "tpuv7", "tpu-v7x"},
    Alias{NameOf::device, "tpu7x", "tpu-v7x"},
    Alias{NameOf::device, "ironwood", "tpu-v7x"},
    Alias{NameOf::device, "910b", "ascend-910b2", "also ascend-910b3"},
    Alias{NameOf::device, "ascend910b", "ascend-910b2", "also ascend-910b3"},
    Alias{NameOf::device, "910c", "ascend-910c", "one of its two dies"},
    Alias{NameOf::device, "spark", "gb10"},
    Alias{NameOf::device, "rubin", "vr200"},
    Alias{NameOf::device, "trn1", "trainium1"},
    Alias{NameOf::device, "trn2", "trainium2"},
    Alias{NameOf::device, "trn3", "trainium3"},

    Alias{NameOf::model, "gpt3", "gpt3-175b", "175 billion parameters; also gpt3-20b"},
    Alias{NameOf::model, "gpt2small", "gpt2"},
    Alias{NameOf::model, "bert", "bert-large"},
    Alias{NameOf::model, "bloom", "bloom-176b"},
    Alias{NameOf::model, "llama2", "llama-2-7b", "also llama-2-13b and llama-2-70b"},
    Alias{NameOf::model, "llama3", "llama-3.1-8b", "also llama-3.1-70b and llama-3.1-405b"},
    Alias{NameOf::model, "llama31", "llama-3.1-8b", "also llama-3.1-70b and llama-3.1-405b"},
    Alias{NameOf::model, "llama370b", "llama-3.1-70b", "Llama 3 and 3.1 have the same layers"},
    Alias{NameOf::model, "llama3405b", "llama-3.1-405b"},
    Alias{NameOf::model, "llama3370b", "llama-3.1-70b", "Llama 3.1 and 3.3 have the same layers"},
    Alias{NameOf::model, "llama4", "llama-4-maverick-400b"},
    Alias{NameOf::model, "llama4maverick", "llama-4-maverick-400b"},
    Alias{NameOf::model, "deepseek", "deepseek-v3", "also deepseek-v2"},
    Alias{NameOf::model, "deepseekv3671b", "deepseek-v3"},
    Alias{NameOf::model, "deepseekr1", "deepseek-v3", kDistilled},
    Alias{NameOf::model, "deepseekr1distillqwen15b", "qwen2.5-1.5b", kDistilled},
    Alias{NameOf::model, "deepseekr1distillqwen7b", "qwen2.5-7b", kDistilled},
    Alias{NameOf::model, "deepseekr1distillqwen14b", "qwen2.5-14b", kDistilled},
    Alias{NameOf::model, "deepseekr1distillqwen32b", "qwen2.5-32b", kDistilled},
    Alias{NameOf::model, "deepseekr1distillllama8b", "llama-3.1-8b", kDistilled},
    Alias{NameOf::model, "deepseekr1distillllama70b", "llama-3.1-70b", kDistilled},
    Alias{NameOf::model, "qwq32b", "qwen2.5-32b", kDistilled},
    Alias{NameOf::model, "qwen25", "qwen2.5-7b", "also qwen2.5-14b, qwen2.5-32b, qwen2.5-72b and smaller ones"},
    Alias{NameOf::model, "qwen205b", "qwen2.5-0.5b", kQwen2},
    Alias{NameOf::model, "qwen215b", "qwen2.5-1.5b", kQwen2},
    Alias{NameOf::model, "qwen27b", "qwen2.5-7b", kQwen2},
    Alias{NameOf::model, "qwen272b", "qwen2.5-72b", kQwen2},
    Alias{NameOf::model, "phi35mini", "phi-3-mini", "Phi-3 and 3.5 mini have the same layers"},
    Alias{NameOf::model, "yi156b", "yi-6b", kYi},
    Alias{NameOf::model, "yi159b", "yi-9b", kYi},
    Alias{NameOf::model, "yi1534b", "yi-34b", kYi},
    Alias{NameOf::model, "mistral", "mistral-7b", "also mistral-nemo-12b and mistral-small-24b"},
    Alias{NameOf::model, "gemma3", "gemma-3-27b", "also gemma-3-1b, gemma-3-4b and gemma-3-12b"},
    Alias{NameOf::model, "gemma2", "gemma-2-9b", "also gemma-2-2b and gemma-2-27b"},
    Alias{NameOf::model, "phi", "phi-4", "also phi-3-mini and phi-3-medium"},
    Alias{NameOf::model, "falcon", "falcon-7b", "also falcon-40b and falcon-180b"},
    Alias{NameOf::model, "glm", "glm-4.5", "also glm-4.5-air and glm-5"},
    Alias{NameOf::model, "flux", "flux.1-dev"},
    Alias{NameOf::model, "whisper", "whisper-large-v3", "also smaller ones: whisper-medium"},
    Alias{NameOf::model, "gptoss", "gpt-oss-120b"},
    Alias{NameOf::model, "qwen3", "qwen3-8b", "also qwen3-30b-a3b and qwen3-235b-a22b"},
    Alias{NameOf::model, "grok", "grok1-314b"},
    Alias{NameOf::model, "grok1", "grok1-314b"},
    Alias{NameOf::model, "kimi", "kimi-k2"},
    Alias{NameOf::model, "mtnlg", "turing-530b"},
    Alias{NameOf::model, "resnet", "resnet50"},
    Alias{NameOf::model, "vgg", "vgg16"},
    Alias{NameOf::model, "vit", "vit-large"},
    Alias{NameOf::model, "vitl", "vit-large"},
    Alias{NameOf::model, "dlrm", "dlrm-mlperf", "also dlrm-bench"},

    Alias{NameOf::strategy, "dp", "data"},
    Alias{NameOf::strategy, "ddp", "data"},
    Alias{NameOf::strategy, "dataparallel", "data"},
    Alias{NameOf::strategy, "fsdp", "zero3"},
    Alias{NameOf::strategy, "fsdp2", "zero3"},
    Alias{NameOf::strategy, "fullshard", "zero3"},
    Alias{NameOf::strategy, "shardgradop", "zero2"},
    Alias{NameOf::strategy, "hsdp", "hybrid-shard"},
    Alias{NameOf::strategy, "hybridshard", "hybrid-shard"},
    Alias{NameOf::strategy, "tp", "megatron", "tensor parallelism, with data and pipeline parallelism around it"},
    Alias{NameOf::strategy, "tensor", "megatron", "tensor parallelism, with data and pipeline parallelism around it"},
    Alias{NameOf::strategy, "sp", "megatron-sequence"},
    Alias{NameOf::strategy, "3d", "megatron"},
    Alias{NameOf::strategy, "pp", "pipeline"},
    Alias{NameOf::strategy, "gpipe", "pipeline"},
    Alias{NameOf::strategy, "cp", "megatron-context", "also context-ring, context-all-gather, context-ulysses"},
    Alias{NameOf::strategy, "context", "megatron-context", "also context-ring, context-all-gather, context-ulysses"},
    Alias{NameOf::strategy, "ring", "context-ring"},
    Alias{NameOf::strategy, "ringattention", "context-ring"},
    Alias{NameOf::strategy, "ulysses", "context-ulysses", "also megatron-ulysses"},
    Alias{NameOf::strategy, "ep", "expert", "with tensor and pipeline parallelism: megatron-moe"},
    Alias{NameOf::strategy, "moe", "megatron-moe"},

};

}  // namespace

std::string plain_letters(std::string_view text) {
    std::string plain;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0) {
            plain += static_cast<char>(std::tolower(byte));
        }
    }
    return plain;
}

namespace {

/// Length of the end of a name that says how it was trained further; 0: there is none.
std::size_t end_of_training(const std::string& name) {
    constexpr std::array<std::string_view, 9> kEnds{"-instruct", "-thinking", "-base", "-chat", "-it",
                                                    "-hf",       "-preview",  "-v0.1", "-v1.5"};
    for (const std::string_view end : kEnds) {
        if (name.size() > end.size() && name.ends_with(end)) {
            return end.size();
        }
    }
    constexpr std::size_t kMonth = 5;  // -2507
    const std::size_t dash = name.rfind('-');
    return dash != std::string::npos && dash > 0 && name.size() - dash == kMonth &&
                   name.find_first_not_of("0123456789", dash + 1) == std::string::npos
               ? kMonth
               : 0;
}

}  // namespace

bool is_hub_name(const std::string& word) {
    const std::size_t slash = word.find('/');
    std::error_code fault;
    return slash != 0 && slash != std::string::npos && slash == word.rfind('/') && slash + 1 < word.size() &&
           word.find_first_of(".~") != 0 && !word.ends_with(".yaml") && !word.ends_with(".yml") &&
           !word.ends_with(".json") && !word.ends_with(".onnx") && !std::filesystem::exists(word, fault);
}

std::vector<std::string> names_before_training(std::string_view word) {
    constexpr std::string_view kMeta = "meta-";
    std::string name = small_letters(std::string(word.substr(word.find('/') + 1)));  // npos + 1 is 0
    if (name.starts_with(kMeta)) {
        name.erase(0, kMeta.size());
    }
    std::vector<std::string> names{name};
    for (std::size_t end = end_of_training(name); end > 0; end = end_of_training(name)) {
        name.resize(name.size() - end);
        names.push_back(name);
    }
    return names;
}

std::string name_stem(std::string_view name) {
    std::string stem;
    for (const char c : name) {
        if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
            break;
        }
        stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return stem;
}

std::optional<ResolvedAlias> resolve_alias(NameOf kind, std::string_view word, std::span<const std::string> known) {
    const std::size_t digits = word.find_first_not_of("0123456789");
    if (kind == NameOf::cluster && digits != 0 && digits != std::string_view::npos && word[digits] == 'x') {
        auto resolved = resolve_alias(kind, word.substr(digits + 1), known);  // 8xH100
        if (resolved) {
            resolved->note += fmt::format("{}how many train together is --gpus", resolved->note.empty() ? "" : "; ");
            return resolved;
        }
    }
    const std::string letters = plain_letters(word);
    if (letters.empty()) {
        return {};
    }
    const auto is_known = [&](std::string_view name) {
        return std::find(known.begin(), known.end(), name) != known.end();
    };
    for (const Alias& row : kAliases) {
        if (row.kind == kind && row.word == letters && is_known(row.name)) {
            return ResolvedAlias{std::string(row.name), std::string(row.note)};
        }
    }
    std::optional<ResolvedAlias> only;
    for (const std::string& name : known) {
        if (plain_letters(name) == letters) {
            if (only) {
                return {};
            }
            only = ResolvedAlias{name, {}};
        }
    }
    return only;
}

}  // namespace dodona::files
