#!/usr/bin/env python3
"""Makes RESULTS.md, and the figures in README.md, of what scripts/full_run.py has left in
data/results.

Standard library only.
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORDER = ["standard", "no-flying"]


def number(value):
    return f"{value:,}"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(head, rows):
    lines = [row(*head), row(*["---"] * len(head))]
    return "\n".join(lines + [row(*cells) for cells in rows])


def counts(entry):
    return [entry["wins"], entry["losses"], entry["draws"]]


def total(tables):
    columns = zip(*map(counts, tables))
    return [sum(column) for column in columns]


def size_rows(tables):
    rows = []
    for entry in tables:
        positions = sum(counts(entry))
        bits = 8 * entry["bytes"] / positions
        cells = [entry["subspace"], number(positions), *map(number, counts(entry))]
        rows.append([*cells, number(entry["bytes"]), f"{bits:.2f}"])
    return rows


def plies(tables):
    """Placing tables by the number of plies played."""
    by_ply = {}
    men = max(sum(map(int, entry["subspace"].split("+")[1].split("-"))) for entry in tables)
    for entry in tables:
        hands = map(int, entry["subspace"].split("+")[1].split("-"))
        by_ply.setdefault(men - sum(hands), []).append(entry)
    return sorted(by_ply.items())


def main():
    reports = []
    for path in (ROOT / "data" / "results").glob("*.json"):
        reports.append(json.loads(path.read_text()))
    reports.sort(key=lambda report: ORDER.index(report["rules"]))
    parts = [
        "# Results",
        "Made by `scripts/full_run.py` and `scripts/results.py`: whole games solved from nothing "
        "by the release binary, then verified. Counts are of canonical positions (one per orbit "
        "of the 16 symmetries), for the side to move.",
    ]
    rows = []
    for report in reports:
        solve, verify = report["solve"], report["verify"]
        rows.append(
            [
                report["rules"],
                report["start"],
                f"{solve['wall_seconds']} s",
                f"{solve['cpu_seconds']} s",
                f"{solve['peak_mib']} MiB",
                f"{report['bytes'] / 1e9:.3f} GB",
                f"{verify['wall_seconds']} s",
            ]
        )
    head = ["rules", "start position", "solve, wall", "processor", "peak memory", "tables"]
    parts.append(table([*head, "verify, wall"], rows))
    machines = {f"{report['processor']}, {report['threads']} threads" for report in reports}
    parts.append("Machine: " + "; ".join(sorted(machines)) + ".")
    for report in reports:
        parts.append(f"## {report['rules']}")
        parts.append(f"Fingerprint of the rules: `{report['fingerprint']}`.")
        parts.append(f"```\n{report['verify']['verdict']}\n```")
        moving = [entry for entry in report["tables"] if "+" not in entry["subspace"]]
        placing = [entry for entry in report["tables"] if "+" in entry["subspace"]]
        head = ["subspace", "positions", "wins", "losses", "draws", "bytes", "bits a position"]
        rows = size_rows(moving)
        sums = {**dict(zip(["wins", "losses", "draws"], total(moving))), "subspace": "all"}
        rows += size_rows([{**sums, "bytes": sum(entry["bytes"] for entry in moving)}])
        parts.append("### Moving phase")
        parts.append(table(head, rows))
        rows = []
        for ply, entries in plies(placing):
            sums = dict(zip(["wins", "losses", "draws"], total(entries)))
            sums |= {"subspace": ply, "bytes": sum(entry["bytes"] for entry in entries)}
            rows += size_rows([sums])
        parts.append("### Placing phase, by plies played")
        parts.append(table(["plies", *head[1:]], rows))
    (ROOT / "RESULTS.md").write_text("\n\n".join(parts) + "\n")
    verdicts = [f"{report['rules']}: {report['verify']['verdict']}" for report in reports]
    readme = (ROOT / "README.md").read_text()
    readme = replace(readme, "summary", parts[2] + "\n\n" + parts[3])
    readme = replace(readme, "verdicts", "```\n" + "\n".join(verdicts) + "\n```")
    (ROOT / "README.md").write_text(readme)


def replace(text, name, content):
    """Puts content between the two marks of this name."""
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return before + begin + content + end + after


if __name__ == "__main__":
    main()
