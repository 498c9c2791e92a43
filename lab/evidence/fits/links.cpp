#include "lab/evidence/fits/links.hpp"

#include <array>

#include "lab/evidence/fits/collective_tables.hpp"

namespace dodona::calibrate {

namespace {

using cluster::LevelKind;
using cluster::Wiring;
using namespace dodona::literals;

constexpr std::string_view kNcclTests = "nccl_single_domain_collectives.csv.gz";

Tables a100(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "a100_sxm"); }
Tables h100(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "h100_sxm"); }
Tables h200(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "h200_sxm"); }
Tables b200(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "b200_sxm"); }
Tables b300(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "b300_sxm"); }
Tables gb200(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "gb200"); }
Tables gb300(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "gb300"); }
Tables rtx(const Folder& folder) { return nccl_tests(folder.table(kNcclTests), "rtx_pro_6000_server"); }

Tables vtrain_a100(const Folder& folder) {
    return linear_all_reduces(folder.table("allreduce_a100_v100.csv.gz"), "A100");
}

Tables cube_mesh_v100(const Folder& folder) {
    Tables tables = linear_all_reduces(folder.table("allreduce_a100_v100.csv.gz"), "V100");
    tables.merge(sends_in_node(folder.table("aceso_v100_collectives.csv.gz")));
    return tables;
}

Tables vista(const Folder& folder) { return between_nodes(folder.table("nccl_internode_a100_gh200.csv.gz"), "Vista"); }

bool all(const CollectiveSeries&) { return true; }
/// NCCL uses fewer channels between two ranks than among more. Where two ranks are measured, four are, too.
bool more_than_two(const CollectiveSeries& series) { return series.ranks > 2; }
/// Fewer devices of a cube mesh have fewer links among them, and fewer of a PCI Express node pass fewer host bridges;
/// the model knows neither.
bool whole_node(const CollectiveSeries& series) { return series.ranks == 8; }

constexpr std::string_view kOutOfPlace =
    "nccl-tests, out of place, float16, median of the versions and repeats; held out: the same bytes as int8";

const std::array kRecipes{
    LinkRecipe{.name = "nvlink3-a100",
               .of = "A100 SXM4 under NVSwitch, 8 in a node",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 300_GB_per_s},
               .tables = a100,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink3-a100-vtrain",
               .of = "A100 under NVSwitch on the machine of the vTrain paper, 8 in a node",
               .conditions = "nccl-tests, out of place; held out: the 1,005 sizes between the points",
               .note = "start-ups up to 1 MiB are twice those of nvlink3-a100: perhaps an older NCCL",
               .level = {.bandwidth = 300_GB_per_s},
               .tables = vtrain_a100,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink4-h100",
               .of = "H100 SXM5 under NVSwitch, 8 in a node",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 450_GB_per_s},
               .tables = h100,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink4-h200",
               .of = "H200 SXM under NVSwitch, 8 in a node",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 450_GB_per_s},
               .tables = h200,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink5-b200",
               .of = "B200 SXM under NVSwitch, 8 in a node",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 900_GB_per_s},
               .tables = b200,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink5-b300",
               .of = "B300 SXM under NVSwitch, 8 in a node",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 900_GB_per_s},
               .tables = b300,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink5-gb200",
               .of = "GB200, 2 and 4 of an NVL72 domain",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 900_GB_per_s},
               .tables = gb200,
               .fits = more_than_two},
    LinkRecipe{.name = "nvlink5-gb300",
               .of = "GB300, 2 and 4 of an NVL72 domain",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 900_GB_per_s},
               .tables = gb300,
               .fits = more_than_two},
    LinkRecipe{.name = "pcie5-rtx-pro-6000",
               .of = "RTX PRO 6000 Blackwell Server on PCI Express 5.0 x16, 8 in a node",
               .conditions = kOutOfPlace,
               .level = {.bandwidth = 63_GB_per_s},
               .tables = rtx,
               .fits = whole_node},
    LinkRecipe{.name = "nvlink2-v100-cube",
               .of = "V100 SXM2, 8 in a hybrid cube mesh, ranks in order",
               .conditions = "nccl-tests, out of place; held out: the 1,005 sizes between the points. Sends: a table "
                             "of bandwidths by size, start-up within, nothing held out",
               .note = "of start and step only their sum over the 14 steps of 8 ranks is measured",
               .wiring = Wiring::ring,
               .level = {.kind = LevelKind::ring, .links = 6, .bandwidth = 25_GB_per_s},
               .tables = cube_mesh_v100,
               .fits = whole_node},
    LinkRecipe{.name = "infiniband-ndr",
               .of = "one NDR port of 400 Gb/s a GH200, one GPU a node (Vista)",
               .conditions = "NCCL all-reduces and sends between nodes; held out: every third size",
               .note = "the step is NCCL's own constant: NVIDIA/nccl at 01afd20, src/graph/tuning.cc, network step of "
                       "a ring with LL128",
               .level = {.kind = LevelKind::fat_tree, .bandwidth = 50_GB_per_s},
               .tables = vista,
               .fits = all,
               .only_large = true},
};

}  // namespace

MeasuredTable Folder::table(std::string_view name) const { return MeasuredTable(path + "/" + std::string(name)); }

std::span<const LinkRecipe> link_recipes() { return kRecipes; }

}  // namespace dodona::calibrate
