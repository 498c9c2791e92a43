"""Puts every mutant of a layer into one module of LLVM: each change is made only if the variable `dodona_mutant` has its number.

So one build serves all mutants. What is changed, where the text of the source has it (Source.change):
operators, comparisons, min and max, && and || (the left side no longer counts), and the numbers 0, 1 and 2, true and false.
Where a value would have become another one, dodona_reached[number] is set: a test in which it never did cannot kill.
"""
import pathlib
import re
import subprocess

COMPARISONS = {"eq": "ne", "ne": "eq", "slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult",
               "ugt": "uge", "uge": "ugt", "oeq": "une", "une": "oeq", "olt": "ole", "ole": "olt", "ogt": "oge", "oge": "ogt"}
FLOATS = {"fadd": "fsub", "fsub": "fadd", "fmul": "fdiv", "fdiv": "fmul"}
WHOLE = {"add": "sub", "sub": "add", "mul": "add", "sdiv": "mul", "udiv": "mul", "srem": "mul", "urem": "mul"}  # never by zero
QUANTITIES = {"+": "fsub", "-": "fadd", "*": "fdiv", "/": "fmul"}
ORDERS = {"<": ("sle", "slt"), "<=": ("slt", "sle"), ">": ("sge", "sgt"), ">=": ("sgt", "sge")}
NUMBER = re.compile(r"(?P<type>\b(?:i32|i64|double|i8|i1)\b(?: noundef| zeroext| signext)*) "
                    r"(?P<value>[012]\.0{6}e\+00|[012]|true|false)(?=[,)]|$)")
OPERAND = re.compile(r"(?<=[ ,])(?P<value>[012]\.0{6}e\+00|[012])(?=,|$)")
CALL = re.compile(r"^  (?:(?P<name>%\S+) = )?(?:tail )?(?P<how>call|invoke) (?P<rest>.*)$")


def code_of(line):
    """The line with comments and texts blanked out: nothing is changed there. Nothing of preprocessor lines."""
    if line.lstrip().startswith(("#", "//", "template", "namespace", "using ")):
        return " " * len(line)
    line = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text.group()), line)
    return re.sub(r"//.*", lambda text: " " * len(text.group()), line)


class Places:
    """Where an instruction comes from: its file below one of the folders, line and column, by its number of debug information."""

    def __init__(self, module, root, folders):
        self.files, self.scopes, self.locations, self.texts = {}, {}, {}, {}
        self.root, self.folders = root, [root / folder for folder in folders]
        for number, kind, fields in re.findall(r"^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$", module, re.M):
            found = dict(re.findall(r"\b(file|scope|line|column|filename|directory|inlinedAt): (?:!)?(\"[^\"]*\"|\d+)", fields))
            if kind == "DIFile":
                path = pathlib.Path(found["directory"].strip('"')) / found["filename"].strip('"')
                self.files[number] = path.resolve()
            elif kind in ("DISubprogram", "DILexicalBlock", "DILexicalBlockFile"):
                self.scopes[number] = (found.get("file"), found.get("scope"))
            elif kind == "DILocation" and "inlinedAt" not in found:
                self.locations[number] = (found["scope"], int(found.get("line", 0)), int(found.get("column", 0)))

    def of(self, line):
        """(path below the root, line, column, the code from there on, the whole line of code); None outside the folders' .cpp files."""
        found = re.search(r"!dbg !(\d+)", line)
        if not found or found.group(1) not in self.locations:
            return None
        scope, row, column = self.locations[found.group(1)]
        path = self.files.get(self.scopes.get(scope, (None, None))[0])
        if path is None or path.suffix != ".cpp" or row == 0 or not any(map(path.is_relative_to, self.folders)):
            return None
        if path not in self.texts:
            self.texts[path] = [code_of(text) for text in path.read_text().splitlines()]
        code = self.texts[path][row - 1]
        return str(path.relative_to(self.root)), row, column, code[column - 1:], code


