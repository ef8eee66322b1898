"""Builds the wheel with nothing but the standard library (PEP 517 and 660), so that it needs no
network: `pip install ./bindings/python`, `make wheel`.

With $QUIRE_WHEEL_LIBRARY, the path of a libquire.so, the wheel contains it and is for this
platform; otherwise the library of the system is used.
"""

import base64
import hashlib
import os
import sysconfig
import tarfile
import zipfile

NAME = "quire"
HERE = os.path.dirname(os.path.abspath(__file__))
EPOCH = (2020, 1, 1, 0, 0, 0)


def _version():
    with open(os.path.join(HERE, NAME, "__init__.py"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("__version__"):
                return line.split('"')[1]
    raise RuntimeError("quire/__init__.py has no version")


def _metadata():
    text = ["Metadata-Version: 2.1", "Name: " + NAME, "Version: " + _version(),
            "Summary: The storage engine for AI agents: sessions, outputs, artifacts, memory, "
            "search", "Requires-Python: >=3.11", "Description-Content-Type: text/markdown", ""]
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        return "\n".join(text) + "\n" + file.read()


def _tag(native):
    if not native:
        return "py3-none-any"
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _sources():
    for name in sorted(os.listdir(os.path.join(HERE, NAME))):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(HERE, NAME, name), "rb") as file:
                yield NAME + "/" + name, file.read()


def _write(directory, files, native):
    info = "%s-%s.dist-info" % (NAME, _version())
    tag = _tag(native)
    files = list(files) + [
        (info + "/METADATA", _metadata().encode()),
        (info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: quire\nRoot-Is-Purelib: %s\n"
                           "Tag: %s\n" % ("false" if native else "true", tag)).encode())]
    record = ["%s,sha256=%s,%d" % (
        name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(),
        len(data)) for name, data in files] + [info + "/RECORD,,"]
    files.append((info + "/RECORD", ("\n".join(record) + "\n").encode()))
    wheel = "%s-%s-%s.whl" % (NAME, _version(), tag)
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = list(_sources())
    native = os.environ.get("QUIRE_WHEEL_LIBRARY")
    if native:
        with open(native, "rb") as file:
            files.append((NAME + "/libquire.so", file.read()))
    return _write(wheel_directory, files, bool(native))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, [(NAME + ".pth", (HERE + "\n").encode())], False)


def build_sdist(sdist_directory, config_settings=None):
    base = "%s-%s" % (NAME, _version())
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz") as out:
        for name in ("pyproject.toml", "build_backend.py", "README.md"):
            out.add(os.path.join(HERE, name), base + "/" + name)
        for name, _ in _sources():
            out.add(os.path.join(HERE, name), base + "/" + name)
    return base + ".tar.gz"


if __name__ == "__main__":
    import sys
    os.makedirs(sys.argv[1], exist_ok=True)
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
