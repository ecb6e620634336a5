/* Gives the palette its name; fetched when search is first asked for. */
import { PaletteElement } from "./palette-element.js";

if (!customElements.get("nb-palette")) customElements.define("nb-palette", PaletteElement);
