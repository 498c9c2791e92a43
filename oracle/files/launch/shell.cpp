// Flags of shell scripts, with their variables put in.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/expression.hpp"
#include "base/ranges.hpp"
#include "files/launch/launch_text.hpp"
#include "files/launch/shell_branches.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kMaxFlags = 10'000;
constexpr std::int64_t kMaxListed = 10'000;                ///< items of a list of Python's
constexpr std::size_t kMaxExpandedScript = 2 * kMaxBytes;  ///< characters of a script after variables are put in

/// A piece of a script between blanks, its quotes taken off and its variables put in.
struct Word {
    std::string text;
    Location where;
    bool quoted = false;
    bool is_operator = false;  ///< ( ) ; & |
};

/// The items of a list as Python writes one, `([0]*3+[1]*58)`; none: it is no such list.
std::optional<std::vector<std::string>> python_list(const std::string& text) {
    std::vector<std::string> all;
    std::vector<std::string> items;
    std::string word;
    bool is_inside = false;
    const auto repeat = [&] {
        const auto times = whole_from(word);
        const auto* count = word.empty() ? nullptr : std::get_if<std::int64_t>(&times);
        const std::int64_t n = word.empty() ? 1 : count == nullptr ? -1 : *count;
        word.clear();
        if (n < 0 || n * static_cast<std::int64_t>(items.size()) > kMaxListed) {
            return false;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            all.insert(all.end(), items.begin(), items.end());
        }
        items.clear();
        return static_cast<std::int64_t>(all.size()) <= kMaxListed;
    };
    for (const char c : text.starts_with("(") || text.starts_with("[") ? text + "+" : "") {
        if (c == '[' || c == '(') {
            is_inside = c == '[' || is_inside;
        } else if (is_inside && (c == ',' || c == ']')) {
            items.push_back(std::exchange(word, {}));
            is_inside = c == ',';
        } else if (c == '+') {
            if (is_inside || items.empty() || !repeat()) {
                return std::nullopt;
            }
        } else if (c != '*' && c != ')' && c != ' ') {
            word += c;
        }
    }
    return all.empty() ? std::nullopt : std::optional(all);
}

