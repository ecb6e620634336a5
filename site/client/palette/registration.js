/* Gives the palette its name; fetched when search is first asked for. All modules that it and the search behind it are
   made of are named here, so that they are fetched at once and not one after another as each is met. */
import "../identity/strip.js";
import "../knowledge/sha256.js";
import "../scrolling.js";
import "../search/code-points.js";
import "../search/combining-marks.js";
import "../search/common-terms.js";
import "../search/delta-index.js";
import "../search/filters.js";
import "../search/hot-terms.js";
import "../search/lexical.js";
import "../search/query-plan.js";
import "../search/ranking.js";
import "../search/search-base.js";
import "../search/search-text.js";
import "../search/search.js";
import "../search/segment.js";
import "../search/spelling.js";
import "../search/titles.js";
import "../search/tokens.js";
import "../search/unicode14.js";
import "../search/unit-terms.js";
import "../search/units.js";
import "../search/white-space.js";
import "./excerpt.js";
import "./highlights.js";
import "./markdown-blocks.js";
import "./preview.js";
import "./recent.js";
import "./result-list.js";
import "./results.js";
import "./sections.js";
import "./typed.js";
import { PaletteElement } from "./palette-element.js";

if (!customElements.get("nb-palette")) customElements.define("nb-palette", PaletteElement);
