/* A canvas that a scene is looked at on: panned, zoomed and chosen from with pointer, fingers, wheel and keys.
   It draws only when something changed. */
import { between, fitting, moved, zoomed } from "./camera.js";
import { inksOf, onInksChanged } from "./inks.js";
import { dotRadius, Painter } from "./painter.js";

const GLIDE_MS = 320;
const STEP = 1.35;
const FAR = 5; // pixels after which a press is no click
const REACH = { mouse: 12, pen: 16, touch: 24 };
const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/**
 * @typedef {object} Heard what the stage tells of
 * @property {(ordinal: number) => void} chosen  @property {(ordinal: number) => void} opened
 * @property {(group: number) => void} [grouped]  @property {() => void} [drawn] the first picture stands
 */

export class Stage {
  #canvas;
  #heard;
  #painter;
  #inks;
  #scene;
  #camera = { x: 0, y: 0, scale: 1 };
  #size = { width: 0, height: 0, ratio: 1, covered: [] };
  #padding;
  #modest;
  #pointers = new Map();
  #pressed;
  #glide;
  #frame = 0;
  #fitted = true;
  #still = matchMedia("(prefers-reduced-motion: reduce)");

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Heard} heard
   * @param {{padding: {top: number, right: number, bottom: number, left: number}, modest?: boolean}} options
   *   modest: the page keeps the wheel and one finger, as it scrolls
   * @returns {Stage | null} null where the browser has no canvas
   */
  static on(canvas, heard, options, signal) {
    const context = canvas.getContext("2d");
    return context ? new Stage(canvas, context, heard, options, signal) : null;
  }

  constructor(canvas, context, heard, { padding, modest = false }, signal) {
    this.#canvas = canvas;
    this.#heard = heard;
    this.#painter = new Painter(context);
    this.#padding = padding;
    this.#modest = modest;
    this.#inks = inksOf(canvas.parentElement);
    const sizes = new ResizeObserver(() => this.#resized());
    sizes.observe(canvas);
    signal.addEventListener("abort", () => {
      sizes.disconnect();
      cancelAnimationFrame(this.#frame);
    });
    onInksChanged(() => {
      this.#inks = inksOf(canvas.parentElement);
      this.#painter.forget();
      this.draw();
    }, signal);
    this.#listen(signal);
  }

  /** Width by height of the stage. */
  get aspect() {
    const { clientWidth, clientHeight } = this.#canvas;
    return clientHeight > 0 ? clientWidth / clientHeight : 1;
  }

  set scene(scene) {
    this.#scene = scene;
    this.#resized();
    this.#jump(this.#whole());
  }

  /** Draws at the next frame. */
  draw() {
    if (!this.#frame) this.#frame = requestAnimationFrame(this.#paint);
  }

  /** Shows everything. */
  fit() {
    this.#go(this.#whole());
    this.#fitted = true;
  }

  zoom(steps) {
    this.#zoomAt(STEP ** steps, this.#size.width / 2, this.#size.height / 2, true);
  }

  /** Shows some documents, no closer than a title needs. */
  show(ordinals, largest = 1.15) {
    this.#go(fitting(this.#scene.box(ordinals), { ...this.#size, padding: this.#padding, largest }));
  }

  /** Brings a document into sight, the scale staying as it is or growing until titles can be read. */
  reveal(ordinal) {
    const { x, y } = this.#scene.arrangement;
    const scale = Math.max(this.#camera.scale, 0.6);
    const left = Math.abs(x[ordinal] - this.#camera.x) * scale;
    const top = Math.abs(y[ordinal] - this.#camera.y) * scale;
    const inSight = left < this.#size.width * 0.35 && top < this.#size.height * 0.35;
    if (!inSight || scale > this.#camera.scale) this.#go({ x: x[ordinal], y: y[ordinal], scale });
    else this.draw();
  }

  #whole() {
    const { arrangement, labels } = this.#scene;
    const box = this.#scene.box();
    const discs = arrangement.discs.filter((disc, number) => number < labels.length && disc.radius > 0);
    // The label of the topmost group stands above its disc.
    const top = Math.min(box.top, ...discs.map(({ y, radius }) => y - radius));
    return fitting({ ...box, top }, { ...this.#size, padding: this.#padding });
  }

  #paint = (now) => {
    this.#frame = 0;
    if (!this.#scene || this.#size.width === 0) return;
    if (this.#glide) {
      const part = Math.min(1, (now - this.#glide.begun) / GLIDE_MS);
      this.#camera = between(this.#glide.from, this.#glide.to, part);
      if (part === 1) this.#glide = undefined;
      else this.draw();
    }
    this.#painter.paint(this.#scene, this.#camera, this.#size, this.#inks);
    this.#heard.drawn?.();
  };

  #jump(camera) {
    this.#glide = undefined;
    this.#camera = camera;
    this.draw();
  }

  #go(camera) {
    this.#fitted = false;
    if (this.#still.matches) return this.#jump(camera);
    this.#glide = { from: this.#camera, to: camera, begun: performance.now() };
    this.draw();
  }

  #resized() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.#size = { width, height, ratio, covered: this.#covered() };
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    if (this.#scene && this.#fitted) this.#camera = this.#whole();
    // At once: a canvas that was given a size is blank.
    if (this.#scene) this.#paint(performance.now());
  }

  /* What lies upon the canvas: a title below it could not be read. */
  #covered() {
    const corner = this.#canvas.getBoundingClientRect();
    return [...this.#canvas.parentElement.querySelectorAll("[data-covers]")].map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { left: left - corner.left, top: top - corner.top, width, height };
    });
  }

  #listen(signal) {
    const canvas = this.#canvas;
    const on = (type, heard, options = {}) => canvas.addEventListener(type, heard, { signal, ...options });
    on("pointerdown", this.#down);
    on("pointermove", this.#move);
    on("pointerup", this.#up);
    on("pointercancel", this.#cancel);
    on("pointerleave", () => this.#hover(-1));
    on("dblclick", ({ offsetX, offsetY }) => this.#opens(this.#at(offsetX, offsetY, REACH.mouse)));
    on("wheel", this.#wheel, { passive: false });
    on("keydown", this.#key);
  }

  #down = (event) => {
    if (event.button !== 0) return;
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.#pressed = this.#pointers.size === 1 ? { x: event.offsetX, y: event.offsetY } : undefined;
    if (!this.#modest || event.pointerType !== "touch") this.#canvas.setPointerCapture(event.pointerId);
  };

  #move = (event) => {
    const before = this.#pointers.get(event.pointerId);
    const here = { x: event.offsetX, y: event.offsetY };
    if (!before) {
      if (event.pointerType !== "touch") this.#hover(this.#at(here.x, here.y, 8));
      return;
    }
    const pressed = this.#pressed;
    if (pressed && Math.hypot(here.x - pressed.x, here.y - pressed.y) > FAR) this.#pressed = undefined;
    if (this.#pointers.size === 2) this.#pinch(event.pointerId, before, here);
    else if (!this.#pressed) this.#pan(here.x - before.x, here.y - before.y);
    if (!this.#pressed) this.#pointers.set(event.pointerId, here);
  };

  #up = (event) => {
    this.#pointers.delete(event.pointerId);
    if (!this.#pressed) return;
    this.#pressed = undefined;
    const ordinal = this.#at(event.offsetX, event.offsetY, REACH[event.pointerType] ?? REACH.mouse);
    if (ordinal >= 0) this.#heard.chosen(ordinal);
    else this.#heard.grouped?.(this.#scene.groupAt(...this.#inPicture(event.offsetX, event.offsetY)));
  };

  #cancel = ({ pointerId }) => {
    this.#pointers.delete(pointerId);
    this.#pressed = undefined;
  };

  #wheel = (event) => {
    if (this.#modest && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    const factor = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.008 : 0.0016));
    this.#zoomAt(factor, event.offsetX, event.offsetY, false);
  };

  #key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#scene) return;
    if (ARROWS.includes(event.key)) this.#chooses(this.#scene.towards(event.key));
    else if (event.key === "Enter") this.#opens(this.#scene.selected);
    else if (event.key === "+" || event.key === "=") this.zoom(1);
    else if (event.key === "-" || event.key === "−") this.zoom(-1);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  };

  #chooses(ordinal) {
    if (ordinal >= 0) this.#heard.chosen(ordinal);
  }

  #opens(ordinal) {
    if (ordinal >= 0) this.#heard.opened(ordinal);
  }

  #hover(ordinal) {
    if (!this.#scene || ordinal === this.#scene.hovered) return;
    this.#scene.hovered = ordinal;
    this.#canvas.classList.toggle("on", ordinal >= 0);
    this.draw();
  }

  #pan(dx, dy) {
    this.#fitted = false;
    this.#jump(moved(this.#camera, dx, dy));
  }

  #pinch(id, before, here) {
    const [other] = [...this.#pointers].filter(([each]) => each !== id).map(([, point]) => point);
    const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
    this.#pan((here.x - before.x) / 2, (here.y - before.y) / 2);
    this.#zoomAt(apart(here) / apart(before), (here.x + other.x) / 2, (here.y + other.y) / 2, false);
  }

  #zoomAt(factor, x, y, glides) {
    const target = zoomed(this.#glide?.to ?? this.#camera, factor, { x, y, ...this.#size });
    if (glides) this.#go(target);
    else this.#jump(target);
    this.#fitted = false;
  }

  #inPicture(x, y) {
    const { width, height } = this.#size;
    const { x: left, y: top, scale } = this.#camera;
    return [(x - width / 2) / scale + left, (y - height / 2) / scale + top];
  }

  #at(x, y, reach) {
    if (!this.#scene) return -1;
    const { scale } = this.#camera;
    const radiusOf = (ordinal) => dotRadius(this.#scene, ordinal, scale) / scale;
    return this.#scene.at(...this.#inPicture(x, y), reach / scale, radiusOf);
  }
}
