/* Where documents stand in the picture. Each group is laid out by itself in a disc, the discs side by side, so that
   groups can be told apart and labelled at any size. No randomness: the same links make the same picture.
   Lengths are pixels at a scale of 1. */

const SPACING = 34; // room that a document takes
const REACH = 3.2 * SPACING; // farther apart, two documents no longer push each other
const GAP = 1.6 * SPACING; // between discs
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/**
 * @typedef {object} Arrangement
 * @property {Float32Array} x by ordinal
 * @property {Float32Array} y
 * @property {Int32Array} group as it was given
 * @property {{x: number, y: number, radius: number}[]} discs by group; documents of none are in the last
 */

/**
 * @param {object} given
 * @param {Int32Array} given.group by ordinal; -1 in no group, -2 not in the picture
 * @param {number} given.groups how many there are
 * @param {Int32Array} given.links pairs of ordinals
 * @param {number} given.aspect how many times wider than high the picture may be
 * @returns {Arrangement}
 */
export function arrange({ group, groups, links, aspect }) {
  const x = new Float32Array(group.length);
  const y = new Float32Array(group.length);
  const members = Array.from({ length: groups + 1 }, () => []);
  group.forEach((number, ordinal) => {
    if (number >= -1) members[number < 0 ? groups : number].push(ordinal);
  });
  const degree = degrees(group.length, links);
  const within = linksWithin(group, groups, links);
  const radii = members.map((ordinals, number) => layOut(ordinals, within[number], degree, x, y));
  const discs = placeDiscs(radii, pulls(group, groups, links, members), aspect);
  members.forEach((ordinals, number) => {
    for (const ordinal of ordinals) {
      x[ordinal] += discs[number].x;
      y[ordinal] += discs[number].y;
    }
  });
  return { x, y, group, discs };
}

function degrees(size, links) {
  const degree = new Int32Array(size);
  for (const ordinal of links) degree[ordinal] += 1;
  return degree;
}

function linksWithin(group, groups, links) {
  const within = Array.from({ length: groups + 1 }, () => []);
  for (let at = 0; at < links.length; at += 2) {
    const number = group[links[at]];
    if (number < -1 || number !== group[links[at + 1]]) continue;
    within[number < 0 ? groups : number].push(links[at], links[at + 1]);
  }
  return within;
}

/* Lays one group out around the origin; returns the radius of its disc. */
function layOut(ordinals, links, degree, x, y) {
  const ordered = [...ordinals].sort((one, other) => degree[other] - degree[one] || one - other);
  ordered.forEach((ordinal, place) => {
    const distance = SPACING * 0.62 * Math.sqrt(place + 0.3);
    x[ordinal] = distance * Math.cos(place * GOLDEN);
    y[ordinal] = distance * Math.sin(place * GOLDEN);
  });
  if (links.length > 0) relax(ordered, links, degree, x, y);
  return outermost(ordered, x, y);
}

function relax(ordinals, links, degree, x, y) {
  const rounds = ordinals.length > 800 ? 50 : ordinals.length > 200 ? 80 : 140;
  const inner = new Map(ordinals.map((ordinal) => [ordinal, 0]));
  for (const ordinal of links) inner.set(ordinal, inner.get(ordinal) + 1);
  for (let round = 0; round < rounds; round += 1) {
    const heat = 1 - round / rounds;
    pull(links, inner, x, y, 0.32 * heat + 0.03);
    push(ordinals, x, y, 0.9 * heat + 0.25);
    for (const ordinal of ordinals) {
      const gravity = 0.012 * heat * (degree[ordinal] > 0 ? 1 : 1.6);
      x[ordinal] -= x[ordinal] * gravity;
      y[ordinal] -= y[ordinal] * gravity;
    }
  }
}

/* Links draw together; of one with many links each draws less, so that hubs do not collapse. */
function pull(links, inner, x, y, strength) {
  for (let at = 0; at < links.length; at += 2) {
    const a = links[at];
    const b = links[at + 1];
    const dx = x[b] - x[a];
    const dy = y[b] - y[a];
    const length = Math.sqrt(dx * dx + dy * dy) || 1;
    const force = ((length - SPACING * 1.25) / length) * strength;
    const ofA = force / inner.get(a);
    const ofB = force / inner.get(b);
    x[a] += dx * ofA;
    y[a] += dy * ofA;
    x[b] -= dx * ofB;
    y[b] -= dy * ofB;
  }
}

