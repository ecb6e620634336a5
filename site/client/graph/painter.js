/* Draws a scene on a canvas. Far away the groups are the picture: dots, and bundles of links between discs; nearer,
   single links and titles come. */
import { placed } from "./labels.js";

const MANY_LINKS = 5000; // single links in sight beyond which bundles are drawn
const MANY_DOTS = 1500; // dots in sight beyond which no title but those of the chosen is drawn
const AREA_PER_LABEL = 15_000; // square pixels
const FEWEST_LABELS = 28;
const LONGEST = 34; // of a label, in half-width characters

export class Painter {
  #context;
  #widths = new Map();
  #x = new Float32Array(0);
  #y = new Float32Array(0);

  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.#context = context;
  }

  /** What is measured with fonts that may have changed is measured anew. */
  forget() {
    this.#widths.clear();
  }

  /**
   * @param {import("./scene.js").Scene} scene
   * @param {import("./camera.js").Camera} camera
   * @param {{width: number, height: number, ratio: number, covered: object[]}} stage in CSS pixels; covered: boxes of
   *   what lies upon it
   * @param {ReturnType<typeof import("./inks.js").inksOf>} inks
   */
  paint(scene, camera, stage, inks) {
    const context = this.#context;
    context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
    context.clearRect(0, 0, stage.width, stage.height);
    this.#project(scene, camera, stage);
    const visible = scene.ordinals.filter((ordinal) => this.#inSight(ordinal, stage));
    const across = this.#inSightOf(scene.linksAcross, stage);
    const within = this.#inSightOf(scene.linksWithin, stage);
    if (across) this.#drawLinks(across, inks.dot, faintness(across.length / 2, 0.32, 120));
    else this.#drawBundles(scene, camera, stage, inks);
    if (within) this.#drawLinks(within, inks.dot, faintness(within.length / 2, 0.42, 300));
    this.#drawChosenLinks(scene, inks);
    this.#drawDots(scene, visible, camera, inks);
    this.#drawLabels(scene, visible, camera, stage, inks);
  }

  #project({ size, arrangement }, camera, stage) {
    if (this.#x.length !== size) [this.#x, this.#y] = [new Float32Array(size), new Float32Array(size)];
    const left = stage.width / 2 - camera.x * camera.scale;
    const top = stage.height / 2 - camera.y * camera.scale;
    for (let ordinal = 0; ordinal < size; ordinal += 1) {
      this.#x[ordinal] = arrangement.x[ordinal] * camera.scale + left;
      this.#y[ordinal] = arrangement.y[ordinal] * camera.scale + top;
    }
  }

  #inSight(ordinal, { width, height }) {
    const [x, y] = [this.#x[ordinal], this.#y[ordinal]];
    return x > -12 && y > -12 && x < width + 12 && y < height + 12;
  }

  /* Links of which an end is in sight; null if there are too many to be told apart. */
  #inSightOf(links, stage) {
    const found = [];
    for (let at = 0; at < links.length; at += 2) {
      const [a, b] = [links[at], links[at + 1]];
      if (!this.#inSight(a, stage) && !this.#inSight(b, stage)) continue;
      found.push(a, b);
      if (found.length > 2 * MANY_LINKS) return null;
    }
    return found;
  }

  #drawLinks(links, ink, strength, width = 1) {
    const context = this.#context;
    context.beginPath();
    for (let at = 0; at < links.length; at += 2) {
      context.moveTo(this.#x[links[at]], this.#y[links[at]]);
      context.lineTo(this.#x[links[at + 1]], this.#y[links[at + 1]]);
    }
    this.#stroke(ink, strength, width);
  }

  #drawBundles({ bundles, arrangement: { discs } }, camera, stage, inks) {
    const most = bundles[0]?.count ?? 1;
    const context = this.#context;
    const point = ({ x, y }) => onStage(x, y, camera, stage);
    // Near by, bundles would be strokes across single notes.
    const nearness = Math.min(1, Math.max(0, 1.2 - 2 * camera.scale));
    for (const { a, b, count } of bundles) {
      const part = Math.sqrt(count / most);
      context.beginPath();
      context.moveTo(...point(discs[a]));
      context.lineTo(...point(discs[b]));
      this.#stroke(inks.dot, (0.08 + 0.22 * part) * nearness, 0.75 + 2.5 * part);
    }
  }

  #drawChosenLinks({ selected, near, shown }, inks) {
    if (selected < 0) return;
    const links = [...near].filter((ordinal) => shown[ordinal]).flatMap((ordinal) => [selected, ordinal]);
    this.#drawLinks(links, inks.accent, near.size > 60 ? 0.45 : 0.9, 1.5);
  }

  #drawDots(scene, visible, camera, inks) {
    this.#fillDots(visible.filter((ordinal) => !isChosen(scene, ordinal)), scene, camera, inks.dot, inks.paper);
    const near = [...scene.near].filter((ordinal) => scene.shown[ordinal]);
    this.#fillDots(near, scene, camera, inks.accent, inks.paper, 3);
    if (scene.hovered >= 0) this.#fillDots([scene.hovered], scene, camera, inks.ink, inks.paper, 4);
    if (scene.selected < 0) return;
    const context = this.#context;
    const radius = Math.max(6.5, dotRadius(scene, scene.selected, camera.scale));
    context.beginPath();
    context.arc(this.#x[scene.selected], this.#y[scene.selected], radius + 3, 0, 2 * Math.PI);
    this.#fill(inks.ring);
    context.beginPath();
    context.arc(this.#x[scene.selected], this.#y[scene.selected], radius - 1, 0, 2 * Math.PI);
    this.#fill(inks.accent);
  }

  /* Small dots among many are squares, which cost a tenth of circles. */
  #fillDots(ordinals, scene, camera, ink, halo, least = 0) {
    const context = this.#context;
    const round = ordinals.length <= MANY_DOTS;
    context.fillStyle = ink;
    context.strokeStyle = halo;
    context.lineWidth = 2.5;
    for (const ordinal of ordinals) {
      const radius = Math.max(least, dotRadius(scene, ordinal, camera.scale));
      const [x, y] = [this.#x[ordinal], this.#y[ordinal]];
      if (!round && radius <= 2) {
        context.fillRect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8);
        continue;
      }
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      if (round && camera.scale > 0.5) context.stroke();
      context.fill();
    }
  }

  #drawLabels(scene, visible, camera, stage, inks) {
    const context = this.#context;
    const wishes = this.#wishes(scene, visible, camera, stage, inks);
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    const around = { dots: this.#boxes(scene, visible, camera), covered: stage.covered };
    for (const { wish, left, top } of placed(wishes, stage, around)) {
      context.font = wish.font;
      context.lineWidth = 4;
      context.strokeStyle = inks.paper;
      context.strokeText(wish.text, left, top + wish.height / 2);
      context.fillStyle = wish.ink;
      context.fillText(wish.text, left, top + wish.height / 2);
    }
  }

  #boxes(scene, visible, camera) {
    if (visible.length > MANY_DOTS) return [];
    return visible.map((ordinal) => {
      const radius = dotRadius(scene, ordinal, camera.scale);
      return { left: this.#x[ordinal] - radius, top: this.#y[ordinal] - radius, width: 2 * radius, height: 2 * radius };
    });
  }

  #wishes(scene, visible, camera, stage, inks) {
    const title = (ordinal, font, ink) => this.#titleWish(scene, ordinal, camera, font, ink);
    const strong = `600 12px ${inks.sans}`;
    const budget = Math.max(FEWEST_LABELS, Math.floor((stage.width * stage.height) / AREA_PER_LABEL));
    const near = [...scene.near].filter((ordinal) => scene.shown[ordinal] && this.#inSight(ordinal, stage));
    near.sort((one, other) => scene.degree[other] - scene.degree[one] || one - other);
    const seen = new Set(visible);
    const isPlain = (ordinal) => seen.has(ordinal) && !isChosen(scene, ordinal);
    const others = visible.length > MANY_DOTS ? [] : scene.byDegree.filter(isPlain).slice(0, budget);
    return [
      title(scene.selected, strong, inks.ink),
      title(scene.hovered, strong, inks.ink),
      ...this.#groupWishes(scene, camera, stage, inks),
      ...near.slice(0, budget).map((ordinal) => title(ordinal, strong, inks.ink)),
      ...others.map((ordinal) => title(ordinal, `12px ${inks.sans}`, inks.ink2)),
    ].filter(Boolean);
  }

  #titleWish(scene, ordinal, camera, font, ink) {
    const text = ordinal >= 0 && scene.titleOf(ordinal);
    if (!text) return null;
    const radius = Math.max(ordinal === scene.selected ? 8 : 2, dotRadius(scene, ordinal, camera.scale));
    return { x: this.#x[ordinal], y: this.#y[ordinal], radius, ink, font, ...this.#measured(text, font, 15) };
  }

  #groupWishes({ labels, arrangement: { discs } }, camera, stage, inks) {
    const font = `600 15px ${inks.serif}`;
    return labels.flatMap((label, number) => {
      const disc = discs[number];
      if (disc.radius === 0 || !label) return [];
      const [x, y] = onStage(disc.x, disc.y - disc.radius, camera, stage);
      return [{ x, y: y - 8, radius: 0, centred: true, ink: inks.ink3, font, ...this.#measured(label, font, 20) }];
    });
  }

  #measured(text, font, height) {
    const key = `${font}\n${text}`;
    if (!this.#widths.has(key)) {
      this.#context.font = font;
      const short = shortened(text);
      this.#widths.set(key, { text: short, width: Math.ceil(this.#context.measureText(short).width) + 4, height });
    }
    return this.#widths.get(key);
  }

  #stroke(ink, strength, width) {
    this.#context.strokeStyle = ink;
    this.#context.globalAlpha = strength;
    this.#context.lineWidth = width;
    this.#context.stroke();
    this.#context.globalAlpha = 1;
  }

  #fill(ink) {
    this.#context.fillStyle = ink;
    this.#context.fill();
  }
}

function onStage(x, y, camera, stage) {
  return [(x - camera.x) * camera.scale + stage.width / 2, (y - camera.y) * camera.scale + stage.height / 2];
}

function isChosen({ selected, near, hovered }, ordinal) {
  return ordinal === selected || near.has(ordinal) || ordinal === hovered;
}

function faintness(count, strongest, full) {
  return strongest * Math.min(1, Math.max(0.16, Math.sqrt(full / Math.max(1, count))));
}

/** How large a dot is, in pixels of the stage. */
export function dotRadius({ degree }, ordinal, scale) {
  const grown = Math.min(9, 2 + Math.sqrt(degree[ordinal]) * 0.7);
  return Math.max(0.7, grown * Math.min(1.35, Math.max(0.16, scale ** 0.55)));
}

function shortened(text) {
  let room = LONGEST;
  let kept = "";
  for (const character of text) {
    room -= character.codePointAt(0) > 0x2e7f ? 2 : 1;
    if (room < 0) return `${kept.trimEnd()}…`;
    kept += character;
  }
  return kept;
}
