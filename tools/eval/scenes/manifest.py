#!/usr/bin/env python3
"""Writes data/scenes.toml from the scenes in data/scenes: run it after run.sh. A set whose photos are incomplete is left out."""

import hashlib
import json
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
# Scenes whose signs name rooms. Whether somebody speaks is in the truth files.
NAMED = {"dev-cafe", "dev-office", "dev-office-walk", "held-clinic", "held-clinic-walk", "held-hotel", "held-hotel-walk", "held-workshop"}
HEAD = """\
# Scenes of another renderer (see ../scenes). Nothing may be chosen after looking at a held scene: they are
# evaluated once, with `cargo xtask eval --only-scenes --held`.
"""


def entry(folder: Path) -> str:
    name = folder.name
    truth = json.loads((folder / f"{name}.truth.json").read_text())
    walk = "file" in truth
    media = [truth["file"]] if walk else [photo["file"] for photo in truth["photos"]]
    if not all((folder / file).is_file() for file in media):
        return ""
    narrated = bool(truth.get("narration"))
    columns = ["with-words"] if narrated or name in NAMED else []
    columns += [] if narrated else ["mute"]
    columns += [] if name in NAMED else ["no-room-signs"]
    columns += [] if walk else ["few-photos"]
    columns.append("pale-walls")
    lines = ["[[scene]]", f'name = "{name}"', f'part = "{name.split("-")[0]}"', f'truth = "scenes/{name}/{name}.truth.json"']
    lines.append("columns = [" + ", ".join(f'"{column}"' for column in columns) + "]")
    if (DATA / "questions" / f"{name}.tsv").is_file():
        lines.append(f'questions = "questions/{name}.tsv"')
    lines.append("[scene.sha256]")
    lines += [f'"scenes/{name}/{file}" = "{hashlib.sha256((folder / file).read_bytes()).hexdigest()}"' for file in media]
    return "\n" + "\n".join(lines) + "\n"


entries = [entry(folder) for folder in sorted((DATA / "scenes").iterdir()) if (folder / f"{folder.name}.truth.json").is_file()]
(DATA / "scenes.toml").write_text(HEAD + "".join(entries))
