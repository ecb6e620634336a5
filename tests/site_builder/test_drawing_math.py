"""Formulas become MathML that keeps its source, or stay readable with a reason."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from site_builder.drawing.drawn import MAX_PER_NOTE, Allowance
from site_builder.drawing.fences import draw_formula
from site_builder.drawing.math import draw_math
from site_builder.drawing.mathml_policy import MathRefused, published_mathml
from site_builder.drawing.tex_source import MAX_DEPTH, MAX_SOURCE, depth_of

USUAL = [
    r"\frac{a}{b}",
    r"\dfrac12+\tfrac12+\cfrac{1}{1+\cfrac{1}{x}}",
    r"\sqrt[3]{x}+\sqrt{2}",
    r"x_1^2+y_{i,j}^{n+1}",
    r"\sum_{i=1}^{n} i^2",
    r"\prod_{k=0}^\infty a_k",
    r"\int_0^1 f(x)\,dx",
    r"\iint\iiint\oint",
    r"\lim_{x\to 0}\frac{\sin x}{x}",
    r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    r"\begin{bmatrix}1&0\\0&1\end{bmatrix}",
    r"\begin{vmatrix}a&b\\c&d\end{vmatrix}",
    r"\begin{Bmatrix}a\end{Bmatrix}\begin{Vmatrix}b\end{Vmatrix}",
    r"\begin{smallmatrix}a&b\\c&d\end{smallmatrix}",
    r"\begin{cases}x & x>0\\ -x & \text{otherwise}\end{cases}",
    r"\begin{aligned}a&=b\\&=c\end{aligned}",
    r"\begin{align}a&=b\label{x}\\c&=d\nonumber\end{align}",
    r"\begin{align*}a&=b\\c&=d\end{align*}",
    r"\begin{alignat}{2}a&=b&c&=d\end{alignat}",
    r"\begin{equation}E=mc^2\tag{1}\end{equation}",
    r"\begin{gather}a=b\\c=d\end{gather}",
    r"\begin{multline}a\\b\end{multline}",
    r"\begin{split}a&=b\\&=c\end{split}",
    r"\begin{array}{c|cc}a&b&c\\\hline d&e&f\end{array}",
    r"\text{速度} = \frac{\text{路程}}{\text{时间}}",
    r"时间 = 空间",
    r"\text{if } x \text{ 是 $y$ 时}",
    r"\mathbb{R}^n\mathcal{L}\mathfrak{g}\mathscr{F}\mathbb{1}",
    r"\mathbf{x}\cdot\mathrm{d}x\mathsf{A}\mathtt{B}\boldsymbol{\alpha}\bm{\mu}",
    r"\operatorname{argmin}_x f",
    r"\operatorname*{arg\,max}_{x}",
    r"\argmax_\theta f",
    r"\left(\frac{a}{b}\right)",
    r"\left\{ x \mid x>0 \right\}",
    r"\left. \frac{d}{dx} \right|_{x=0}",
    r"\left(a\middle|b\right)",
    r"\big( \Big[ \bigg\{ \Bigg|",
    r"\hat{x}\bar{y}\tilde{z}\vec{v}\dot{a}\ddot{b}\dddot x\mathring{A}",
    r"\overline{AB}\underline{x}\widehat{ABC}\widetilde{xyz}",
    r"\overbrace{a+b}^{n}\underbrace{c+d}_{\text{文字}}",
    r"\overset{!}{=}\underset{x}{\max}\stackrel{def}{=}",
    r"\alpha\beta\gamma\epsilon\varepsilon\vartheta\varphi\Gamma\Omega",
    r"a\le b\geq c\neq d\approx e\equiv f\sim g\propto h",
    r"A\subset B\subseteq C\cup D\cap E\setminus F\in G\notin H",
    r"\forall x\exists y\neg z\land w\lor v\implies u\iff t",
    r"\rightarrow\Leftarrow\Leftrightarrow\mapsto\longrightarrow\uparrow",
    r"\xrightarrow{f}\xleftarrow[g]{h}",
    r"\partial\nabla\infty\emptyset\hbar\ell\Re\Im\aleph",
    r"\binom{n}{k}\dbinom{n}{k}{n \choose k}",
    r"a \bmod b \quad a\equiv b\pmod{n}",
    r"\sin x\cos y\log z\ln w\exp v\max u\min t\det A\gcd(a,b)\Pr(X)",
    r"f'(x) f''(x)",
    r"\ldots\cdots\vdots\ddots\dots",
    r"\lfloor x\rfloor\lceil y\rceil\langle z\rangle\|v\|\lVert w\rVert",
    r"a\,b\;c\:d\!e\quad f\qquad g\ h",
    r"\color{red}{x}\textcolor{blue}{y}\textcolor{#00ff00}{z}",
    r"\boxed{x=1}\cancel{x}\phantom{x}\smash{x}\mbox{m}",
    r"\sum_{\substack{i<n\\ j<m}} a_{ij}",
    r"\mathop{\mathrm{Res}}_{z=0}",
    r"\newcommand{\R}{\mathbb{R}} x\in\R",
    r"\newcommand{\half}[1]{\frac{#1}{2}} \half{x}",
    r"5\%\ \$\ \#\ \&\ \_",
    r"a \over b",
    r"\displaystyle\sum_i x_i",
    r"90^\circ",
    r"a_1 + b^2",
    r"\mathrm{softmax}(x_i)=\frac{e^{x_i}}{\sum_j e^{x_j}}",
    r"\textbf{bold}\textit{it}\texttt{tt}",
]


@pytest.mark.parametrize("source", USUAL)
def test_usual_formulas_are_drawn(source):
    drawn = draw_math(source, display=True, in_text=True)
    assert not drawn.problem
    assert drawn.html.startswith('<span class="math display" tabindex="0"><math')
    shown = re.sub(r"<annotation.*?</annotation>", "", drawn.html)
    assert "\\" not in re.sub(r"<[^>]*>", "", shown)


def test_the_source_stays_as_an_annotation():
    html = draw_math("a < b_1", display=False, in_text=True).html
    assert '<annotation encoding="application/x-tex">a &lt; b_1</annotation>' in html
    assert "<msub><mi>b</mi><mn>1</mn></msub>" in html


def test_alignment_is_said_by_classes_and_no_style_is_left():
    html = draw_math(r"\begin{aligned}a&=b\end{aligned}\color{red}x", display=True).html
    assert 'class="m-r m-pr"' in html
    assert 'mathcolor="#FF0000"' in html
    assert " style=" not in html


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (r"\unknown{x}", "Unknown command"),
        (r"\frac{a}{b", "end of input"),
        ("{" * 70 + "}" * 70, f"deeper than {MAX_DEPTH}"),
        (r"\frac1" * 400 + "x", f"deeper than {MAX_DEPTH}"),
        ("\\hat%\n" * 400 + "x", f"deeper than {MAX_DEPTH}"),
        (r"^\hat" * 400 + "x", f"deeper than {MAX_DEPTH}"),
        (r"\def\a{\a\a}\a", "Too many expansions"),
        (r"\def\b{" + r"\hat" * 90 + "}" + r"\b" * 90, f"deeper than {MAX_DEPTH}"),
        ("x" * (MAX_SOURCE + 1), f"longer than {MAX_SOURCE}"),
    ],
)
def test_what_cannot_be_read_is_shown_as_its_source(source, why):
    drawn = draw_math(source, display=False, in_text=True)
    assert why in drawn.problem
    assert drawn.html.startswith('<span class="math unread"><code class="language-tex">')
    assert "<math" not in drawn.html


@pytest.mark.parametrize(
    "mathml",
    [
        "<math><script>1</script></math>",
        "<math><mi onclick='x'>a</mi></math>",
        "<math><mtext><img src=x></mtext></math>",
        "<math><annotation-xml><p>x</p></annotation-xml></math>",
        "<math><!-- x --></math>",
    ],
)
def test_what_is_no_plain_mathml_is_refused(mathml):
    with pytest.raises(MathRefused):
        published_mathml(mathml)


def test_only_harmless_attributes_of_mathml_pass():
    given = (
        '<math display="block" href="javascript:1"><mrow style="color:red;background:url(x);'
        'width:50%" id="a" width="1em;x"><mi mathvariant="normal">a</mi></mrow></math>'
    )
    assert published_mathml(given) == (
        '<math display="block"><mrow mathcolor="red" class="m-rest">'
        '<mi mathvariant="normal">a</mi></mrow></math>'
    )


def test_a_long_formula_is_no_deep_one():
    long = r"\alpha+\beta x_1^2+\frac{a}{b}=c\\ " * 100
    assert depth_of(long) == 1
    assert not draw_math(long, display=True).problem


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["\\text{", "\\frac", "{", "}", "<script>", "&", '"', "'", "^", "_", "x", "中",
             "\\left(", "\\right)", "\\begin{matrix}", "\\end{matrix}", "\\color{red}",
             "\\href{javascript:1}{y}", "\\def\\a{", "\\a", "%", "\n",
             "\\class{x}", "\\style{a:b}{c}", "$", "#1", "\x00", "\ud800"]
        ),
        max_size=30,
    )
)  # fmt: skip
def test_no_source_brings_other_elements_into_the_page(parts):
    html = draw_math("".join(parts), display=False, in_text=True).html
    names = set(re.findall(r"</?([a-zA-Z][\w-]*)", html))
    assert not names & {"script", "a", "img", "style", "iframe", "svg"}
    assert not re.search(r"<[^>]* (?:on\w+|href|src|style|id)=", html)


def test_a_note_draws_so_many_formulas_and_shows_the_others():
    allowance = Allowance()
    allowance.left["formula"] = 1
    assert not draw_formula("x", display=False, allowance=allowance).problem
    assert (
        str(MAX_PER_NOTE["formula"])
        in draw_formula("x", display=False, allowance=allowance).problem
    )