class Writer:
    """The module with the mutants. `mutants` lists them: number, place and change."""

    def __init__(self, module, places, first):
        self.module, self.places, self.first = module, places, first
        self.numbers, self.mutants, self.count = {}, [], 0
        self.named, self.seen = {}, {}

    def number_of(self, place, what):
        self.seen[(place, what)] = self.seen.get((place, what), 0) + 1
        if self.seen[(place, what)] > 1:  # a + b + c: both operators have the place of a
            what += f", no. {self.seen[(place, what)]}"
        key = (place[0], place[1], place[2], what)
        if key not in self.numbers:
            self.numbers[key] = self.first + len(self.numbers)
            self.mutants.append({"number": self.numbers[key], "file": key[0], "line": key[1], "column": key[2], "change": what})
        return self.numbers[key]

    def active(self, place, what):
        """(lines that ask whether the mutant is on, its bit, its number)"""
        number = self.number_of(place, what)
        self.count += 1
        bit = f"%mut.on{self.count}"
        return ([f"  {bit}.v = load i32, i32* @dodona_mutant, align 4", f"  {bit} = icmp eq i32 {bit}.v, {number}"], bit, number)

    def reached(self, number, differs=None):
        place = f"i8* getelementptr inbounds ([65536 x i8], [65536 x i8]* @dodona_reached, i64 0, i64 {number})"
        if differs is None:
            return [f"  store i8 1, {place}, align 1"]
        self.count += 1
        mark = f"%mut.mark{self.count}"
        return [f"  {mark}.old = load i8, {place}, align 1", f"  {mark}.new = zext i1 {differs} to i8",
                f"  {mark} = or i8 {mark}.old, {mark}.new", f"  store i8 {mark}, {place}, align 1"]

    def chosen(self, place, what, name, kind, original, other, tail):
        """`name` = `other` if the mutant is on, else `original`."""
        lines, bit, number = self.active(place, what)
        compare = {"double": "fcmp une double"}.get(kind, f"icmp ne {kind}")
        lines += [f"  {bit}.d = {compare} {original}, {other}"] + self.reached(number, f"{bit}.d")
        return lines + [f"  {name} = select i1 {bit}, {kind} {other}, {kind} {original}{tail}"]

    def fresh(self):
        self.count += 1
        return f"%mut.x{self.count}"

    def text_of(self, symbol):
        return self.named.get(symbol, "")

    def demangle(self):
        symbols = sorted(set(re.findall(r"@(_Z\w+)\(", self.module)))
        shown = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout.split("\n")
        self.named = dict(zip(symbols, shown))

    def number_changed(self, place, line, pattern, begin, end):
        """Numbers of line[begin:end] that the source has too: (lines before, the line)."""
        before, out, at = [], line[:begin], begin
        hidden = re.sub(r"getelementptr inbounds \([^()]*\)|\{[^{}]*\}", lambda text: "~" * len(text.group()), line)
        for index, found in enumerate(pattern.finditer(hidden, begin, end)):
            value = found.group("value")
            kind = (found.groupdict().get("type") or line.split(" = ")[1].split(",")[0]).split()
            kind = next((word for word in kind if word in ("i1", "i8", "i32", "i64", "double")), None)
            new, written = self.other_number(kind, value)
            if new is None or not re.search(written, place[4]):
                continue
            lines, bit, number = self.active(place, f"{value} -> {new} ({index})")
            lines += self.reached(number) + [f"  {bit}.n = select i1 {bit}, {kind} {new}, {kind} {value}"]
            before += lines
            out += line[at:found.start("value")] + f"{bit}.n"
            at = found.end("value")
        return before, out + line[at:]

    @staticmethod
    def other_number(kind, value):
        if kind == "i1":
            return ({"true": "false", "false": "true"}.get(value), rf"\b{value}\b")
        if kind == "i8":
            return ({"0": "1", "1": "0"}.get(value), r"\btrue\b" if value == "1" else r"\bfalse\b")
        if kind == "double" and value.endswith("e+00"):
            return f"{int(value[0]) + 1}.000000e+00", rf"(?<![\w.]){value[0]}(?:\.0)?(?![\w.])"
        if kind in ("i32", "i64") and value in "012":
            return str(int(value) + 1), rf"(?<![\w.]){value}(?![\w.x])"
        return None, ""

    def simple(self, place, line):
        """Binary instructions, comparisons, stores and returns."""
        found = re.match(r"  (%\S+) = (\w+)((?: n[su]w| exact)*) (\w+) (\S+), (\S+?)((?:, !.*)?)$", line)
        compared = re.match(r"  (%\S+) = ([if])cmp (\w+) (\w+) (\S+), (\S+?)((?:, !.*)?)$", line)
        if compared:
            before, line = self.number_changed(place, line, OPERAND, 0, len(line.split(", !")[0]))
            name, letter, order, kind, a, b, tail = re.match(
                r"  (%\S+) = ([if])cmp (\w+) (\w+) (\S+), (\S+?)((?:, !.*)?)$", line).groups()
            if order not in COMPARISONS or not re.match(r"[<>=!]", place[3]):
                return before + [line]
            original, other = self.fresh(), self.fresh()
            lines = [f"  {original} = {letter}cmp {order} {kind} {a}, {b}",
                     f"  {other} = {letter}cmp {COMPARISONS[order]} {kind} {a}, {b}"]
            return before + lines + self.chosen(place, f"{order} -> {COMPARISONS[order]}", name, "i1", original, other, tail)
        if found and (found.group(2) in FLOATS or found.group(2) in WHOLE):
            if not re.match(r"[-+*/%](?![-+])", place[3]):
                return [line]
            before, line = self.number_changed(place, line, OPERAND, 0, len(line.split(", !")[0]))
            name, operation, flags, kind, a, b, tail = re.match(
                r"  (%\S+) = (\w+)((?: n[su]w| exact)*) (\w+) (\S+), (\S+?)((?:, !.*)?)$", line).groups()
            new = FLOATS.get(operation) or WHOLE[operation]
            original, other = self.fresh(), self.fresh()
            lines = [f"  {original} = {operation}{flags} {kind} {a}, {b}", f"  {other} = {new} {kind} {a}, {b}"]
            return before + lines + self.chosen(place, f"{operation} -> {new}", name, kind, original, other, tail)
        if line.startswith("  store ") and not re.search(r"%(cleanup|nrvo|\.compound)", line):
            before, line = self.number_changed(place, line, NUMBER, 0, line.index(","))
            return before + [line]
        if line.startswith("  ret "):
            before, line = self.number_changed(place, line, NUMBER, 0, len(line.split(", !")[0]))
            return before + [line]
        if re.match(r"  %\S+ = select i1 ", line):
            before, line = self.number_changed(place, line, NUMBER, line.index(",") + 1, len(line.split(", !")[0]))
            return before + [line]
        return [line]

    def branch(self, place, line):
        found = re.match(r"  br i1 (%\S+), label %((?:land|lor)\.\w[\w.]*)(, label .*)$", line)
        second = re.match(r"  br i1 (%\S+), label %\S+, label %(lor\.\w[\w.]*)((?:, !.*)?)$", line)
        if found and found.group(2).startswith("land."):
            what, counts, condition = "left of && counts as true", "true", found.group(1)
        elif second and second.group(2).startswith(("lor.rhs", "lor.lhs")):
            what, counts, condition = "left of || counts as false", "false", second.group(1)
        else:
            return [line]
        new = self.fresh()
        return self.chosen(place, what, new, "i1", condition, counts, "") + [line.replace(condition, new, 1)]

    def call(self, place, line, after):
        """A call; `after` is the second line of an invoke. Operators of quantities, orders, min and max; numbers among arguments."""
        name, how, rest = CALL.match(line).group("name", "how", "rest")
        symbol = re.search(r"@([\w.]+)\(", rest)
        if not symbol or symbol.group(1).startswith("llvm."):
            return [line] + after
        begin = line.index("@" + symbol.group(1)) + len(symbol.group(1)) + 2
        end = line.rindex(")") if how == "call" else len(line)
        before, line = self.number_changed(place, line, NUMBER, begin, end)
        arguments = arguments_of(line[begin:])
        other = self.other_value(place, self.text_of(symbol.group(1)), line[CALL.match(line).start("rest"):begin], arguments, name)
        if other is None:
            return before + [line] + after
        what, kind, lines_of = other
        original, new = self.fresh(), self.fresh()
        call = re.sub(r", !dbg.*$", "", line.replace(f"{name} = ", f"{original} = ", 1).replace("invoke", "call", 1))
        location = re.search(r", !dbg !\d+", line if how == "call" else after[0]).group()
        lines = before + [call + location] + lines_of(original, new) + self.chosen(place, what, name, kind, original, new, "")
        if how == "invoke":
            lines.append(f"  br label {re.search(r'to label (%[^ ]+)', after[0]).group(1)}{location}")
        return lines

    def other_value(self, place, text, shape, arguments, name):
        if name is None:
            return None
        arithmetic = re.search(r"dodona::(?:Quantity<.*>::)?operator([-+*/])(?:<.*>)?\(", text)
        if arithmetic and len(arguments) == 2 and shape.split()[0] == "double" and arithmetic.group(1) in place[3]:
            new = QUANTITIES[arithmetic.group(1)]

            def lines(_, result):
                a, b = (self.loaded(*argument) for argument in arguments)
                return a[0] + b[0] + [f"  {result} = {new} double {a[1]}, {b[1]}"]
            return f"{arithmetic.group(1)} of quantities -> {new}", "double", lines
        order = re.search(r"^std::operator(<=?|>=?)\(std::\w+_ordering, std::__cmp_cat::__unspec\)", text)
        if order and len(arguments) >= 1 and re.search(r"[<>]", place[3]):
            new = ORDERS[order.group(1)][0]
            return (f"{order.group(1)} -> {new}", "i1",
                    lambda _, result: [f"  {result} = icmp {new} i8 {arguments[0][1]}, 0"])
        equal = re.search(r"operator(==|!=)(?:<|\()", text)
        if equal and "i1" in shape.split() and re.search(r"[!=]=", place[3]):
            return f"{equal.group(1)} turned round", "i1", lambda original, result: [f"  {result} = xor i1 {original}, true"]
        least = re.search(r"(?:std|dodona)::(min|max)<", text)
        if least and len(arguments) == 2 and arguments[0][0] == arguments[1][0] and re.search(r"\b(min|max)\b", place[3]):
            kind = arguments[0][0]
            compare = "fcmp oeq" if kind == "double" else "icmp eq"
            (_, a), (_, b) = arguments
            return (f"{least.group(1)} turned round", kind,
                    lambda original, result: [f"  {result}.e = {compare} {kind} {original}, {a}",
                                              f"  {result} = select i1 {result}.e, {kind} {b}, {kind} {a}"])
        return None

    def loaded(self, kind, value):
        if kind == "double":
            return [], value
        new = self.fresh()
        return [f"  {new}.p = bitcast {kind} {value} to double*", f"  {new} = load double, double* {new}.p, align 8"], new

    def written(self):
        """The module's lines. Numbers that a ?: chooses are changed at the end of the block that they come from."""
        self.demangle()
        lines, out, index = self.module.split("\n"), [], 0
        inside = False
        ends, block, waiting = {}, None, []
        while index < len(lines):
            line = lines[index]
            index += 1
            if line.startswith("define "):
                inside, ends, waiting, block, self.seen = True, {}, [], "entry", {}
            elif line.startswith("}"):
                out = self.settled(out, ends, waiting)
                inside = False
            label = re.match(r"([\w.$-]+):", line)
            if inside and label:
                block = label.group(1)
            place = self.places.of(line) if inside else None
            called = CALL.match(line) if inside else None
            if called and called.group("how") == "invoke":
                after, index = [lines[index]], index + 1
                place = self.places.of(after[0])
                new = self.call(place, line, after) if place else [line] + after
            elif place is None:
                new = [line]
            elif called:
                new = self.call(place, line, [])
            elif line.startswith("  br i1 "):
                new = self.branch(place, line)
            elif re.match(r"  %\S+ = phi (double|i32|i64) ", line):
                waiting.append((len(out), place))
                new = [line]
            else:
                new = self.simple(place, line)
            if inside and re.match(r"  (br|switch|ret|unreachable|resume)\b", line):
                ends[block] = len(out) + len(new) - 1
            out += new
        return "\n".join(out) + "\n@dodona_mutant = external global i32\n@dodona_reached = external global [65536 x i8]\n"

    def settled(self, out, ends, waiting):
        inserted = {}
        for at, place in waiting:
            kind = out[at].split(" = phi ")[1].split()[0]
            line = out[at]
            for index, (value, block) in enumerate(re.findall(r"\[ ([^,\[\]]+), %([^\]]+) \]", line)):
                new, written = self.other_number(kind, value)
                if new is None or not re.search(written, place[4]) or block not in ends:
                    continue
                lines, bit, number = self.active(place, f"{value} -> {new} ({index})")
                lines += self.reached(number) + [f"  {bit}.n = select i1 {bit}, {kind} {new}, {kind} {value}"]
                inserted.setdefault(ends[block], []).extend(lines)
                line = line.replace(f"[ {value}, %{block} ]", f"[ {bit}.n, %{block} ]", 1)
            out[at] = line
        for at in sorted(inserted, reverse=True):
            out[at:at] = inserted[at]
        return out


def arguments_of(text):
    """The arguments of a call as (type, value), from behind its opening bracket."""
    depth, quoted, begin, parts = 0, False, 0, []
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "({[<":
            depth += 1
        elif not quoted and letter in ")}]>" and depth > 0:
            depth -= 1
        elif not quoted and depth == 0 and letter in ",)":
            parts.append(text[begin:at].strip())
            begin = at + 1
            if letter == ")":
                break
    found = [re.match(r"(%\"[^\"]*\"\**|\S+)(?:.*) (\S+)$", part) for part in parts]
    return [(one.group(1), one.group(2)) if one else ("", "") for one in found]


def with_mutants(module, root, folders, first):
    """(the module with its mutants, the list of them); their numbers begin with `first`."""
    writer = Writer(module, Places(module, pathlib.Path(root).resolve(), folders), first)
    return writer.written(), writer.mutants
