#include "files/spoken_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace dodona::files {

namespace {

struct SpokenName {
    NameOf kind;
    std::string_view word;  ///< small letters and digits
    std::string_view name;
    std::string_view note = {};  ///< what else could have been meant
};

constexpr std::string_view kH100s = "8 H100 SXM a node; with other networks: rail-optimised-h100, eos";
constexpr std::string_view kA100s = "8 A100 80 GB a node; also dgx-a100 (40 GB), selene, perlmutter, jean-zay-a100";

constexpr std::array kSpokenNames{
    SpokenName{NameOf::cluster, "h100", "dgx-h100", kH100s},
    SpokenName{NameOf::cluster, "h100sxm", "dgx-h100", kH100s},
    SpokenName{NameOf::cluster, "h200", "hgx-h200", "8 H200 a node"},
    SpokenName{NameOf::cluster, "h100pcie", "mlperf-h100-pcie-80gb-x8-node", "8 H100 PCIe, one node"},
    SpokenName{NameOf::cluster, "h800", "deepseek-h800", "8 H800 a node"},
    SpokenName{NameOf::cluster, "p5", "aws-p5", "8 H100 an instance"},
    SpokenName{NameOf::cluster, "a100", "dgx-a100-80gb", kA100s},
    SpokenName{NameOf::cluster, "a10080gb", "dgx-a100-80gb", kA100s},
    SpokenName{NameOf::cluster, "a10040gb", "dgx-a100", "8 A100 40 GB a node; also jean-zay-a100, juwels-booster"},
    SpokenName{NameOf::cluster, "v100", "dgx-1-v100-32gb", "8 V100 32 GB a node; also dgx-1-v100-16gb, dgx-2, abci"},
    SpokenName{NameOf::cluster, "v10016gb", "dgx-1-v100-16gb", "8 V100 16 GB a node; also abci"},
    SpokenName{NameOf::cluster, "p100", "dgx-1-p100", "8 P100 a node; also piz-daint, one a node"},
    SpokenName{NameOf::cluster, "b200", "dgx-b200", "8 B200 a node; also hgx-b200 and dgx-gb200"},
    SpokenName{NameOf::cluster, "b300", "dgx-b300", "8 B300 a node; also dgx-gb300"},
    SpokenName{NameOf::cluster, "gb200", "dgx-gb200", "racks of 72"},
    SpokenName{NameOf::cluster, "gb300", "dgx-gb300", "racks of 72"},
    SpokenName{NameOf::cluster, "gh200", "alps", "4 GH200 a node"},
    SpokenName{NameOf::cluster, "t4", "cloud-pcie", "8 T4 a node, without NVLink"},
    SpokenName{NameOf::cluster, "l4", "l4-x8", "8 L4 a node, without NVLink"},
    SpokenName{NameOf::cluster, "l40s", "l40s-x8", "8 L40S a node, without NVLink"},
    SpokenName{NameOf::cluster, "a10", "a10-x4", "4 A10 a node, without NVLink"},
    SpokenName{NameOf::cluster, "3090", "rtx-3090-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "4090", "rtx-4090-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "5090", "rtx-5090-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "rtx3090", "rtx-3090-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "rtx4090", "rtx-4090-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "rtx5090", "rtx-5090-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "a6000", "rtx-a6000-x8",
               "8 cards on PCI Express; workstation has 4 with NVLink bridges"},
    SpokenName{NameOf::cluster, "rtxa6000", "rtx-a6000-x8",
               "8 cards on PCI Express; workstation has 4 with NVLink bridges"},
    SpokenName{NameOf::cluster, "6000ada", "rtx-6000-ada-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "rtx6000ada", "rtx-6000-ada-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "rtxpro6000", "rtx-pro-6000-x8", "8 cards on PCI Express"},
    SpokenName{NameOf::cluster, "mi250", "frontier", "4 MI250X a node, two devices each"},
    SpokenName{NameOf::cluster, "mi250x", "frontier", "4 MI250X a node, two devices each"},
    SpokenName{NameOf::cluster, "mi300", "mi300x-8x400", "8 MI300X a node"},
    SpokenName{NameOf::cluster, "mi300x", "mi300x-8x400", "8 MI300X a node"},
    SpokenName{NameOf::cluster, "mi325x", "mi325x-8x400", "8 MI325X a node"},
    SpokenName{NameOf::cluster, "mi355x", "mi355x-8x400", "8 MI355X a node"},
    SpokenName{NameOf::cluster, "gaudi2", "gaudi2-x8", "8 Gaudi 2 a node"},
    SpokenName{NameOf::cluster, "gaudi3", "gaudi3-x8", "8 Gaudi 3 a node"},
    SpokenName{NameOf::cluster, "tpuv4", "tpu-v4-pod", "pods of 4,096 chips"},
    SpokenName{NameOf::cluster, "tpuv5e", "tpu-v5e-256", "pods of 256 chips"},
    SpokenName{NameOf::cluster, "v5e", "tpu-v5e-256", "pods of 256 chips"},
    SpokenName{NameOf::cluster, "tpuv5p", "tpu-v5p-pod", "pods of 8,960 chips"},
    SpokenName{NameOf::cluster, "v5p", "tpu-v5p-pod", "pods of 8,960 chips"},
    SpokenName{NameOf::cluster, "tpuv6e", "tpu-v6e-256", "pods of 256 chips"},
    SpokenName{NameOf::cluster, "v6e", "tpu-v6e-256", "pods of 256 chips"},
    SpokenName{NameOf::cluster, "trillium", "tpu-v6e-256", "pods of 256 chips"},
    SpokenName{NameOf::cluster, "trainium", "trn2-48xlarge", "16 Trainium2 an instance"},
    SpokenName{NameOf::cluster, "trn2", "trn2-48xlarge", "16 Trainium2 an instance"},
    SpokenName{NameOf::cluster, "trainium2", "trn2-48xlarge", "16 Trainium2 an instance"},

    SpokenName{NameOf::device, "h100", "h100-sxm5-80gb", "also h100-pcie-80gb"},
    SpokenName{NameOf::device, "h100sxm", "h100-sxm5-80gb"},
    SpokenName{NameOf::device, "h100sxm80gb", "h100-sxm5-80gb"},
    SpokenName{NameOf::device, "h100pcie", "h100-pcie-80gb"},
    SpokenName{NameOf::device, "h200", "h200-sxm-141gb", "also h200-nvl-141gb"},
    SpokenName{NameOf::device, "h200nvl", "h200-nvl-141gb"},
    SpokenName{NameOf::device, "a100", "a100-sxm4-80gb", "also a100-sxm4-40gb, a100-pcie-80gb, a100-pcie-40gb"},
    SpokenName{NameOf::device, "a10080gb", "a100-sxm4-80gb", "also a100-pcie-80gb"},
    SpokenName{NameOf::device, "a10040gb", "a100-sxm4-40gb", "also a100-pcie-40gb"},
    SpokenName{NameOf::device, "v100", "v100-sxm2-32gb", "also v100-sxm2-16gb, v100-sxm3-32gb"},
    SpokenName{NameOf::device, "p100", "p100-sxm2-16gb", "also p100-pcie-16gb"},
    SpokenName{NameOf::device, "3090", "rtx-3090"},
    SpokenName{NameOf::device, "4090", "rtx-4090"},
    SpokenName{NameOf::device, "5090", "rtx-5090"},
    SpokenName{NameOf::device, "2080ti", "rtx-2080-ti"},
    SpokenName{NameOf::device, "1080ti", "gtx-1080-ti"},
    SpokenName{NameOf::device, "a6000", "rtx-a6000"},
    SpokenName{NameOf::device, "6000ada", "rtx-6000-ada"},
    SpokenName{NameOf::device, "mi250", "mi250x", "one of its two dies"},
    SpokenName{NameOf::device, "mi300", "mi300x"},
    SpokenName{NameOf::device, "tpuv5", "tpu-v5p", "also tpu-v5e"},
    SpokenName{NameOf::device, "v5e", "tpu-v5e"},
    SpokenName{NameOf::device, "v5p", "tpu-v5p"},
    SpokenName{NameOf::device, "v6e", "tpu-v6e"},
    SpokenName{NameOf::device, "trillium", "tpu-v6e"},
    SpokenName{NameOf::device, "trn2", "trainium2"},

    SpokenName{NameOf::model, "gpt3", "gpt3-175b", "175 billion parameters; also gpt3-20b"},
    SpokenName{NameOf::model, "gpt2small", "gpt2"},
    SpokenName{NameOf::model, "bert", "bert-large"},
    SpokenName{NameOf::model, "bloom", "bloom-176b"},
    SpokenName{NameOf::model, "llama2", "llama-2-7b", "also llama-2-13b and llama-2-70b"},
    SpokenName{NameOf::model, "llama3", "llama-3.1-8b", "also llama-3.1-70b and llama-3.1-405b"},
    SpokenName{NameOf::model, "llama31", "llama-3.1-8b", "also llama-3.1-70b and llama-3.1-405b"},
    SpokenName{NameOf::model, "llama38b", "llama-3.1-8b", "Llama 3 and 3.1 have the same layers"},
    SpokenName{NameOf::model, "llama370b", "llama-3.1-70b", "Llama 3 and 3.1 have the same layers"},
    SpokenName{NameOf::model, "llama3405b", "llama-3.1-405b"},
    SpokenName{NameOf::model, "llama4", "llama-4-maverick-400b"},
    SpokenName{NameOf::model, "llama4maverick", "llama-4-maverick-400b"},
    SpokenName{NameOf::model, "deepseek", "deepseek-v3", "also deepseek-v2"},
    SpokenName{NameOf::model, "deepseekv3671b", "deepseek-v3"},
    SpokenName{NameOf::model, "gptoss", "gpt-oss-120b"},
    SpokenName{NameOf::model, "qwen3", "qwen3-8b", "also qwen3-30b-a3b and qwen3-235b-a22b"},
    SpokenName{NameOf::model, "grok", "grok1-314b"},
    SpokenName{NameOf::model, "grok1", "grok1-314b"},
    SpokenName{NameOf::model, "kimi", "kimi-k2"},
    SpokenName{NameOf::model, "mtnlg", "turing-530b"},
    SpokenName{NameOf::model, "resnet", "resnet50"},
    SpokenName{NameOf::model, "vgg", "vgg16"},
    SpokenName{NameOf::model, "vit", "vit-large"},
    SpokenName{NameOf::model, "vitl", "vit-large"},
    SpokenName{NameOf::model, "dlrm", "dlrm-mlperf", "also dlrm-bench"},

    SpokenName{NameOf::strategy, "dp", "data"},
    SpokenName{NameOf::strategy, "ddp", "data"},
    SpokenName{NameOf::strategy, "dataparallel", "data"},
    SpokenName{NameOf::strategy, "fsdp", "zero3"},
    SpokenName{NameOf::strategy, "fsdp2", "zero3"},
    SpokenName{NameOf::strategy, "fullshard", "zero3"},
    SpokenName{NameOf::strategy, "shardgradop", "zero2"},
    SpokenName{NameOf::strategy, "hsdp", "hybrid-shard"},
    SpokenName{NameOf::strategy, "hybridshard", "hybrid-shard"},
    SpokenName{NameOf::strategy, "tp", "megatron", "tensor parallelism, with data and pipeline parallelism around it"},
    SpokenName{NameOf::strategy, "tensor", "megatron",
               "tensor parallelism, with data and pipeline parallelism around it"},
    SpokenName{NameOf::strategy, "sp", "megatron-sequence"},
    SpokenName{NameOf::strategy, "3d", "megatron"},
    SpokenName{NameOf::strategy, "pp", "pipeline"},
    SpokenName{NameOf::strategy, "gpipe", "pipeline"},
    SpokenName{NameOf::strategy, "cp", "megatron-context", "also context-ring, context-all-gather, context-ulysses"},
    SpokenName{NameOf::strategy, "context", "megatron-context",
               "also context-ring, context-all-gather, context-ulysses"},
    SpokenName{NameOf::strategy, "ring", "context-ring"},
    SpokenName{NameOf::strategy, "ringattention", "context-ring"},
    SpokenName{NameOf::strategy, "ulysses", "context-ulysses", "also megatron-ulysses"},
    SpokenName{NameOf::strategy, "ep", "expert", "with tensor and pipeline parallelism: megatron-moe"},
    SpokenName{NameOf::strategy, "moe", "megatron-moe"},

    SpokenName{NameOf::framework, "megatron", "megatron-2024", "also megatron-2021 and megatron-2026"},
    SpokenName{NameOf::framework, "megatronlm", "megatron-2024", "also megatron-2021 and megatron-2026"},
    SpokenName{NameOf::framework, "megatroncore", "megatron-2024", "also megatron-2026"},
    SpokenName{NameOf::framework, "nemo", "megatron-2024"},
    SpokenName{NameOf::framework, "fsdp", "composer-fsdp"},
    SpokenName{NameOf::framework, "jax", "maxtext"},
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

std::optional<Meant> meant_by(NameOf kind, std::string_view word, std::span<const std::string> known) {
    const std::string plain = plain_letters(word);
    if (plain.empty()) {
        return {};
    }
    const auto is_known = [&](std::string_view name) {
        return std::find(known.begin(), known.end(), name) != known.end();
    };
    for (const SpokenName& row : kSpokenNames) {
        if (row.kind == kind && row.word == plain && is_known(row.name)) {
            return Meant{std::string(row.name), std::string(row.note)};
        }
    }
    std::optional<Meant> only;
    for (const std::string& name : known) {
        if (plain_letters(name) == plain) {
            if (only) {
                return {};
            }
            only = Meant{name, {}};
        }
    }
    return only;
}

}  // namespace dodona::files