/* Neighbours push each other away; a grid as coarse as the reach finds them. */
function push(ordinals, x, y, strength) {
  const cells = new Map();
  const column = (ordinal) => Math.floor(x[ordinal] / REACH);
  const line = (ordinal) => Math.floor(y[ordinal] / REACH);
  for (const ordinal of ordinals) {
    const key = column(ordinal) * 65_536 + line(ordinal);
    const cell = cells.get(key);
    if (cell) cell.push(ordinal);
    else cells.set(key, [ordinal]);
  }
  for (const ordinal of ordinals) {
    const key = column(ordinal) * 65_536 + line(ordinal);
    for (const step of [-65_537, -65_536, -65_535, -1, 0, 1, 65_535, 65_536, 65_537]) {
      for (const other of cells.get(key + step) ?? []) if (other > ordinal) pushApart(ordinal, other, x, y, strength);
    }
  }
}

function pushApart(a, b, x, y, strength) {
  let dx = x[b] - x[a];
  let dy = y[b] - y[a];
  if (dx === 0 && dy === 0) {
    // Two on one spot part along their ordinals.
    dx = 0.1 * Math.cos(b);
    dy = 0.1 * Math.sin(b);
  }
  const square = dx * dx + dy * dy;
  if (square > REACH * REACH) return;
  const distance = Math.sqrt(square);
  const force = Math.min(SPACING / 2, (SPACING * SPACING * 0.3) / Math.max(square, 16) * distance * 0.12) * strength;
  x[a] -= (dx / distance) * force;
  y[a] -= (dy / distance) * force;
  x[b] += (dx / distance) * force;
  y[b] += (dy / distance) * force;
}

/* Centres a group on the origin and measures it. */
function outermost(ordinals, x, y) {
  if (ordinals.length === 0) return 0;
  let left = 0;
  let top = 0;
  for (const ordinal of ordinals) {
    left += x[ordinal] / ordinals.length;
    top += y[ordinal] / ordinals.length;
  }
  let radius = 0;
  for (const ordinal of ordinals) {
    x[ordinal] -= left;
    y[ordinal] -= top;
    radius = Math.max(radius, Math.hypot(x[ordinal], y[ordinal]));
  }
  return radius + SPACING / 2;
}

/* How much each two groups are linked, by their sizes. */
function pulls(group, groups, links, members) {
  const found = new Map();
  for (let at = 0; at < links.length; at += 2) {
    const a = group[links[at]];
    const b = group[links[at + 1]];
    if (a === b || a < 0 || b < 0) continue;
    const key = Math.min(a, b) * groups + Math.max(a, b);
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return [...found].map(([key, count]) => {
    const [a, b] = [Math.floor(key / groups), key % groups];
    return { a, b, weight: count / Math.sqrt(members[a].length * members[b].length) };
  });
}

function placeDiscs(radii, pairs, aspect) {
  const bySize = radii.map((_, number) => number).sort((one, other) => radii[other] - radii[one] || one - other);
  const wide = Math.sqrt(aspect);
  let area = 0;
  const discs = [];
  bySize.forEach((number, place) => {
    area += (radii[number] + GAP) ** 2;
    const distance = place === 0 ? 0 : Math.sqrt(area);
    const x = distance * Math.cos(place * GOLDEN) * wide;
    const y = (distance * Math.sin(place * GOLDEN)) / wide;
    discs[number] = { x, y, radius: radii[number] };
  });
  const shown = bySize.filter((number) => radii[number] > 0);
  const strongest = Math.max(1e-9, ...pairs.map(({ weight }) => weight));
  for (let round = 0; round < 260; round += 1) {
    const heat = 1 - round / 260;
    for (const { a, b, weight } of pairs) drawDiscs(discs[a], discs[b], (weight / strongest) * 0.03 * heat);
    for (const number of shown) {
      discs[number].x -= (discs[number].x * 0.02 * heat) / aspect;
      discs[number].y -= discs[number].y * 0.02 * heat * aspect;
    }
    for (let pass = 0; pass < 3; pass += 1) partDiscs(shown, discs);
  }
  for (let pass = 0; pass < 60 && partDiscs(shown, discs); pass += 1);
  return discs;
}

function drawDiscs(a, b, strength) {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  a.x += dx * strength;
  a.y += dy * strength;
  b.x -= dx * strength;
  b.y -= dy * strength;
}

/* Moves discs that overlap apart, the smaller of two more; whether any did. */
function partDiscs(shown, discs) {
  let moved = false;
  for (let one = 0; one < shown.length; one += 1) {
    for (let other = 0; other < one; other += 1) {
      const a = discs[shown[one]];
      const b = discs[shown[other]];
      const dx = b.x - a.x || 1e-3 * (one + 1);
      const dy = b.y - a.y || 1e-3;
      const distance = Math.hypot(dx, dy);
      const overlap = a.radius + b.radius + GAP - distance;
      if (overlap <= 0.01) continue;
      moved = true;
      const share = b.radius / (a.radius + b.radius || 1);
      a.x -= (dx / distance) * overlap * share;
      a.y -= (dy / distance) * overlap * share;
      b.x += (dx / distance) * overlap * (1 - share);
      b.y += (dy / distance) * overlap * (1 - share);
    }
  }
  return moved;
}
