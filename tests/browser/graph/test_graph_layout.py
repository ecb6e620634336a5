"""Where notes stand, and which titles find room: plain numbers, the same everywhere."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ARRANGE = """async ({ sizes, aspect }) => {
  const { arrange } = await import("/assets/client/graph/layout.js");
  const grouped = sizes.flatMap((size, number) => Array(size).fill(number));
  const group = Int32Array.from([...grouped, -1, -1, -2]);
  const links = [];
  const last = grouped.length;
  for (let n = 1; n < last; n += 1) links.push(n, Math.floor(n / 3), n, (n * 17) % last);
  const given = { group, groups: sizes.length, links: Int32Array.from(links), aspect };
  const one = arrange(given);
  const two = arrange(given);
  const same = one.x.every((x, n) => x === two.x[n]) && one.y.every((y, n) => y === two.y[n]);
  const finite = one.x.every(Number.isFinite) && one.y.every(Number.isFinite);
  let outside = 0;
  group.forEach((number, n) => {
    if (number < 0) return;
    const disc = one.discs[number];
    if (Math.hypot(one.x[n] - disc.x, one.y[n] - disc.y) > disc.radius) outside += 1;
  });
  let overlaps = 0;
  const discs = one.discs.filter(({ radius }) => radius > 0);
  discs.forEach((a, i) => discs.slice(0, i).forEach((b) => {
    if (Math.hypot(a.x - b.x, a.y - b.y) < a.radius + b.radius) overlaps += 1;
  }));
  const across = Math.max(...one.x) - Math.min(...one.x);
  const down = Math.max(...one.y) - Math.min(...one.y);
  return { same, finite, outside, overlaps, across, down };
}"""

WORKER = """async () => {
  const { arrange } = await import("/assets/client/graph/layout.js");
  const { arranged } = await import("/assets/client/graph/arranging.js");
  const group = Int32Array.from({ length: 600 }, (_, n) => n % 5);
  const links = Int32Array.from({ length: 1200 }, (_, n) => (n * 7919) % 600);
  const given = { group, groups: 5, links, aspect: 1.5 };
  const there = await arranged(given, new AbortController().signal);
  const here = arrange(given);
  return there.x.every((x, n) => x === here.x[n]) && there.y.every((y, n) => y === here.y[n]);
}"""

LABELS = """async (rounds) => {
  const { placed } = await import("/assets/client/graph/labels.js");
  let seed = 7;
  const random = () => ((seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296);
  let overlaps = 0, outside = 0, lost = 0, covered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const stage = { width: 300 + 900 * random(), height: 200 + 600 * random() };
    const wishes = Array.from({ length: 120 }, (_, n) => ({
      x: stage.width * random(), y: stage.height * random(), radius: 2 + 8 * random(),
      width: 10 + 240 * random(), height: 15, centred: n % 9 === 0,
    }));
    const upon = [{ left: 10, top: 10, width: 200, height: 40 }];
    const found = placed(wishes, stage, { dots: [], covered: upon });
    if (found.length === 0) lost += 1;
    const touches = (a, b) => a.left < b.left + b.width && b.left < a.left + a.width
      && a.top < b.top + b.height && b.top < a.top + a.height;
    const boxes = found.map(({ wish: { width, height }, left, top }) => {
      return { left, top, width, height };
    });
    boxes.forEach((a, i) => {
      overlaps += boxes.slice(0, i).filter((b) => touches(a, b)).length;
      if (touches(a, upon[0])) covered += 1;
      const [right, bottom] = [a.left + a.width, a.top + a.height];
      if (a.left < 0 || a.top < 0 || right > stage.width || bottom > stage.height) outside += 1;
    });
  }
  return { overlaps, outside, lost, covered };
}"""


@pytest.mark.parametrize("sizes", [[], [1], [2, 1], [40, 3, 300, 7, 7], [1] * 60, [900]])
@pytest.mark.parametrize("aspect", [0.7, 1.5])
async def test_groups_stand_apart_and_the_same_links_make_the_same_picture(
    look, small_site, sizes: list[int], aspect: float
) -> None:
    page = await look(small_site, "notes/")
    found = await page.evaluate(ARRANGE, {"sizes": sizes, "aspect": aspect})
    assert found["same"]
    assert found["finite"]
    assert (found["outside"], found["overlaps"]) == (0, 0)


async def test_a_wide_stage_gets_a_wider_picture_than_a_high_one(look, small_site) -> None:
    page = await look(small_site, "notes/")
    sizes = [30] * 20
    wide = await page.evaluate(ARRANGE, {"sizes": sizes, "aspect": 1.5})
    high = await page.evaluate(ARRANGE, {"sizes": sizes, "aspect": 0.7})
    assert wide["across"] / wide["down"] > high["across"] / high["down"]


async def test_the_worker_lays_out_as_the_page_does(look, small_site) -> None:
    page = await look(small_site, "notes/")
    assert await page.evaluate(WORKER)


async def test_labels_never_overlap_nor_leave_the_stage(look, small_site) -> None:
    page = await look(small_site, "notes/")
    found = await page.evaluate(LABELS, 150)
    assert found == {"overlaps": 0, "outside": 0, "lost": 0, "covered": 0}