/// Place at which the brace at `open` is closed, `${A:-"${B}/c"}`; the end of the text where it is not.
std::size_t closing_brace(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return text.size();
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether a text is an argument of the script that nothing says: $1, ${2}, and $OPTARG of getopts.
bool is_unsaid_argument(std::string text) {
    std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
    return text == "$OPTARG" ||
           (text.size() > 1 && text.front() == '$' && text.find_first_not_of("0123456789", 1) == std::string::npos);
}

/// `cat > FILE <<EOF`: what follows up to a line EOF.
struct HereDocument {
    std::string end;         ///< the line that ends it
    std::string file;        ///< that it is written to, as the script says it; empty: none
    bool is_script = false;  ///< a shell or a batch system is given it
    bool is_put_in = true;   ///< variables are
    bool has_tabs = false;   ///< `<<-`: its lines may begin with tabs that are not theirs
};

/// The document that a line begins; none where it begins none.
std::optional<HereDocument> here_document(const std::string& line) {
    const std::size_t at = line.find("<<");
    const std::size_t comment = line.find('#');
    if (at == std::string::npos || line.compare(at, 3, "<<<") == 0 || comment < at ||
        (at > 0 && std::isdigit(static_cast<unsigned char>(line[at - 1])) != 0)) {
        return std::nullopt;
    }
    HereDocument document{.end = {}, .file = {}, .has_tabs = line.compare(at, 3, "<<-") == 0};
    std::size_t end = line.find_first_not_of(" \t", at + (document.has_tabs ? 3 : 2));
    for (; end < line.size() && std::string_view(" \t;|&)>").find(line[end]) == std::string_view::npos; ++end) {
        if (line[end] == '\'' || line[end] == '"' || line[end] == '\\') {
            document.is_put_in = false;
        } else {
            document.end += line[end];
        }
    }
    if (document.end.empty() || std::isalpha(static_cast<unsigned char>(document.end.front())) == 0) {
        return std::nullopt;
    }
    std::istringstream words(line);
    std::string before;
    for (std::string word; words >> word; before = word) {
        const bool is_to = before == ">" || before == ">>" || before == "tee";
        const std::string to = is_to                    ? word
                               : word.starts_with(">>") ? word.substr(2)
                               : word.starts_with('>')  ? word.substr(1)
                                                        : "";
        document.file = to.empty() || to.starts_with('&') ? document.file : to;
        constexpr std::array kShells{"bash", "sh", "sbatch", "srun", "qsub", "ssh", "zsh"};
        document.is_script = document.is_script || contains(kShells, word);
    }
    std::erase_if(document.file, [](char c) { return c == '"' || c == '\''; });
    for (const char* ending : {".sh", ".slurm", ".sbatch", ".bash"}) {
        document.is_script = document.is_script || document.file.ends_with(ending);
    }
    return document;
}

class ShellReader {
public:
    ShellReader(std::shared_ptr<const Source> source, Node& root) : source_(std::move(source)), root_(root) {}

    void run() {
        for (std::size_t i = 0; i < source_->lines.size(); ++i) {
            const bool is_inside = quote_ != 0 || !array_.empty() || is_continued_;
            const std::string line = is_inside ? source_->lines[i] : branches_.running(source_->lines[i]);
            const auto document = is_inside ? std::nullopt : here_document(line);
            read_line(line, i);
            if (document && !document->is_script) {
                i = read_here_document(*document, i + 1);
            }
        }
        finish_flag();
        leave_open_launch_out();
        if (!root_.members.empty()) {
            note_surroundings();
        }
    }

private:
    /// Keeps what it writes to a file. Returns the line that ends it.
    std::size_t read_here_document(const HereDocument& document, std::size_t from) {
        std::string text;
        std::size_t i = from;
        for (; i < source_->lines.size(); ++i) {
            std::string line = source_->lines[i];
            line.erase(0, document.has_tabs ? line.find_first_not_of('\t') : 0);
            if (line == document.end) {
                break;
            }
            text += (document.is_put_in ? put_in(line) : line) + "\n";
            if (text.size() > kMaxExpanded) {
                fail({source_, static_cast<int>(i) + 1, 1, 1},
                     fmt::format("more than {} characters in a here-document", kMaxExpanded));
            }
        }
        if (!document.file.empty()) {
            here_documents_[put_in(document.file)] = std::move(text);
        }
        return i;
    }

    /// Words go to flags as they come; a line that does not end in `\` ends a command, but not an array.
    void read_line(const std::string& line, std::size_t number) {
        if (std::string_view(line).starts_with("#SBATCH")) {
            slurm(line, number);
            return;
        }
        is_continued_ = quote_ != 0;
        for (std::size_t at = 0; at < line.size();) {
            const char c = line[at];
            if (quote_ == 0 && (c == ' ' || c == '\t' || c == '\r')) {
                end_word();
                ++at;
            } else if (quote_ == 0 && c == '#' && !in_word_) {
                break;
            } else if (quote_ != '\'' && c == '\\' && line.find_first_not_of(" \t\r", at + 1) == std::string::npos) {
                is_continued_ = true;
                break;
            } else {
                at = character(line, number, at);
            }
        }
        if (quote_ != 0) {
            word_.text += '\n';
            return;
        }
        end_word();
        if (!is_continued_ && array_.empty()) {
            finish_flag();
            is_command_ = false;
            is_srun_ = false;
            words_ += " ;";
            ++command_;
        }
    }

    /// Takes what stands at `at`; returns where the next stands.
    std::size_t character(const std::string& line, std::size_t number, std::size_t at) {
        const char c = line[at];
        if (!in_word_) {
            in_word_ = true;
            word_ = {.text = {}, .where = {source_, static_cast<int>(number) + 1, static_cast<int>(at) + 1, 1}};
        }
        if (quote_ == 0 && (c == '"' || c == '\'')) {
            quote_ = c;
            word_.quoted = true;
            return at + 1;
        }
        if (quote_ != 0 && c == quote_) {
            quote_ = 0;
            return at + 1;
        }
        if (c == '\\' && quote_ != '\'' && at + 1 < line.size()) {
            add(line.substr(at + 1, 1));
            return at + 2;
        }
        if (c == '$' && quote_ != '\'') {
            return dollar(line, at);
        }
        if (quote_ == 0 && (c == '(' || c == ')' || c == ';' || c == '&' || c == '|')) {
            separator(c);
            return at + 1;
        }
        add(line.substr(at, 1));
        return at + 1;
    }

    void separator(char c) {
        const std::string text = word_.text;
        if (c == '(' && text.ends_with("=")) {  // NAME=( and NAME+=(
            const bool is_more = text.ends_with("+=");
            array_ = text.substr(0, text.size() - (is_more ? 2 : 1));
            if (!is_more) {
                variables_[array_].clear();
            }
            in_word_ = false;
            return;
        }
        end_word();
        finish_flag();
        is_command_ = false;
        command_ += array_.empty() && c != '(' && c != ')' ? 1 : 0;
        if (c == ')') {
            array_.clear();
        }
    }

    void add(const std::string& text) {
        if (word_.text.size() + text.size() > kMaxExpanded) {
            fail(word_.where, fmt::format("more than {} characters after variables are put in", kMaxExpanded));
        }
        expanded_ += text.size();
        if (expanded_ > kMaxExpandedScript) {
            fail(word_.where,
                 fmt::format("more than {} characters in all after variables are put in", kMaxExpandedScript));
        }
        word_.text += text;
    }

    /// $NAME, ${NAME}, ${NAME:-default}, ${NAME[@]}, $((1 + 2)). Commands and parameters of the script stay as written.
    std::size_t dollar(const std::string& line, std::size_t at) {
        if (line.compare(at, 3, "$((") == 0) {
            const std::size_t end = line.find("))", at);
            if (end != std::string::npos) {
                add(arithmetic(line.substr(at + 3, end - at - 3)));
                return end + 2;
            }
        }
        if (line.compare(at, 2, "$(") == 0) {
            int open = 0;
            std::size_t end = at + 1;
            for (; end < line.size(); ++end) {
                open += line[end] == '(' ? 1 : line[end] == ')' ? -1 : 0;
                if (open == 0) {
                    break;
                }
            }
            const bool is_sum = line.compare(at, 7, "$(expr ") == 0;
            add(is_sum ? arithmetic(line.substr(at + 7, end - at - 7)) : line.substr(at, end - at + 1));
            return std::min(end + 1, line.size());
        }
        if (line.compare(at, 2, "${") == 0) {
            const std::size_t end = closing_brace(line, at + 1);
            if (end < line.size()) {
                add(variable(line.substr(at + 2, end - at - 2)));
                return end + 1;
            }
        }
        std::size_t end = at + 1;
        while (end < line.size() && is_name_char(line[end])) {
            ++end;
        }
        add(end == at + 1 ? "$" : variable(line.substr(at + 1, end - at - 1)));
        return end;
    }

    std::string variable(const std::string& inside) {
        std::size_t end = 0;
        while (end < inside.size() && is_name_char(inside[end])) {
            ++end;
        }
        const std::string name = inside.substr(0, end);
        std::string rest = inside.substr(end);
        const auto found = variables_.find(name);
        if (found != variables_.end()) {
            return found->second;
        }
        if (rest.starts_with(":-") || rest.starts_with(":=")) {
            const bool is_kept = rest[1] == '=';
            rest = rest.substr(2);
            if (rest.size() > 1 && (rest.front() == '"' || rest.front() == '\'') && rest.back() == rest.front()) {
                rest = rest.substr(1, rest.size() - 2);
            }
            rest = put_in(rest);
            if (is_kept) {
                variables_[name] = rest;
            }
            return rest;
        }
        return "${" + inside + "}";
    }

    /// A text with the variables put in that are known: what another shell is given, or a condition.
    std::string put_in(const std::string& text) {
        std::string result;
        for (std::size_t at = 0; at < text.size() && result.size() < kMaxExpanded;) {
            const bool is_braced = text.compare(at, 2, "${") == 0;
            const std::size_t begin = at + (is_braced ? 2 : 1);
            std::size_t end = begin;
            while (!is_braced && end < text.size() && is_name_char(text[end])) {
                ++end;
            }
            end = is_braced ? closing_brace(text, at + 1) : end;
            if (text[at] != '$' || end == begin) {
                result += text[at++];
                continue;
            }
            result += variable(text.substr(begin, end - begin));
            at = end + (is_braced ? 1 : 0);
        }
        return result;
    }

    std::string arithmetic(std::string text) {
        text.erase(std::remove(text.begin(), text.end(), '$'), text.end());
        text.erase(std::remove(text.begin(), text.end(), '\\'), text.end());
        text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '}'; }), text.end());
        try {
            const Expression expression = Expression::parse(text, word_.where);
            const double value = expression.evaluate([&](std::string_view name) -> std::optional<double> {
                const auto found = variables_.find(std::string(name));
                const auto number = found == variables_.end() ? decimal_from("") : decimal_from(found->second);
                const auto* is = std::get_if<double>(&number);
                return is == nullptr ? std::nullopt : std::optional(*is);
            });
            return fmt::format("{:.0f}", value);
        } catch (const InputError&) {
            return "$((" + text + "))";
        }
    }

    void end_word() {
        if (!in_word_) {
            return;
        }
        in_word_ = false;
        word_.where.length = 1;
        if (!array_.empty()) {
            std::string& all = variables_[array_];
            all += (all.empty() ? "" : " ") + word_.text;
            if (all.size() > kMaxExpanded) {
                fail(word_.where, fmt::format("more than {} characters in {}", kMaxExpanded, array_));
            }
            pieces(word_);
            return;
        }
        std::string text = word_.text;
        std::size_t end = 0;
        while (end < text.size() && is_name_char(text[end])) {
            ++end;
        }
        const bool is_assignment = end > 0 && end < text.size() &&
                                   (text[end] == '=' || text.compare(end, 2, "+=") == 0) &&
                                   std::isdigit(static_cast<unsigned char>(text[0])) == 0;
        if (is_assignment && !flag_.empty() && values_.empty()) {  // --config_overrides n_embd=1024,n_head=16
            values_.push_back(text);
            return;
        }
        if (is_assignment && is_command_ && text[end] == '=') {  // an override: mixed_precision=bf16_mixed
            finish_flag();
            flag_ = text.substr(0, end);
            flag_where_ = word_.where;
            values_.push_back(text.substr(end + 1));
            finish_flag();
            return;
        }
        if (is_assignment) {
            const bool is_more = text[end] == '+';
            std::string& value = variables_[text.substr(0, end)];
            const std::string given = text.substr(end + (is_more ? 2 : 1));
            // Arguments that are not there replace nothing.
            value = !value.empty() && is_unsaid_argument(given) ? value : (is_more ? value : "") + given;
            word_.text = value;
            if (word_.quoted) {
                pieces(word_);
                finish_flag();
            }
            return;
        }
        constexpr std::array kNoCommands{"export", "declare", "local", "readonly", "then", "else", "do", "{"};
        is_command_ = is_command_ || !contains(kNoCommands, text);
        pieces(word_);
    }

    /// A variable put in may be several words; settings in JSON are one.
    void pieces(const Word& word) {
        if (word.quoted && word.text.starts_with('{') && !flag_.empty()) {
            values_.push_back(word.text);
            return;
        }
        std::size_t begin = 0;
        while (begin < word.text.size()) {
            begin = word.text.find_first_not_of(" \t\n", begin);
            if (begin == std::string::npos) {
                break;
            }
            const std::size_t end = std::min(word.text.find_first_of(" \t\n", begin), word.text.size());
            piece(word.text.substr(begin, end - begin), word.where);
            begin = end;
        }
    }

    void piece(const std::string& text, const Location& where) {
        const std::size_t equals = text.find('=');
        is_srun_ = is_srun_ || text == "srun";
        if (text == "-np" || (is_srun_ && text == "-N")) {  // of mpirun and srun
            finish_flag();
            flag_ = text == "-N" ? "sbatch.nodes" : "world-size";
            flag_where_ = where;
            return;
        }
        if (text.starts_with("--") && text.size() > 2) {
            finish_flag();
            flag_ = key_of(text.substr(2, equals == std::string::npos ? equals : equals - 2));
            flag_where_ = where;
            if (equals != std::string::npos) {
                values_.push_back(text.substr(equals + 1));
                finish_flag();
            }
            return;
        }
        const std::size_t dot = text.find('.');
        if (dot != std::string::npos && equals != std::string::npos && dot < equals && dot > 0) {  // model.layers=4
            finish_flag();
            flag_ = text.substr(text.find_first_not_of("+~"), equals - text.find_first_not_of("+~"));
            flag_where_ = where;
            values_.push_back(text.substr(equals + 1));
            finish_flag();
            return;
        }
        words_ += " " + text;
        if (!flag_.empty()) {
            values_.push_back(text);
        }
    }

    /// The member kSurroundings: what is started, and in which environment.
    void note_surroundings() {
        const auto scalar = [&](std::string text) {
            return std::make_shared<const Node>(
                Node{.kind = Node::Kind::scalar, .text = std::move(text), .where = root_.where});
        };
        auto around = std::make_shared<Node>(Node{.kind = Node::Kind::mapping, .where = root_.where});
        around->members.push_back({kWords, root_.where, scalar(words_ + " ")});
        const auto mapping = [&](const std::map<std::string, std::string>& texts) {
            auto node = std::make_shared<Node>(Node{.kind = Node::Kind::mapping, .where = root_.where});
            for (const auto& [name, text] : texts) {
                node->members.push_back({name, root_.where, scalar(text)});
            }
            return node;
        };
        around->members.push_back({kHereDocuments, root_.where, mapping(here_documents_)});
        around->members.push_back({kGivenBefore, root_.where, mapping(given_before_)});
        for (const auto& [name, value] : variables_) {
            around->members.push_back({"$" + name, root_.where, scalar(value)});
        }
        root_.members.push_back({kSurroundings, root_.where, std::move(around)});
    }

    /// As targets spell it: `micro-batch-size`, but `training.local_batch_size`.
    [[nodiscard]] std::string key_of(std::string text) const {
        const bool is_dotted = text.find('.') != std::string::npos && !text.starts_with("sbatch.");
        std::replace(text.begin(), text.end(), is_dotted ? '-' : '_', is_dotted ? '_' : '-');
        const bool is_of_slurm =
            text == "nodes" || text == "ntasks-per-node" || text == "gpus-per-node" || text == "gres";
        return is_srun_ && is_of_slurm ? "sbatch." + text : text;
    }

    /// `--gres gpu:8` are GPUs of a node, and SLURM has variables of how many nodes and GPUs there are.
    void note_slurm() {
        std::string& value = values_.front();
        if (flag_ == "sbatch.gres" && value.starts_with("gpu:")) {
            flag_ = "sbatch.gpus-per-node";
        }
        if (flag_ == "sbatch.gpus-per-node") {
            value = value.substr(value.find_last_of(':') + 1);
        }
        const std::map<std::string, std::vector<std::string>> told{
            {"sbatch.nodes", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
            {"sbatch.ntasks-per-node", {"SLURM_NTASKS_PER_NODE"}},
            {"sbatch.gpus-per-node", {"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}}};
        if (const auto found = told.find(flag_); found != told.end()) {
            for (const std::string& name : found->second) {
                variables_.emplace(name, value);
            }
        }
    }

    /// Numbers of nodes and GPUs that only a run knows (`--nproc-per-node gpu`, `--nnodes $NODES`) are not said.
    void leave_open_launch_out() {
        const auto is_open = [](const Node::Member& member) {
            return (member.key == "nnodes" || member.key == "nproc-per-node") &&
                   !std::holds_alternative<std::int64_t>(whole_from(member.value->text));
        };
        std::vector<Node::Member>& members = root_.members;
        if (std::any_of(members.begin(), members.end(), is_open)) {
            members.erase(std::remove_if(members.begin(), members.end(),
                                         [](const Node::Member& member) {
                                             return member.key == "nnodes" || member.key == "nproc-per-node";
                                         }),
                          members.end());
        }
    }

    void finish_flag() {
        if (flag_.empty()) {
            return;
        }
        for (std::string& value : values_) {
            value = value.find('$') == std::string::npos ? value : put_in(value);
        }
        if (flag_.starts_with("sbatch.") && !values_.empty()) {
            note_slurm();
        }
        auto node = std::make_shared<Node>();
        node->kind = Node::Kind::scalar;
        node->where = flag_where_;
        node->text = values_.empty() ? "true" : values_.front();
        if (const auto listed = values_.size() == 1 ? python_list(values_.front()) : std::nullopt) {
            node->kind = Node::Kind::list;
            values_ = *listed;
        }
        if (values_.size() > 1 ||
            node->kind == Node::Kind::list) {  // several values, or one and the script that torchrun starts
            for (const std::string& value : values_) {
                auto item = std::make_shared<Node>();
                item->kind = Node::Kind::scalar;
                item->where = flag_where_;
                item->text = value;
                node->items.push_back(std::move(item));
            }
        }
        const auto [same, is_new] = index_.emplace(flag_, root_.members.size());
        const std::size_t given_by = is_command_ ? std::exchange(given_by_[flag_], command_) : command_;
        if (!is_new) {
            Node::Member& member = root_.members[same->second];
            if (given_by != command_ && given_by > 0 && member.value->text != node->text &&
                !flag_.starts_with("sbatch.")) {
                given_before_[flag_] = member.value->text;
            }
            member.value = std::move(node);
            member.where = flag_where_;
        } else if (root_.members.size() < kMaxFlags) {
            root_.members.push_back({flag_, flag_where_, std::move(node)});
        } else {
            fail(flag_where_, fmt::format("more than {} flags", kMaxFlags));
        }
        flag_.clear();
        values_.clear();
    }

    /// `#SBATCH --nodes=4 --exclusive -N 4`: any number of flags, with `=` or a blank before the value.
    void slurm(const std::string& line, std::size_t number) {
        constexpr std::size_t kPrefix = 7;  // of #SBATCH
        for (std::size_t at = kPrefix; at < line.size();) {
            const std::size_t begin = std::min(line.find_first_not_of(" \t\r", at), line.size());
            at = std::min(line.find_first_of(" \t\r", begin), line.size());
            std::string word = line.substr(begin, at - begin);
            if (word.starts_with('#')) {
                break;
            }
            const Location where{source_, static_cast<int>(number) + 1, static_cast<int>(begin) + 1, 1};
            if (word.starts_with("--") || word == "-N") {
                finish_flag();
                word = word == "-N" ? "nodes" : word.substr(2);
                piece("--sbatch." + word, where);
            } else if (word.starts_with('-')) {
                finish_flag();
            } else if (!word.empty() && !flag_.empty()) {
                piece(word, where);
            }
        }
        finish_flag();
    }

    std::shared_ptr<const Source> source_;
    Node& root_;
    std::map<std::string, std::string> variables_;
    std::string array_;  ///< the variable whose array is open
    char quote_ = 0;
    bool in_word_ = false;
    bool is_continued_ = false;  ///< the next line is of the same command
    bool is_srun_ = false;       ///< srun came before in the command
    ShellBranches branches_{[this](const std::string& text) { return put_in(text); }};
    bool is_command_ = false;  ///< a word that is no assignment came before on the line
    Word word_;
    std::string words_;  ///< those that are no flags and no assignments, ` ;` after each command
    std::size_t expanded_ = 0;
    std::map<std::string, std::size_t> index_;     ///< flag -> its place among the members
    std::map<std::string, std::size_t> given_by_;  ///< flag -> number of the command that gave it last
    std::map<std::string, std::string> given_before_;
    std::map<std::string, std::string> here_documents_;
    std::size_t command_ = 1;  ///< number of the one that is read, from 1
    std::string flag_;
    Location flag_where_;
    std::vector<std::string> values_;
};

/// The file of settings that a command is given as a word: `llamafactory-cli train sft.yaml`; empty: none.
std::string settings_file(const Source& script) {
    for (const std::string& line : script.lines) {
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            if (word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".toml")) {
                return word;
            }
        }
    }
    return "";
}

}  // namespace

Document read_shell(std::string text, const std::string& name) {
    Text read = read_text(std::move(text), name, {.is = "a shell script", .too_large = "leave out what is no command"});
    auto root = std::make_shared<Node>();
    root->kind = Node::Kind::mapping;
    root->where = {read.source, 0, 0, 1};
    ShellReader(read.source, *root).run();
    if (root->members.empty()) {
        const std::string file = settings_file(*read.source);
        fail(root->where, "no flags in it",
             file.empty() ? "a launch script has flags, `--tensor-model-parallel-size 8`"
                          : fmt::format("it starts {}, whose settings `--from {}` reads", file, file));
    }
    Document document;
    document.source = read.source;
    document.root = std::move(root);
    return document;
}

}  // namespace dodona::files
