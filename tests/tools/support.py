"""What the tests of the tools share: the tools folder on the path, and folders made of a few files."""
import contextlib
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True


@contextlib.contextmanager
def folder(files):
    """A temporary folder with the given {path: text}."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        yield root
