/* Which part of the picture the stage shows. Plain numbers: a point of the picture in the middle, and a scale. */

export const SMALLEST = 0.02;
export const LARGEST = 4;

/** @typedef {{x: number, y: number, scale: number}} Camera */

/** The camera that shows a box whole. padding: pixels free on each side; largest: no closer than this scale. */
export function fitting({ left, top, right, bottom }, { width, height, padding, largest = 1.4 }) {
  const across = Math.max(1, width - padding.left - padding.right) / Math.max(1, right - left);
  const down = Math.max(1, height - padding.top - padding.bottom) / Math.max(1, bottom - top);
  const scale = bounded(Math.min(across, down, largest));
  return {
    x: (left + right) / 2 + (padding.right - padding.left) / 2 / scale,
    y: (top + bottom) / 2 + (padding.bottom - padding.top) / 2 / scale,
    scale,
  };
}

/** The same with the scale times `factor`, the point below (x, y) of the stage staying where it is. */
export function zoomed(camera, factor, { x, y, width, height }) {
  const scale = bounded(camera.scale * factor);
  const dx = x - width / 2;
  const dy = y - height / 2;
  return {
    x: camera.x + dx / camera.scale - dx / scale,
    y: camera.y + dy / camera.scale - dy / scale,
    scale,
  };
}

/** The same moved by pixels of the stage. */
export function moved(camera, dx, dy) {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** On the way from one camera to another; `part` from 0 to 1. The scale changes evenly to the eye. */
export function between(from, to, part) {
  const eased = 1 - (1 - part) ** 3;
  return {
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
    scale: from.scale * (to.scale / from.scale) ** eased,
  };
}

function bounded(scale) {
  return Math.min(LARGEST, Math.max(SMALLEST, scale));
}
