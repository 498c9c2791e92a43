"""signature_test.py PROGRAM: are the answers that PROGRAM prints those of signature.txt, which has a hash of each
family's? DODONA_ACCEPT=1 writes the signature anew; changes.py says what changed."""

import hashlib
import os
import pathlib
import subprocess
import sys

SIGNATURE = pathlib.Path(os.environ["DODONA_SOURCE"], "tests", "signature", "signature.txt")

families = {}
for line in subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout.splitlines(keepends=True):
    families.setdefault(line.split(b"\t")[0].decode(), []).append(line)
signature = "# Families of answers: a hash, the number of answers, the family\n"
for family, lines in families.items():
    signature += f"{hashlib.sha256(b''.join(lines)).hexdigest()[:12]} {len(lines):5} {family}\n"

if os.environ.get("DODONA_ACCEPT") == "1":
    SIGNATURE.write_text(signature, encoding="utf-8")
accepted = SIGNATURE.read_text(encoding="utf-8") if SIGNATURE.exists() else ""
changed = sorted({line[19:] for line in set(signature.splitlines()) ^ set(accepted.splitlines())})
if signature != accepted:
    print(f"FAILED: answers of {len(changed)} families are not those of {SIGNATURE.name}:", *changed, sep="\n  ")
    print("python3 tests/signature/changes.py shows what changed since HEAD; DODONA_ACCEPT=1 writes the signature anew")
    sys.exit(1)
