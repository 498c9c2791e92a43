"""release.py SOURCE: the parts of a release that need no build: source, checksums, bill of materials.

Skips (77) without git and outside a checkout.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

source = os.path.abspath(sys.argv[1])


def run(*words, code=0, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stderr}"
    return done


if shutil.which("git") is None or subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, check=False).returncode != 0:
    print("skipped: no git checkout")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    release = os.path.join(source, "packaging/release.sh")
    run(release, folder, "source")
    names = sorted(os.listdir(folder))
    [tree] = [name for name in names if name.endswith(".tar.xz")]
    [bill] = [name for name in names if name.endswith(".spdx.json")]
    with tarfile.open(os.path.join(folder, tree)) as tar:
        assert f"{tree.removesuffix('.tar.xz')}/meson.build" in tar.getnames()
    sums = run("sha256sum", "-c", "SHA256SUMS", cwd=folder).stdout
    assert sorted(sums.split()) == sorted([f"{tree}:", "OK", f"{bill}:", "OK"]), sums
    with open(os.path.join(folder, bill), encoding="utf-8") as file:
        document = json.load(file)
    parts = {package["name"]: package for package in document["packages"]}
    assert {"dodona", "libfmt-dev", "libyaml-cpp-dev", "vega-lite"} <= parts.keys(), parts.keys()
    assert "debhelper" not in parts and "libgtest-dev" not in parts, "not in the program"
    assert parts["vega-lite"]["externalRefs"][0]["referenceLocator"] == "pkg:npm/vega-lite@" + parts["vega-lite"]["versionInfo"]
    contained = [one["relatedSpdxElement"] for one in document["relationships"] if one["relationshipType"] == "CONTAINS"]
    assert sorted(contained) == sorted(package["SPDXID"] for name, package in parts.items() if name != "dodona")
    assert "is no part" in run(release, folder, "sauce", code=2).stderr
