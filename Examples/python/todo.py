#!/usr/bin/env python3
"""A to-do list with a database that is upgraded at each start.

    todo.py [DIRECTORY OF THE DATABASE]

It reads `add TEXT`, `done NUMBER` and `list`, one a line, until the input ends.
"""

import contextlib
import pathlib
import sqlite3
import subprocess
import sys

RESOURCES = pathlib.Path(__file__).resolve().parent / "Resources"


def upgrade(data):
    """Makes or upgrades the database, or ends the program with the exit code of `uplift`."""
    command = ["uplift", "up", "--resources", RESOURCES, "--data", data, "--wait", "30"]
    try:
        # Standard output belongs to the service, so the lines of `uplift` go to standard error.
        code = subprocess.run(command, stdout=sys.stderr).returncode
    except FileNotFoundError:
        sys.exit("todo: uplift is not installed, or not on the PATH")
    if code == 75:
        # The database stayed busy for 30 seconds, or too many files were open. Whoever started this program may start it again.
        print("todo: not upgraded now; start the program again later", file=sys.stderr)
    if code != 0:
        # The words and the remedy are on standard error. The database is whole, and must not be
        # opened: it does not have the tables that this program needs.
        sys.exit(code)


def add(database, text):
    task = database.execute("INSERT INTO task (text) VALUES (?)", [text])
    return [f"added {task.lastrowid}"]


def done(database, number):
    task = database.execute(
        "UPDATE task SET done_at = datetime('now') WHERE id = ? AND done_at IS NULL", [number])
    return [f"done {number}"] if task.rowcount else [f"there is no open task {number}"]


def list_tasks(database, _):
    tasks = database.execute("SELECT id, text, done_at IS NOT NULL FROM task ORDER BY id")
    return [f"{number} {'x' if is_done else '-'} {text}" for number, text, is_done in tasks]


REQUESTS = {"add": add, "done": done, "list": list_tasks}


def serve(database):
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        request = REQUESTS.get(word)
        with database:  # one transaction
            answer = request(database, rest) if request else ["add TEXT, done NUMBER or list"]
        print(*answer, sep="\n", flush=True)


def main():
    data = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "data")
    upgrade(data)
    with contextlib.closing(sqlite3.connect(data / "todo.db")) as database:
        database.execute("PRAGMA foreign_keys = ON")
        serve(database)


if __name__ == "__main__":
    main()
