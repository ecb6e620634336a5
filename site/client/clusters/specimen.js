/* A small picture of a group: its most linked notes and the links among them, as they are. */
import { arrange } from "../graph/layout.js";

const SVG = "http://www.w3.org/2000/svg";
const NOTES = 14;
const WIDTH = 220;
const HEIGHT = 76;
const MARGIN = 7;

/** @param {import("../graph/network.js").Network} network  @param {number[]} members ordinals */
export function specimen(network, members) {
  const chosen = connected(network, members);
  const numbers = new Map(chosen.map((ordinal, number) => [ordinal, number]));
  const links = chosen.flatMap((ordinal, number) => {
    const others = [...network.outgoing(ordinal)].filter((other) => numbers.has(other));
    return others.flatMap((other) => [number, numbers.get(other)]);
  });
  const group = new Int32Array(chosen.length);
  const { x, y } = arrange({ group, groups: 1, links: Int32Array.from(links), aspect: 1 });
  const across = spread(x, WIDTH);
  const down = spread(y, HEIGHT);
  const svg = make("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "xMinYMid meet",
    "aria-hidden": "true",
  });
  for (let at = 0; at < links.length; at += 2) {
    const [a, b] = [links[at], links[at + 1]];
    svg.append(make("line", { x1: across[a], y1: down[a], x2: across[b], y2: down[b] }));
  }
  chosen.forEach((ordinal, number) => {
    const radius = number === 0 ? 5 : 2.5 + Math.min(1.5, network.degree(ordinal) / 20);
    const circle = make("circle", { cx: across[number], cy: down[number], r: radius.toFixed(1) });
    if (number === 0) circle.setAttribute("class", "me");
    svg.append(circle);
  });
  return svg;
}

/* The most linked note, then again and again the one with most links to those chosen. */
function connected(network, members) {
  const byDegree = network.byDegree(members);
  const ties = new Map(byDegree.map((ordinal) => [ordinal, 0]));
  const chosen = [];
  while (chosen.length < NOTES && ties.size > 0) {
    const most = Math.max(...ties.values());
    const next = byDegree.find((ordinal) => ties.get(ordinal) === most);
    ties.delete(next);
    chosen.push(next);
    for (const other of [...network.outgoing(next), ...network.incoming(next)]) {
      if (ties.has(other)) ties.set(other, ties.get(other) + 1);
    }
  }
  return chosen;
}

/* Coordinates spread over a length, rounded to tenths. */
function spread(values, length) {
  const least = Math.min(...values);
  const range = Math.max(...values) - least || 1;
  return Array.from(values, (value) => (MARGIN + ((value - least) / range) * (length - 2 * MARGIN)).toFixed(1));
}

function make(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
