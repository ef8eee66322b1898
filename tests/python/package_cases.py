"""The package: layouts of structs, types, wheel, examples of the documents."""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import unittest

import support
from support import PACKAGE, TOP, HomeCase

from quire import _abi  # noqa: E402


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


class Layout(HomeCase):
    def test_structs_are_as_the_compiler_lays_them_out(self):
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if not compiler:
            self.skipTest("no C compiler")
        lines = []
        for name, c_name in _abi.C_NAMES.items():
            fields = getattr(_abi, name)._fields_
            lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, c_name))
            for field, *_ in fields:
                c_field = _abi.C_FIELDS.get("%s.%s" % (name, field), field)
                lines.append('printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), '
                             'sizeof ((%s *)0)->%s);' % (
                                 name, field, c_name, c_field, c_name, c_field))
        source = os.path.join(self.place, "layout.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <quire.h>\n#include <stdio.h>\n#include <stddef.h>\n"
                       "int main(void) {\n%s\n}\n" % "\n".join(lines))
        program = os.path.join(self.place, "layout")
        built = run([compiler, "-I", os.path.join(TOP, "include"), source, "-o", program])
        self.assertEqual(built.returncode, 0, built.stderr)
        for line in run([program]).stdout.splitlines():
            name, *numbers = line.split()
            if "." not in name and issubclass(getattr(_abi, name), _abi.Sized):
                # It says its size: later versions of the library may have more fields.
                self.assertLessEqual(ctypes.sizeof(getattr(_abi, name)), int(numbers[0]), name)
                continue
            if "." not in name:
                self.assertEqual(ctypes.sizeof(getattr(_abi, name)), int(numbers[0]), name)
                continue
            struct, field = name.split(".")
            if field == "reserved":  # later versions take new fields from it
                continue
            place = getattr(getattr(_abi, struct), field)
            self.assertEqual([place.offset, place.size], list(map(int, numbers)), name)

    def test_every_function_is_in_the_library_with_as_many_arguments(self):
        headers = ""
        for name in os.listdir(os.path.join(TOP, "include", "quire")):
            with open(os.path.join(TOP, "include", "quire", name), encoding="utf-8") as file:
                headers += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        names = {**_abi.FUNCTIONS, **{k: v[1] for k, v in _abi.OTHERS.items()}}
        for name, arguments in names.items():
            found = re.search(r"\b%s\(([^;]*?)\);" % name, headers)
            self.assertIsNotNone(found, name)
            text = re.sub(r"void \(\*\w+\)\([^)]*\)", "callback", found[1])
            declared = 0 if text.strip() == "void" else text.count(",") + 1
            flat = {"quire_session_append": 1, "quire_sink_write": 1}.get(name, 0)
            self.assertEqual(len(arguments), declared + flat, name)


class Types(HomeCase):
    def test_mypy_strict_has_nothing_to_say(self):
        if not shutil.which("mypy"):
            self.skipTest("no mypy")
        done = run(["mypy", "--strict", "--cache-dir", self.place, "quire"], cwd=PACKAGE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Wheel(HomeCase):
    def test_pip_installs_it_without_a_network(self):
        target = os.path.join(self.place, "site")
        source = os.path.join(self.place, "source")
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
        env = {**os.environ, "QUIRE_WHEEL_LIBRARY": os.path.join(support.BUILD, "libquire.so"),
               "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if run([sys.executable, "-m", "pip", "--version"]).returncode:
            self.skipTest("no pip")
        done = run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-cache",
                    "--target", target, source], env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("py.typed", "libquire.so"):
            self.assertTrue(os.path.exists(os.path.join(target, "quire", name)), name)
        env = {**os.environ, "PYTHONPATH": target}
        env.pop("QUIRE_LIBRARY")
        done = run([sys.executable, "-m", "quire"], env=env)
        self.assertIn("at %s/quire/libquire.so" % target, done.stdout, done.stderr)

    def test_a_wheel_is_the_same_each_time(self):
        wheels = []
        for name in ("a", "b"):
            done = run([sys.executable, os.path.join(PACKAGE, "build_backend.py"),
                        os.path.join(self.place, name)])
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(done.stdout.strip(), "rb") as file:
                wheels.append(file.read())
        self.assertEqual(*wheels)


class Documents(HomeCase):
    WANTED = ["['count to 20000', 'done: artifact://0']\n20000\n", "not_found\n", "hi\n"]

    def test_the_examples_of_the_readme_run(self):
        with open(os.path.join(PACKAGE, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)
        self.assertEqual(len(blocks), len(self.WANTED))
        for number, (block, wanted) in enumerate(zip(blocks, self.WANTED)):
            place = os.path.join(self.place, str(number))
            os.mkdir(place)
            done = run([sys.executable, "-c", block], cwd=place,
                       env={**os.environ, "QUIRE_HOME": os.path.join(place, "home")})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith(wanted), done.stdout)

    def test_the_example_of_the_front_page_runs(self):
        with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
            (block,) = re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)
        done = run([sys.executable, "-c", block], cwd=self.place,
                   env={**os.environ, "QUIRE_HOME": os.path.join(self.place, "home")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("quire://session/"), done.stdout)

    def test_the_demo_runs(self):
        done = run([sys.executable, "-m", "quire", "demo"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("recalled ['counting works']", done.stdout)


if __name__ == "__main__":
    unittest.main()
