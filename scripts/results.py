#!/usr/bin/env python3
"""Makes RESULTS.md, and the figures in README.md, of what scripts/full_run.py has left in
data/results.

Standard library only.
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORDER = ["standard", "no-flying"]
DEEPEST = ["deepest_win", "deepest_loss"]


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


def depth_rows(tables):
    rows = []
    for entry in tables:
        bits = 8 * entry["bytes"] / sum(counts(entry))
        deepest = [entry[name] if entry[name] is not None else "-" for name in DEEPEST]
        rows.append([entry["subspace"], *deepest, number(entry["bytes"]), f"{bits:.2f}"])
    return rows


def depth_sums(name, tables):
    """The sums of some tables of depths, and the greatest depths."""
    sums = {**dict(zip(["wins", "losses", "draws"], total(tables))), "subspace": name}
    for column in DEEPEST:
        sums[column] = max((entry[column] or 0 for entry in tables), default=0) or None
    return {**sums, "bytes": sum(entry["bytes"] for entry in tables)}


def with_depths(report):
    """What there is to say of a game solved with depths."""
    tables = report["depth_tables"]
    moving = [entry for entry in tables if "+" not in entry["subspace"]]
    placing = [entry for entry in tables if "+" in entry["subspace"]]
    head = ["subspace", "deepest win", "deepest loss", "bytes", "bits a position"]
    parts = [
        f"### Depths of {report['rules']}",
        "In plies to the end of the game when the winner hurries and the loser delays; the size is "
        "that of the tables of depths alone.",
        f"```\n{report['verify']['verdict']}\n```",
        table(head, depth_rows([*moving, depth_sums("all", moving)])),
        "Placing phase, by plies played:",
    ]
    rows = depth_rows([depth_sums(ply, entries) for ply, entries in plies(placing)])
    parts.append(table(["plies", *head[1:]], rows))
    parts.append(
        "Every move of the first four plies that throws a game away, one for each orbit of the "
        "symmetries, and the plies to the end after it:"
    )
    moves = report["early_losing_moves"]
    rows = [[f"`{move['position']}`", f"`{move['move']}`", move["plies"]] for move in moves]
    parts.append(table(["position", "move", "lost in"], rows) if rows else "There is none.")
    return parts


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
    reports.sort(key=lambda report: (ORDER.index(report["rules"]), report.get("metric", "wld") != "wld"))
    every = reports
    depths = {report["rules"]: report for report in every if report.get("metric") == "depth"}
    reports = [report for report in every if report.get("metric") != "depth"]
    parts = [
        "# Results",
        "Made by `scripts/full_run.py` and `scripts/results.py`: whole games solved from nothing "
        "by the release binary, then verified. Counts are of canonical positions (one per orbit "
        "of the 16 symmetries), for the side to move.",
    ]
    rows = []
    for report in every:
        solve, verify = report["solve"], report["verify"]
        size = report["bytes"] + report.get("depth_bytes", 0)
        rows.append(
            [
                report["rules"] + (", with depths" if report.get("metric") == "depth" else ""),
                report["start"],
                f"{solve['wall_seconds']} s",
                f"{solve['cpu_seconds']} s",
                f"{solve['peak_mib']} MiB",
                f"{size / 1e9:.3f} GB",
                f"{verify['wall_seconds']} s",
            ]
        )
    head = ["rules", "start position", "solve, wall", "processor", "peak memory", "tables"]
    parts.append(table([*head, "verify, wall"], rows))
    machines = {f"{report['processor']}, {report['threads']} threads" for report in every}
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
        if report["rules"] in depths:
            parts += with_depths(depths[report["rules"]])
    (ROOT / "RESULTS.md").write_text("\n\n".join(parts) + "\n")
    verdicts = [
        f"{report['rules']}"
        + (" with depths" if report.get("metric") == "depth" else "")
        + f": {report['verify']['verdict']}"
        for report in every
    ]
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
