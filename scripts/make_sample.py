#!/usr/bin/env python3
"""Makes data/sample of whole databases: the tables through 4-4 and of the first plies.

    scripts/make_sample.py [--db DIR]

Takes DIR/standard-depth and DIR/no-flying-depth as `mlynek solve --metric depth` has made them.
Standard library only.
"""

import argparse
import json
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_MEN = 4
MOST_PLIES = 6


def wanted(subspace, men):
    board, _, hands = subspace.partition("+")
    if not hands:
        return all(int(count) <= MOST_MEN for count in board.split("-"))
    return 2 * men - sum(map(int, hands.split("-"))) <= MOST_PLIES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", type=Path, default=ROOT / "db")
    database = parser.parse_args().db
    for rules in ["standard", "no-flying"]:
        source, target = database / f"{rules}-depth", ROOT / "data" / "sample" / rules
        manifest = json.loads((source / "manifest.json").read_text())
        for tables in ["tables", "depth_tables"]:
            kept = [t for t in manifest[tables] if wanted(t["subspace"], manifest["men"])]
            manifest[tables] = kept
        manifest["complete"] = False
        manifest["phases"] = []
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for table in manifest["tables"] + manifest["depth_tables"]:
            shutil.copyfile(source / table["file"], target / table["file"])
        text = json.dumps(manifest, indent=2)
        (target / "manifest.json").write_text(text + "\n")
        size = sum(path.stat().st_size for path in target.iterdir())
        print(f"{target.relative_to(ROOT)}: {len(manifest['tables'])} tables and as many of depths, {size} bytes")


if __name__ == "__main__":
    main()
