/* Lays pictures out beside the page, which stays ready for its reader meanwhile. */
import { arrange } from "./layout.js";

addEventListener("message", ({ data }) => {
  const arrangement = arrange(data);
  postMessage(arrangement, { transfer: [arrangement.x.buffer, arrangement.y.buffer] });
});
