#include "files/file_kinds.hpp"

#include "files/aliases.hpp"
#include "files/exchange_file.hpp"
#include "files/framework_file.hpp"
#include "files/link_file.hpp"
#include "files/logs/log_file.hpp"
#include "files/machine_file.hpp"
#include "files/memory_profile_file.hpp"
#include "files/model_file.hpp"
#include "files/noise_file.hpp"
#include "files/plan_file.hpp"
#include "files/profile_file.hpp"
#include "files/strategy_file.hpp"
#include "files/study_file.hpp"

namespace dodona::files {

std::vector<FileKind> file_kinds() {
    return {{"model", description<graph::NetworkSpec>()},
            {"device", description<cluster::Device>()},
            {"profile", description<cluster::Profile>()},
            {"link", description<cluster::Link>()},
            {"cluster", description<cluster::Cluster>()},
            {"strategy", description<plan::Strategy>()},
            {"plan", description<PlanFile>()},
            {"framework", description<plan::Framework>()},
            {"mechanism", description<plan::Mechanism>()},
            {"memory", description<plan::MemoryProfile>()},
            {"log", description<LogForm>()},
            {"exchange", description<exchange::Exchange>()},
            {"noise", description<simulate::NoiseProfile>()},
            {"trials", description<trials::Study>()},
            {"names", description<OtherNames>()}};
}

}  // namespace dodona::files
