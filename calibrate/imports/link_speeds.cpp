#include "calibrate/imports/link_speeds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

constexpr BytesPerSecond kNvlink1 = 20_GB_per_s;
constexpr BytesPerSecond kNvlink2 = 25_GB_per_s;
constexpr BytesPerSecond kBridge = 14.0625_GB_per_s;  // 112.5 GB/s both ways over four links
constexpr BytesPerSecond kNvlink5 = 50_GB_per_s;
constexpr BytesPerSecond kUnpublishedBandwidth{};
constexpr double kGen3 = 8, kGen4 = 16, kGen5 = 32, kUnpublished = 0;

constexpr std::array kDevices{
    DeviceLinks{"p100", 60, kNvlink1, 4, kGen3, "NVIDIA P100 data sheet: four NVLink of 20 GB/s one way"},
    DeviceLinks{"v100", 70, kNvlink2, 6, kGen3, "NVIDIA V100 data sheet: six NVLink 2 of 25 GB/s one way"},
    DeviceLinks{"titan rtx", 0, kNvlink2, 2, kGen3, "NVIDIA Titan RTX: NVLink bridge, 100 GB/s both ways"},
    DeviceLinks{"2080 ti", 0, kNvlink2, 2, kGen3, "NVIDIA Turing white paper: two NVLink of 25 GB/s one way"},
    DeviceLinks{"quadro rtx 6000", 0, kNvlink2, 2, kGen3, "NVIDIA Quadro RTX 6000 data sheet: 100 GB/s both ways"},
    DeviceLinks{"quadro rtx 8000", 0, kNvlink2, 2, kGen3, "NVIDIA Quadro RTX 8000 data sheet: 100 GB/s both ways"},
    DeviceLinks{"t4", 0, kUnpublishedBandwidth, 0, kGen3, "NVIDIA T4 data sheet: no NVLink"},
    DeviceLinks{"a800", 0, kNvlink2, 8, kGen4, "NVIDIA A800 data sheet: NVLink, 400 GB/s both ways"},
    DeviceLinks{"a100", 80, kNvlink2, 12, kGen4, "NVIDIA A100 data sheet: twelve NVLink 3 of 25 GB/s one way"},
    DeviceLinks{"a30", 0, kNvlink2, 4, kGen4, "NVIDIA A30 data sheet: NVLink bridge, 200 GB/s both ways"},
    DeviceLinks{"a40", 0, kBridge, 4, kGen4, "NVIDIA A40 data sheet: NVLink bridge, 112.5 GB/s both ways"},
    DeviceLinks{"a6000", 86, kBridge, 4, kGen4, "NVIDIA RTX A6000 data sheet: NVLink bridge, 112.5 GB/s both ways"},
    DeviceLinks{"3090", 0, kBridge, 4, kGen4, "NVIDIA GA102 white paper: four NVLink of 14.0625 GB/s one way"},
    DeviceLinks{"rtx 6000 ada", 0, kUnpublishedBandwidth, 0, kGen4, "NVIDIA RTX 6000 Ada data sheet: no NVLink"},
    DeviceLinks{"l40s", 0, kUnpublishedBandwidth, 0, kGen4, "NVIDIA L40S data sheet: no NVLink"},
    DeviceLinks{"l40", 0, kUnpublishedBandwidth, 0, kGen4, "NVIDIA L40 data sheet: no NVLink"},
    DeviceLinks{"l4", 0, kUnpublishedBandwidth, 0, kGen4, "NVIDIA L4 data sheet: no NVLink"},
    DeviceLinks{"4090", 89, kUnpublishedBandwidth, 0, kGen4, "NVIDIA Ada white paper: no NVLink"},
    DeviceLinks{"h800", 0, kNvlink2, 8, kGen5, "NVIDIA H800: NVLink, 400 GB/s both ways"},
    DeviceLinks{"h100", 90, kNvlink2, 18, kGen5, "NVIDIA H100 data sheet: eighteen NVLink 4 of 25 GB/s one way"},
    DeviceLinks{"h200", 0, kNvlink2, 18, kGen5, "NVIDIA H200 data sheet: eighteen NVLink 4 of 25 GB/s one way"},
    DeviceLinks{"h20", 0, kNvlink2, 18, kGen5, "NVIDIA H20: NVLink, 900 GB/s both ways"},
    DeviceLinks{"gh200", 0, kNvlink2, 18, kGen5, "NVIDIA GH200 data sheet: eighteen NVLink 4 of 25 GB/s one way"},
    DeviceLinks{"b200", 100, kNvlink5, 18, kGen5, "NVIDIA B200 data sheet: eighteen NVLink 5 of 50 GB/s one way"},
    DeviceLinks{"gb200", 0, kNvlink5, 18, kUnpublished, "NVIDIA GB200 data sheet: NVLink 5, 1.8 TB/s both ways"},
    DeviceLinks{"b300", 103, kNvlink5, 18, kUnpublished, "NVIDIA B300 data sheet: NVLink 5, 1.8 TB/s both ways"},
    DeviceLinks{"gb300", 0, kNvlink5, 18, kUnpublished, "NVIDIA GB300 data sheet: NVLink 5, 1.8 TB/s both ways"},
    DeviceLinks{"5090", 0, kUnpublishedBandwidth, 0, kGen5, "NVIDIA RTX Blackwell white paper: no NVLink"},
    DeviceLinks{"rtx pro 6000", 0, kUnpublishedBandwidth, 0, kGen5, "NVIDIA RTX PRO 6000 data sheet: no NVLink"},
};

