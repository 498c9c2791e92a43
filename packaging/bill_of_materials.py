"""bill_of_materials.py ROOT VERSION: what a release of dodona is made of, as SPDX 2.3 (spdx.github.io/spdx-spec/v2.3): the
libraries that the program is linked with, by Debian's packages here, and the scripts of charts.
"""

import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from urllib.parse import quote

root, version = sys.argv[1:3]


def read(path):
    with open(f"{root}/{path}", encoding="utf-8") as file:
        return file.read()


def libraries():
    """Packages of Build-Depends that every build needs and that hold a library: (name, version here or none)."""
    entries = re.search(r"^Build-Depends:(.*?)^\S", read("debian/control"), re.M | re.S).group(1).split(",")
    names = [entry.split()[0] for entry in entries if "<" not in entry]
    for name in (name for name in names if name.endswith("-dev")):
        found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=False)
        yield f"pkg:deb/debian/{name}", name, found.stdout


def scripts():
    for name, its_version in re.findall(r"(vega[a-z-]*)@([\d.]+)", read("reports/assets/fetch.sh").split("set -eu")[0]):
        yield f"pkg:npm/{name}", name, its_version


def package(purl, name, its_version):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        **({"versionInfo": its_version} if its_version else {}),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": purl + (f"@{quote(its_version)}" if its_version else "")}],
    }


parts = [package(*one) for one in [*libraries(), *scripts()]]
commit = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
when = subprocess.run(["git", "-C", root, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False).stdout
created = datetime.fromtimestamp(int(when or 0), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
own = {"SPDXID": "SPDXRef-dodona", "name": "dodona", "versionInfo": version, "downloadLocation": "NOASSERTION",
       "filesAnalyzed": False, "licenseDeclared": "Apache-2.0"}
json.dump({
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"dodona-{version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/dodona-{version}-{commit or 'no-commit'}",
    "creationInfo": {"created": created, "creators": ["Tool: packaging/bill_of_materials.py"]},
    "packages": [own, *parts],
    "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-dodona"}]
    + [{"spdxElementId": "SPDXRef-dodona", "relationshipType": "CONTAINS", "relatedSpdxElement": one["SPDXID"]} for one in parts],
}, sys.stdout, indent=1)
print()
