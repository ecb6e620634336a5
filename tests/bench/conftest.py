"""A small folder of test data: a dozen notes, a few passages, two texts with gold spans."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

SUBJECTS = (
    "缓存",
    "索引",
    "死锁",
    "事务",
    "日志",
    "复制",
    "分片",
    "锁",
    "队列",
    "网络",
    "内存",
    "线程",
)


def note(number: int, subject: str) -> str:
    other = SUBJECTS[(number + 5) % len(SUBJECTS)]
    folder = f"f{(number + 5) % len(SUBJECTS) % 3}"
    return f"""---
tags: [基础, {subject}]
---
# {subject}

{subject}的本质是在时间和空间之间做出取舍，见[{other}](../{folder}/{other}.md#{other})和[下文](#怎么做)。

## 为什么需要{subject}

- 没有{subject}的系统在高并发之下会变得很慢
- 有了{subject}之后请求的平均延迟会明显下降

![图](../pictures/one.png)

## 怎么做

The write path of note {number} keeps every change in order, and readers see a snapshot of it.

```python
# not a heading
print("[not](a-link.md)")
```

### 细节

合理设置{subject}的大小才能让命中率保持稳定，同时不会占用太多资源。
"""


@pytest.fixture
def small_notes(tmp_path: Path) -> Path:
    """Twelve notes in three folders, all of whose links lead somewhere, and a picture."""
    folder = tmp_path / "data" / "corpora" / "note-zh" / "doc"
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "one.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for number, subject in enumerate(SUBJECTS):
        file = folder / f"f{number % 3}" / f"{subject}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(note(number, subject), encoding="utf-8")
    return folder


@pytest.fixture
def small_data(small_notes: Path) -> Path:
    """A folder of test data around the notes."""
    data = small_notes.parents[2]
    texts = data / "eval" / "chunking_evaluation"
    texts.mkdir(parents=True)
    (data / "eval" / "cmrc2018_dev.json").write_text(
        json.dumps({"data": [{"paragraphs": [_paragraph(subject)]} for subject in SUBJECTS]}),
        encoding="utf-8",
    )
    gold = "The lighthouse keeper wrote seventeen letters about migrating herons."
    filler = "Ordinary words fill this long paragraph without saying much of anything.\n\n"
    for name in ("wikitexts", "state_of_the_union", "pubmed"):
        (texts / f"{name}.md").write_text(filler * 40, encoding="utf-8")
    (texts / "finance.md").write_text(filler * 200 + gold + "\n\n" + filler * 50, encoding="utf-8")
    place = len(filler) * 200
    references = [{"content": gold, "start_index": place, "end_index": place + len(gold)}]
    with (texts / "questions_df.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "references", "corpus_id"])
        rows.writerow(["What did the lighthouse keeper write?", json.dumps(references), "finance"])
    return data


def _paragraph(subject: str) -> dict[str, object]:
    return {
        "context": f"{subject}是计算机系统里经常出现的一个概念，工程师每天都会遇到。",
        "qas": [{"question": f"{subject}是什么概念？"}],
    }