/// " nvidia h100 80gb hbm3 ": words between single blanks.
std::string as_words(std::string_view text) {
    std::string words = " ";
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (words.back() != ' ') {
            words += ' ';
        }
    }
    return words.back() == ' ' ? words : words + ' ';
}

}  // namespace

const DeviceLinks* links_of(std::string_view device) {
    const std::string words = as_words(device);
    for (const DeviceLinks& row : kDevices) {
        if (words.find(fmt::format(" {} ", row.model)) != std::string::npos) {
            return &row;
        }
    }
    return nullptr;
}

const DeviceLinks* links_of(int compute_capability) {
    for (const DeviceLinks& row : kDevices) {
        if (row.compute_capability != 0 && row.compute_capability == compute_capability) {
            return &row;
        }
    }
    return nullptr;
}

std::string known_models() {
    std::string all;
    for (const DeviceLinks& row : kDevices) {
        all += fmt::format("{}{}", all.empty() ? "" : ", ", row.model);
    }
    return all;
}

BytesPerSecond bandwidth(const PcieSlot& slot) {
    constexpr double kBitsOfAByte = 8;
    const double coding = slot.transfers >= 64 ? 242.0 / 256.0 : slot.transfers >= 8 ? 128.0 / 130.0 : 8.0 / 10.0;
    return slot.transfers * coding / kBitsOfAByte * slot.lanes * 1_GB_per_s;
}

std::string source_of(const PcieSlot& slot) {
    const std::string_view coding = slot.transfers >= 64  ? "242 of 256 bytes of a flit"
                                    : slot.transfers >= 8 ? "128b/130b coding"
                                                          : "8b/10b coding";
    return fmt::format("PCI Express base specification: {} lanes of {} GT/s, {}", slot.lanes, slot.transfers, coding);
}

/// Source: NVIDIA/nccl src/graph/topo.h and src/graph/topo.cc, ncclTopoGetInterCpuBw; families and models are those of
/// cpuid with the extended part added (175 is AMD's family 19h).
std::optional<Interconnect> interconnect_of(std::string_view processor) {
    struct Row {
        std::string_view vendor;
        int family;
        int from_model;
        BytesPerSecond bandwidth;
        std::string_view constant;
    };
    constexpr std::array kRows{
        Row{"AuthenticAMD", 143, 0, 16_GB_per_s, "AMD_ZEN12_BW"},
        Row{"AuthenticAMD", 175, 0, 24_GB_per_s, "AMD_ZEN34_BW"},
        Row{"AuthenticAMD", 191, 0, 32_GB_per_s, "AMD_ZEN5_BW"},
        Row{"GenuineIntel", 6, 207, 40_GB_per_s, "ERP_QPI_BW"},
        Row{"GenuineIntel", 6, 143, 22_GB_per_s, "SRP_QPI_BW"},
        Row{"GenuineIntel", 6, 85, 10_GB_per_s, "SKL_QPI_BW"},
        Row{"GenuineIntel", 6, 0, 6_GB_per_s, "BDW_QPI_BW"},
    };
    const std::size_t blank = processor.find(' ');
    int family = 0;
    int model = 0;
    if (blank == std::string_view::npos ||
        std::sscanf(std::string(processor.substr(blank)).c_str(), "%d %d", &family, &model) != 2) {
        return std::nullopt;
    }
    const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) {
        return row.vendor == processor.substr(0, blank) && row.family == family && model >= row.from_model;
    });
    if (found == kRows.end()) {
        return std::nullopt;
    }
    return Interconnect{found->bandwidth, fmt::format("NVIDIA/nccl src/graph/topo.h: {}", found->constant)};
}

}  // namespace dodona::calibrate
