#!/usr/bin/env python3
"""Solves and verifies whole games, and writes down what it took.

    scripts/full_run.py [--db DIR] [--rules NAME ...] [--threads N]

For each rule set: `mlynek solve` into DIR/<rules> (from nothing), `mlynek verify` of the result
against data/known, both with wall time and peak memory, and the counts of every table. The
measurements go to data/results/<rules>.json; scripts/results.py makes RESULTS.md of them.
Standard library only.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", type=Path, default=ROOT / "db")
    parser.add_argument("--rules", nargs="+", default=["standard", "no-flying"])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
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
        out = arguments.db / rules
        shutil.rmtree(out, ignore_errors=True)
        solve = [program, "solve", "--rules", rules, "--out", out, "--json"]
        solve += ["--threads", str(arguments.threads), "--progress", "plain"]
        output, solving = measured(solve)
        known = sorted((ROOT / "data" / "known").glob(f"{rules}*.csv"))
        verify = [program, "verify", out, "--progress", "plain", "--threads"]
        verify += [str(arguments.threads)]
        for file in known:
            verify += ["--known", file]
        verdict, verifying = measured(verify)
        stats, _ = measured([program, "stats", out, "--format", "json"])
        manifest = json.loads((out / "manifest.json").read_text())
        result = json.loads(output)
        report = {
            "rules": rules,
            "fingerprint": manifest["fingerprint"],
            "start": result["start"],
            "processor": processor(),
            "threads": arguments.threads,
            "solve": {**solving, "seconds": round(result["seconds"], 1)},
            "verify": {**verifying, "verdict": verdict.strip().splitlines()[-1]},
            "bytes": sum(table["bytes"] for table in manifest["tables"]),
            "tables": manifest["tables"],
            "totals": json.loads(stats).get("totals"),
        }
        target = ROOT / "data" / "results" / f"{rules}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(report, indent=1) + "\n")
        print(f"{rules}: {report['verify']['verdict']}")


if __name__ == "__main__":
    main()
