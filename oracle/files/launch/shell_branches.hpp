// Which lines of a shell script run: branches of `if` and `case` whose conditions compare known words.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dodona::files {

class ShellBranches {
public:
    /// `put_in`: a text with the variables so far put in.
    explicit ShellBranches(std::function<std::string(const std::string&)> put_in) : put_in_(std::move(put_in)) {}

    /// What of a line runs, in its columns; empty where its branch is not taken. A branch whose condition is not known
    /// is taken, but for those of `case` over arguments of the script, of which there are none.
    std::string running(const std::string& line);

private:
    struct Branch {
        bool is_case = false;
        bool outer = true;     ///< whether the lines around it run
        bool runs = true;      ///< whether its lines run
        bool settled = false;  ///< an earlier branch was taken for sure
        std::string word;      ///< of `case`
    };

    [[nodiscard]] bool runs() const { return open_.empty() || (open_.back().outer && open_.back().runs); }
    [[nodiscard]] bool is_of_arguments(std::string word) const;  ///< $1, or that of getopts
    void choose(const std::string& condition);
    void match(const std::string& patterns);

    std::function<std::string(const std::string&)> put_in_;
    std::vector<Branch> open_;
    std::string option_;  ///< the variable of `getopts`
};

}  // namespace dodona::files
