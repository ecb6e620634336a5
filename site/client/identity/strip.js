/* The hash strip: eight bars, 2 px wide and 1 px apart, 1 + 9 x digit / 15 high. Same bytes, same picture. */

export const STRIP_WIDTH = 23;
export const STRIP_HEIGHT = 10;

/** @param {string} sha256  @returns {string} path data of the bars for its first eight digits */
export function stripPath(sha256) {
  return [...sha256.slice(0, 8)]
    .map((digit, place) => {
      const height = 1 + (9 * Number.parseInt(digit, 16)) / 15;
      return `M${3 * place} ${tenths(STRIP_HEIGHT - height)}h2V${STRIP_HEIGHT}h-2z`;
    })
    .join("");
}

function tenths(number) {
  return Number(number.toFixed(1));
}
