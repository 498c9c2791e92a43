#include "questions/trials/launch.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/printable.hpp"

namespace dodona::questions::trials {

namespace {

using dodona::trials::Units;

/// Values that only the running trial knows, as the shell finds them. The shell does not quote the marks.
constexpr std::array kRunTime{std::pair{"@dodona-here@", "\"$PWD\""},
                              std::pair{"@dodona-gpus@", "\"${CUDA_VISIBLE_DEVICES:-}\""},
                              std::pair{"@dodona-node@", "\"$(uname -n)\""}};

std::string folder_of(std::size_t trial) { return fmt::format("trial-{:04}", trial + 1); }

std::string command_of(const Launch& launch, std::size_t trial) {
    const dodona::trials::Settings known{{"trial", std::to_string(trial + 1)},
                                         {"folder", kRunTime[0].first + ("/" + folder_of(trial))},
                                         {"cores", std::to_string(launch.units.cores)},
                                         {"gpus", std::to_string(launch.units.gpus)},
                                         {"gpu_ids", kRunTime[1].first},
                                         {"node", kRunTime[2].first}};
    std::string command = dodona::trials::filled(launch.study.command, launch.trials[trial], known);
    for (const auto& [mark, value] : kRunTime) {
        for (std::size_t at = command.find(mark); at != std::string::npos; at = command.find(mark, at)) {
            command.replace(at, std::string(mark).size(), value);
        }
    }
    return command;
}

/// `printable` writes control characters as Python does.
std::string python_text(const std::string& text) {
    std::string quoted;
    for (const char c : text) {
        quoted += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return "\"" + printable(quoted) + "\"";
}

/// One word of bash.
std::string bash_text(const std::string& text) {
    if (printable(text) == text) {
        return dodona::trials::shell_quoted(text);
    }
    std::string quoted;
    for (const char c : text) {
        const bool is_shown = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
        quoted += is_shown ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return "$'" + quoted + "'";
}

std::string heading(const Launch& launch, const char* how) {
    return fmt::format("# Written by dodona: {} of the study {}. {}\n{}",
                       launch.trials.size() == 1 ? "a trial" : "trials", printable_line(launch.study.name), how,
                       launch.predicted.empty() ? "" : "# " + launch.predicted + "\n");
}

/// Sources: SchedMD, sbatch(1): --array with the number of tasks at once after %; MaxArraySize of slurm.conf(5) is 1,001
/// by default.
std::string slurm_text(const Launch& launch) {
    const Units of_node = launch.pool.on_each_node(launch.units);
    std::string text = "#!/bin/bash\n";
    text += fmt::format("#SBATCH --job-name={}\n", dodona::trials::shell_quoted(printable_line(launch.study.name)));
    text += fmt::format("#SBATCH --array=0-{}%{}\n", launch.order.size() - 1, launch.pool.slots(launch.units));
    text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n", launch.pool.nodes_of(launch.units));
    text += of_node.cores > 0 ? fmt::format("#SBATCH --cpus-per-task={}\n", of_node.cores) : "";
    text += of_node.gpus > 0 ? fmt::format("#SBATCH --gpus-per-node={}\n", of_node.gpus) : "";
    text += "#SBATCH --output=/dev/null\n";
    text += heading(launch, "sbatch FILE; to run one again: sbatch --array=INDEX FILE");
    text += "FOLDERS=(\n";
    for (const std::size_t trial : launch.order) {
        text += "  " + folder_of(trial) + "\n";
    }
    text += ")\nCOMMANDS=(\n";
    for (const std::size_t trial : launch.order) {
        text += "  " + bash_text(command_of(launch, trial)) + "\n";
    }
    text += ")\n";
    text += of_node.cores > 0 ? fmt::format("export OMP_NUM_THREADS={}\n", of_node.cores) : "";
    text +=
        "folder=${FOLDERS[SLURM_ARRAY_TASK_ID]}\n"
        "mkdir -p \"$folder\"\n"
        "exec sh -c \"${COMMANDS[SLURM_ARRAY_TASK_ID]}\" >> \"$folder/log\" 2>&1\n";
    return text;
}

/// Source: bsc-wdc/compss-doc, Sections/02_App_Development/04_Constraints.rst and 03_Python.
std::string pycompss_text(const Launch& launch) {
    const Units& units = launch.units;
    std::string constraint = fmt::format("computing_units=\"{}\"", units.cores);
    if (units.gpus > 0) {
        const auto processor = [](const char* type, std::int64_t count) {
            return fmt::format(R"({{"processorType": "{}", "computingUnits": "{}"}})", type, count);
        };
        constraint = "processors=[" + (units.cores > 0 ? processor("CPU", units.cores) + ", " : "") +
                     processor("GPU", units.gpus) + "]";
    }
    std::string text = heading(launch, "runcompss FILE, or enqueue_compss --num_nodes=N FILE");
    text +=
        "import os\nimport subprocess\nimport sys\n\n"
        "from pycompss.api.api import compss_wait_on\n"
        "from pycompss.api.constraint import constraint\n"
        "from pycompss.api.task import task\n\n"
        "COMMANDS = {\n";
    for (const std::size_t trial : launch.order) {
        text += fmt::format("    \"{}\": {},\n", folder_of(trial), python_text(command_of(launch, trial)));
    }
    text += fmt::format("}}\n\n\n@constraint({})\n@task(returns=int)\n", constraint);
    text +=
        "def run(here, folder, command):\n"
        "    os.makedirs(os.path.join(here, folder), exist_ok=True)\n";
    text += units.cores > 0 ? fmt::format("    environment = dict(os.environ, OMP_NUM_THREADS=\"{}\")\n", units.cores)
                            : "    environment = None\n";
    text +=
        "    with open(os.path.join(here, folder, \"log\"), \"a\") as log:\n"
        "        return subprocess.run(command, shell=True, cwd=here, stdout=log, stderr=log, "
        "env=environment).returncode\n"
        "\n\n"
        "if __name__ == \"__main__\":\n"
        "    statuses = compss_wait_on([run(os.getcwd(), folder, command) for folder, command in COMMANDS.items()])\n"
        "    failed = [folder for folder, status in zip(COMMANDS, statuses) if status != 0]\n"
        "    sys.exit(\"failed: \" + \", \".join(failed) if failed else 0)\n";
    return text;
}

}  // namespace

std::string launch_text(Launcher launcher, const Launch& launch) {
    return launcher == Launcher::slurm ? slurm_text(launch) : pycompss_text(launch);
}

}  // namespace dodona::questions::trials
