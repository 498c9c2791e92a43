#include "files/description_keys.hpp"
#include "questions/tables/tables.hpp"

namespace dodona {

namespace questions::tables {

namespace {

std::vector<std::string> row_precisions() { return {"fp32", "fp16", "bf16"}; }
constexpr files::TextForm kRowPrecision{.is = "a precision of rows", .choices = row_precisions};

}  // namespace

}  // namespace questions::tables

template <>
const files::Description& files::description<questions::tables::Options>() {
    using questions::tables::Options;
    static const Description described{
        .noun = "options of tables",
        .summary = "Where tables may be, and how their rows are looked up.",
        .keys = {optional<&Options::tier>(
                     "tier",
                     "all tables there: device, host or another tier of the machine; as there is room without it",
                     {.value_text = "NAME"}),
                 optional<&Options::table_precision>("table_precision", "of rows in memory; fp32 without it",
                                                     {.form = &questions::tables::kRowPrecision}),
                 optional<&Options::zipf>("zipf",
                                          "exponent of accesses: row i is looked up as often as 1/i^S; 0 without it",
                                          {.range = kNotNegative, .value_text = "S"}),
                 optional<&Options::cache>("cache",
                                           "of device memory, for copies of rows of other tiers: 0.1; 0 without it",
                                           {.range = kShare, .value_text = "SHARE"}),
                 optional<&Options::reserve>("reserve",
                                             "of device memory, for everything else than tables; 0.2 without it",
                                             {.range = kShare, .value_text = "SHARE"}),
                 optional<&Options::row_bandwidth>("row_bandwidth",
                                                   "rows of tables in a device's own memory: 900GB/s; without it as "
                                                   "gathers were measured there, which fused look-ups may exceed",
                                                   {.value_text = "BW"}),
                 optional<&Options::whole>("whole", "no table is split"),
                 optional<&Options::replicate>("replicate",
                                               "rows that are looked up often on every GPU, where that is faster"),
                 optional<&Options::fabrics>(
                     "fabrics", "the step on nodes whose GPUs are joined all to all, by a switch and in a ring")},
        .defaults = default_of<Options>};
    return described;
}

namespace questions::tables {

Heading heading() {
    return {.name = "tables",
            .summary = "where embedding tables are: tiers of memory, parts, balance, and the time of a step",
            .options = "Tables",
            .examples =
                "Examples:\n"
                "  dodona tables dlrm-bench --machine dgx-a100 --gpus 8 --batch 2048\n"
                "  dodona tables dlrm-dcnv2 --machine zionex --gpus 16 --batch 65536 --zipf 1.05 --cache 0.1"};
}

}  // namespace questions::tables
}  // namespace dodona
