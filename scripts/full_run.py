#!/usr/bin/env python3
"""Solves and verifies whole games, and writes down what it took.

    scripts/full_run.py [--db DIR] [--rules NAME ...] [--metric wld depth] [--threads N] [--keep]

For each rule set: `mlynek solve` from nothing, into DIR/<rules> and with depths into
DIR/<rules>-depth, `mlynek verify` of the result against data/known, both with wall time and peak
memory, and the counts of every table. With depths also the early moves that lose. The measurements
go to data/results/<rules>.json and data/results/<rules>-depth.json; scripts/results.py makes
RESULTS.md of them. With --keep, a database that is already there is only verified, and what the
run that made it had measured is kept.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from mlynek_reader import SYMMETRIES, Position, image, moves  # noqa: E402


def measured(command):
    """Runs a command; its output, wall seconds, processor seconds and peak memory in MiB."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {code}\n{output}")
    return output, {
        "wall_seconds": round(wall, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mib": usage.ru_maxrss // 1024,
    }


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def probed(program, database, positions):
    """What `mlynek probe` says of these positions."""
    command = [program, "probe", "--json", database, "-"]
    lines = subprocess.run(
        command, input="\n".join(positions), check=True, capture_output=True, text=True
    )
    return map(json.loads, lines.stdout.splitlines())


def early_losing_moves(program, database, men, most_plies=4):
    """The moves of the first plies that lose a game that could be held, one of each orbit of the
    board's symmetries: position, move, plies to the end after it."""

    def orbit(position):
        images = ((image(s, position.white), image(s, position.black)) for s in SYMMETRIES)
        return min(images)

    level, found = [Position(0, 0, True, men, men)], []
    for _ in range(most_plies):
        following = {}
        answers = probed(program, database, map(str, level))
        for position, answer in zip(level, answers):
            # Men in hand do not fly.
            after = dict(moves(position, None))
            for ranked in answer["moves"]:
                key = orbit(after[ranked["move"]])
                if key in following:
                    continue
                following[key] = after[ranked["move"]]
                if ranked["value"] == "loss" != answer["value"]:
                    plies = ranked["plies"] - 1
                    found.append({"position": str(position), "move": ranked["move"], "plies": plies})
        level = list(following.values())
    return found


def measure(program, arguments, rules, metric):
    """Solves and verifies one database; what there is to say of it."""
    name = rules if metric == "wld" else f"{rules}-depth"
    out = arguments.db / name
    target = ROOT / "data" / "results" / f"{name}.json"
    threads = str(arguments.threads)
    if arguments.keep and out.exists():
        before = json.loads(target.read_text())
        solving, start = before["solve"], before["start"]
    else:
        shutil.rmtree(out, ignore_errors=True)
        solve = [program, "solve", "--rules", rules, "--metric", metric, "--out", out, "--json"]
        output, solving = measured(solve + ["--threads", threads, "--progress", "plain"])
        result = json.loads(output)
        solving["seconds"] = round(result["seconds"], 1)
        start = result["start"]
    verify = [program, "verify", out, "--progress", "plain", "--threads", threads]
    for file in sorted((ROOT / "data" / "known").glob("*.csv")):
        if file.name.startswith(rules) or file.name == "positions.csv":
            verify += ["--known", file]
    verdict, verifying = measured(verify)
    manifest = json.loads((out / "manifest.json").read_text())
    depth_tables = manifest.get("depth_tables", [])
    report = {
        "rules": rules,
        "metric": metric,
        "fingerprint": manifest["fingerprint"],
        "start": start,
        "processor": processor(),
        "threads": arguments.threads,
        "solve": solving,
        "verify": {**verifying, "verdict": verdict.strip().splitlines()[-1]},
        "bytes": sum(table["bytes"] for table in manifest["tables"]),
        "tables": manifest["tables"],
    }
    if metric == "depth":
        report["depth_bytes"] = sum(table["bytes"] for table in depth_tables)
        report["depth_tables"] = depth_tables
        report["early_losing_moves"] = early_losing_moves(program, out, manifest["men"])
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(report, indent=1) + "\n")
    print(f"{name}: {report['verify']['verdict']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", type=Path, default=ROOT / "db")
    parser.add_argument("--rules", nargs="+", default=["standard", "no-flying"])
    parser.add_argument("--metric", nargs="+", default=["wld", "depth"])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    metadata = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    program = Path(json.loads(metadata.stdout)["target_directory"]) / "release" / "mlynek"
    for rules in arguments.rules:
        for metric in arguments.metric:
            measure(program, arguments, rules, metric)


if __name__ == "__main__":
    main()
