/* The graph around one note, small, in its page. The wheel and one finger stay the page's. */
import { pageAddress } from "../knowledge/addresses.js";
import { thisIndex } from "../knowledge/this-index.js";
import { thisSite } from "../knowledge/this-site.js";
import { arrange } from "./layout.js";
import { neighbourhood } from "./neighbourhood.js";
import { Scene } from "./scene.js";
import { Stage } from "./stage.js";

const PADDING = { top: 28, right: 72, bottom: 28, left: 72 };

/** @param {HTMLElement} host an <nb-graph data-scope="local" data-doc-id data-url data-title> */
export async function draw(host, signal) {
  const index = await thisIndex();
  const { notes, links } = await neighbourhood(thisSite, index, host.dataset, signal);
  signal.throwIfAborted();
  host.dataset.state = "listed";
  const canvas = host.querySelector("canvas");
  if (notes.length === 1) {
    alone(host);
    return;
  }
  const open = async (number) => {
    if (number === 0) return;
    const { url } = await index.doc(notes[number]);
    const address = pageAddress(thisSite.root, url);
    if (address && !signal.aborted) location.assign(address);
  };
  const drawn = () => (host.dataset.state = "ready");
  let scene;
  const choose = (number) => {
    scene.select(number);
    host.querySelector("[role=status]").textContent = notes[number].title;
    stage.draw();
  };
  // A pointer opens what it presses; keys move first, and Enter opens.
  const pressed = (number) => (canvas.matches(":focus-visible") ? choose(number) : open(number));
  const stage = Stage.on(canvas, { chosen: pressed, opened: open, drawn }, { padding: PADDING, modest: true }, signal);
  if (!stage) {
    alone(host);
    return;
  }
  scene = new Scene({
    arrangement: stretched(arrange({ group: new Int32Array(notes.length), groups: 1, links, aspect: 1 }), stage.aspect),
    links,
    labels: [],
    titleOf: (number) => notes[number].title,
    isShown: () => true,
  });
  scene.select(0);
  canvas.setAttribute("aria-label", host.dataset.picture.replace("{n}", notes.length - 1));
  stage.scene = scene;
}

/* Wide stages are filled, which gives titles room. */
function stretched(arrangement, aspect) {
  const factor = Math.min(2, Math.max(1, aspect));
  return { ...arrangement, x: arrangement.x.map((x) => x * factor) };
}

function alone(host) {
  host.dataset.state = "ready";
  host.querySelector(".stage").hidden = true;
  host.querySelector(".hint").hidden = false;
}
