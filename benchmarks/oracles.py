"""Makes the golden file that our formulas are compared with, from the packages that people know.

    python benchmarks/oracles.py

ppi-python, scikit-learn, krippendorff and statsmodels are installed into an environment of their
own under `.bench/` (some 700 MB, once). The file `tests/golden/oracles.json` holds the inputs and
what each package makes of them; `tests/core/test_oracles.py` compares ours to nine decimals.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".bench" / "oracles"
GOLDEN = ROOT / "tests" / "golden" / "oracles.json"
PACKAGES = (
    "ppi-python==0.2.3",
    "scikit-learn==1.9.1",
    "krippendorff==0.9.0",
    "statsmodels==0.15.0",
)
SIDE = Path(__file__).with_name("oracles_side.py")


def python() -> Path:
    """The environment's interpreter; the environment is made on first use."""
    home = FOLDER / "venv"
    found = home / "bin" / "python"
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / ".gitignore").write_text("*\n")
    if not (home / "ready").exists():
        print("Installing the oracles into .bench/ (once) …", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([found, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (home / "ready").touch()
    return found


def main() -> None:
    """Ask the packages and write the golden file."""
    # -P: numba looks for a module `coverage`, and would find the benchmark of that name here.
    asked = [python(), "-P", SIDE]
    done = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True)
    GOLDEN.write_text(done.stdout, encoding="utf-8")
    print(f"Written: {GOLDEN.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
