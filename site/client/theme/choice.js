/* The reader's theme: as the system, light or dark. */

export const STORAGE_KEY = "nb-theme"; // early.js reads it too

/** @returns {"system" | "light" | "dark"} */
export function asChoice(value) {
  return value === "light" || value === "dark" ? value : "system";
}

/** What the next press gives: each press is seen at once, and the third leads back to the system. */
export function nextChoice(choice, systemIsDark) {
  const [unlike, like] = systemIsDark ? ["light", "dark"] : ["dark", "light"];
  return { system: unlike, [unlike]: like, [like]: "system" }[choice];
}
