"""wheel.py MODULE DATA OUTPUT: packs the package dodona, the module _dodona and dodona's data as a wheel in the folder
OUTPUT and prints its path. DATA is the repository or the folder share/dodona of an installation. Libraries that the module
needs and a bare Debian does not have lie beside it in libs/. Needs nothing but Python's own library; no network."""

import base64
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDERS = ["models", "hardware/clusters", "hardware/devices", "hardware/links", "hardware/profiles", "docs/schemas",
           "software", "oracle/plan/strategies", "oracle/validate"]
DATA_ENDINGS = {".yaml", ".json"}
CARRIED = re.compile(r"lib(fmt|yaml-cpp)\.so")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same input, the same bytes


def carried_libraries(module):
    """(name, path) of the libraries that the wheel carries."""
    found = subprocess.run(["ldd", str(module)], capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^\s*(\S+) => (\S+)", found, re.MULTILINE)
    return sorted((name, Path(path)) for name, path in lines if CARRIED.match(name))


def write_schemas(module, folder):
    """What `dodona check --schemas FOLDER` writes."""
    found = importlib.util.spec_from_file_location("_dodona", module)
    loaded = importlib.util.module_from_spec(found)
    found.loader.exec_module(loaded)
    question = {"command": "check", "arguments": [], "options": {"schemas": str(folder)}}
    code, _, message = loaded.ask(json.dumps(question))
    if code != 0:
        sys.exit(message)


def files_of(package, module, data, schemas):
    """(path in the wheel, path on disk), sorted."""
    files = [(f"dodona/{path.name}", path) for path in package.iterdir() if path.suffix == ".py" or path.name == "py.typed"]
    files.append((f"dodona/{module.name}", module))
    files += [(f"dodona/libs/{name}", path) for name, path in carried_libraries(module)]
    for folder in FOLDERS:
        for path in (data / folder).rglob("*"):
            if path.is_file() and path.suffix in DATA_ENDINGS:
                files.append((f"dodona/share/dodona/{path.relative_to(data)}", path))
    files += [(f"dodona/share/dodona/docs/schemas/{path.name}", path) for path in schemas.iterdir()]
    return sorted(dict(files).items())


def tag_of(module):
    """cp311-cp311-linux_x86_64, from _dodona.cpython-311-x86_64-linux-gnu.so."""
    version, machine = re.search(r"\.cpython-(\d+)-([a-z0-9_]+)-linux-gnu\.so$", module.name).groups()
    return f"cp{version}-cp{version}-linux_{machine}"


def version_of(root):
    return re.search(r"version: '([^']+)'", (root / "meson.build").read_text()).group(1)


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: dodona\nVersion: {version}\n"
            "Summary: performance oracle for distributed training of neural networks\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.8\nProvides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n")


def main():
    module, data, output = (Path(word).resolve() for word in sys.argv[1:4])
    root = Path(__file__).resolve().parents[2]
    version, tag = version_of(root), tag_of(module)
    with tempfile.TemporaryDirectory() as schemas:
        write_schemas(module, schemas)
        packed = files_of(root / "bindings/python/dodona", module, data, Path(schemas))
        contents = [(name, path.read_bytes()) for name, path in packed]
    about = f"dodona-{version}.dist-info"
    contents.append((f"{about}/METADATA", metadata(version).encode()))
    contents.append((f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: dodona\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()))
    contents.append((f"{about}/LICENSE", (root / "LICENSE").read_bytes()))
    record = ""
    for name, content in contents:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    contents.append((f"{about}/RECORD", (record + f"{about}/RECORD,,\n").encode()))
    output.mkdir(parents=True, exist_ok=True)
    wheel = output / f"dodona-{version}-{tag}.whl"
    unfinished = wheel.with_suffix(".new")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    os.replace(unfinished, wheel)
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
