"""Mermaid diagrams become static SVG in the page's own colours, or their readable source."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from site_builder.drawing.drawn import MAX_OVERRUNS, Allowance
from site_builder.drawing.fences import draw_fence
from site_builder.drawing.mermaid import MAX_SOURCE, draw_mermaid
from site_builder.drawing.svg_colour import ink_on, page_colour
from site_builder.drawing.svg_policy import SvgRefused, safe_body, svg_root

KINDS = {
    "Flowchart": "flowchart LR\n A[开始] --> B{ok?}\n B -->|否| C[(数据库)]",
    "Sequence diagram": "sequenceDiagram\n A->>B: 你好\n loop x\n B-->>A: y\n end",
    "Class diagram": 'classDiagram\n class A {\n +int x\n }\n A <|-- B\n A "1" --> "*" C : 有',
    "State diagram": "stateDiagram-v2\n [*] --> 就绪\n 就绪 --> [*]: 完",
    "Entity relationship diagram": "erDiagram\n A ||--o{ B : places\n A {\n string name PK\n }",
    "Gantt chart": "gantt\n title 计划\n dateFormat YYYY-MM-DD\n section s\n a :x, 2024-01-01, 9d",
    "Pie chart": 'pie title 宠物\n "狗" : 3\n "Cats" : 8',
    "User journey": "journey\n title day\n section s\n Make tea: 5: Me",
    "Git graph": "gitGraph\n commit\n branch x\n commit\n checkout main\n merge x",
    "Mind map": "mindmap\n root((图))\n  a\n   b",
    "Timeline": "timeline\n title t\n 2002 : a : b",
    "Quadrant chart": "quadrantChart\n x-axis a --> b\n A: [0.3, 0.6]",
    "Chart": "xychart-beta\n x-axis [a, b]\n bar [1, 2]",
    "Sankey diagram": "sankey-beta\n\na,b,1\n",
    "Requirement diagram": "requirementDiagram\n requirement r {\n id: 1\n text: t\n }",
    "Block diagram": 'block-beta\n columns 2\n a["A"] b',
    "Packet diagram": 'packet-beta\n 0-15: "Port"',
    "Kanban board": "kanban\n Todo\n  [写]",
    "Architecture diagram": "architecture-beta\n service a(server)[A]\n service b(disk)[B]\n"
    " a:R -- L:b",
    "Radar chart": "radar-beta\n axis a, b, c\n curve x{1,2,3}",
    "Treemap": 'treemap-beta\n"A"\n    "b": 1',
}
ALLOWED = {
    "svg",
    "g",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
}


def svg_of(html: str) -> ElementTree.Element:
    found = re.search(r"<svg.*</svg>", html, re.S)
    assert found
    return ElementTree.fromstring(found[0])


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_drawn_from_shapes_and_text_alone(kind):
    drawn = draw_mermaid(KINDS[kind])
    assert not drawn.problem
    root = svg_of(drawn.html)
    assert {element.tag for element in root.iter()} <= ALLOWED
    assert root.get("role") == "img"
    assert (root.get("aria-label") or "").startswith(kind)
    for element in root.iter():
        assert not {"id", "style", "class", "href"} & set(element.attrib) or element is root


def test_labels_name_the_diagram_and_a_title_goes_before_them():
    assert 'aria-label="Flowchart: 开始, ok?, 数据库' not in draw_mermaid(KINDS["Flowchart"]).html
    assert "开始" in (svg_of(draw_mermaid(KINDS["Flowchart"]).html).get("aria-label") or "")
    titled = "---\ntitle: 表 & 连接\n---\nflowchart TD\n a-->b"
    assert 'aria-label="Flowchart: 表 &amp; 连接"' in draw_mermaid(titled).html
    accessible = "flowchart TD\n accTitle: Steps\n a-->b"
    assert 'aria-label="Flowchart: Steps"' in draw_mermaid(accessible).html


def test_colours_are_the_pages_and_follow_light_and_dark():
    html = draw_mermaid(KINDS["Flowchart"]).html
    assert 'fill="var(--d-fill)"' in html
    assert not re.search(r"#[0-9a-fA-F]{3,6}", html)
    assert 'fill="var(--d-1)"' in draw_mermaid(KINDS["Pie chart"]).html


def test_text_on_an_authors_colour_can_be_read():
    dark = draw_mermaid("flowchart TD\n a-->b\n style a fill:#000080").html
    assert re.search(r'fill="#000080".*?<text[^>]* fill="#fff">a<', dark)
    pale = draw_mermaid("flowchart TD\n a-->b\n style a fill:#f9f").html
    assert re.search(r'fill="#f9f".*?<text[^>]* fill="#16201d">a<', pale)
    assert ink_on("navy") == "#fff"
    assert ink_on("rgb(191, 223, 255)") == "#16201d"


@pytest.mark.parametrize(
    "value", ["url(#a)", "url(http://x)", "var(--x)", "red;background:url(x)", "expression(1)"]
)
def test_what_is_no_colour_is_left_out(value):
    assert page_colour(value) is None


@pytest.mark.parametrize(
    ("source", "problem", "line"),
    [
        ("graph TD\n A --> B\n C[x", "cannot be read", 2),
        ("flowchart TD\nA[x@y] --> B[反射]", "line 2 of the diagram cannot be read: A[x@y]", 1),
        ("---\n...", "names no kind of diagram", 0),
        ("zenuml\n A->B: x", "names no kind of diagram", 0),
        ("", "empty", 0),
        ("graph TD\n" + "a-->b\n" * MAX_SOURCE, f"longer than {MAX_SOURCE}", 0),
        ("graph TD\n" + " & ".join(f"a{i}" for i in range(90)) + " --> "
         + " & ".join(f"b{i}" for i in range(90)), "limit", 0),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_shown_with_its_reason(source, problem, line):
    drawn = draw_mermaid(source)
    assert problem in drawn.problem
    assert drawn.line == line
    assert "<svg" not in drawn.html
    assert '<code class="language-mermaid">' in drawn.html
    assert "<figcaption>" in drawn.html


def test_hostile_labels_stay_text():
    source = (
        'flowchart LR\nA["<img src=x onerror=alert(1)><script>alert(1)</script> y"]-->B\n'
        'click A "javascript:alert(1)" "tip"\nA@{img: "https://example.org/x.png"}'
    )
    drawn = draw_mermaid(source)
    assert not drawn.problem
    assert {element.tag for element in svg_of(drawn.html).iter()} <= ALLOWED
    assert "javascript:" not in drawn.html
    assert "example.org" not in drawn.html


@pytest.mark.parametrize(
    "svg",
    [
        '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
        '<?xml-stylesheet href="x"?><svg/>',
        "<svg><g></svg>",
        "<html/>",
        "<svg>" + "<g>" * 70 + '<path d="M0,0"/>' + "</g>" * 70 + "</svg>",
    ],
)
def test_what_is_no_plain_svg_is_refused(svg):
    with pytest.raises(SvgRefused):
        safe_body(svg_root(svg))


def test_only_shapes_and_harmless_attributes_pass():
    svg = (
        "<svg><script>alert(1)</script><style>*{}</style><foreignObject><p>x</p></foreignObject>"
        '<a href="javascript:1"><rect width="1"/></a><image href="x"/><use href="#a"/>'
        '<rect id="a" onclick="x()" class="y" width="2" fill="url(#b)" style="fill:red;'
        'filter:url(#c);background:url(d)"/><text x="1">a &lt;b&gt; &amp; c</text></svg>'
    )
    assert safe_body(svg_root(svg)) == (
        '<rect width="2" fill="red"/><text x="1">a &lt;b&gt; &amp; c</text>'
    )


def test_a_nested_drawing_becomes_a_group():
    svg = (
        '<svg><svg x="5" y="6" width="40" height="40" viewBox="0 0 80 80">'
        '<path d="M0,0"/></svg></svg>'
    )
    transform = "translate(5 6) scale(0.5) translate(-0 -0)"
    assert safe_body(svg_root(svg)) == f'<g transform="{transform}"><path d="M0,0"/></g>'


def test_a_diagram_too_slow_ends_and_leaves_the_next_one_well():
    slow = "stateDiagram-v2\n" + "\n".join(f"s{i}-->s{j}" for i in range(62) for j in range(i))
    first = draw_mermaid(KINDS["Mind map"]).html
    assert draw_mermaid(slow[:MAX_SOURCE].rpartition("\n")[0]).problem
    assert draw_mermaid(KINDS["Mind map"]).html == first


def test_after_diagrams_that_took_too_long_a_note_draws_no_more():
    allowance = Allowance(overruns=MAX_OVERRUNS)
    assert "took too long" in draw_fence(KINDS["Mind map"], "mermaid", allowance).problem


def test_equal_diagrams_are_equal_bytes_whatever_was_drawn_before():
    before = {kind: draw_mermaid(source).html for kind, source in KINDS.items()}
    after = {kind: draw_mermaid(KINDS[kind]).html for kind in reversed(KINDS)}
    assert before == after


def test_neither_clock_nor_time_zone_changes_a_diagram():
    program = (
        "import sys; from site_builder.drawing.mermaid import draw_mermaid;"
        "sys.stdout.write(draw_mermaid('gantt\\n dateFormat YYYY-MM-DD HH:mm\\n"
        " axisFormat %m-%d %H\\n"
        " a :x, 2024-03-09 22:00, 12h\\n b :after x, 3d\\n c : 5d\\n').html)"
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "TZ": zone},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        ).stdout
        for zone in ("America/New_York", "Australia/Lord_Howe")
    }
    assert len(drawn) == 1
    assert "<svg" in drawn.pop()


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(KINDS.values())),
    st.lists(
        st.sampled_from(
            ["\n", " ", "[", "]", "{", "}", '"', "-->", "<script>", "</svg>", "&", ";", ":", "%%",
             "end", "subgraph x", "style A fill:url(x)", "click A href 'javascript:1'", "\x00",
             "\ud800", "🙂", "---", "title", "$$x$$", "<!--", "]]>"]
        ),
        max_size=8,
    ),
    st.integers(0, 80),
)  # fmt: skip
def test_no_text_makes_a_diagram_raise_or_act(source, parts, at):
    html = draw_mermaid(source[:at] + "".join(parts) + source[at:]).html
    assert not re.search(r"<(?:script|a|image|style|foreignObject|use)\b", html)
    assert not re.search(r"<[^>]* (?:on\w+|href|style|id)=", html)
