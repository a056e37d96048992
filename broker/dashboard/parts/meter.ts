import { html, raw } from "hono/html";
import type { Html } from "../page.ts";

const width = 40;

/** "3/8" with a small bar: how much of a capacity is used. */
export function meter(used: number, most: number): Html {
  const share = most <= 0 ? Math.min(1, used) : Math.min(1, used / most);
  return html`<span class="meter"
    >${used}/${most}<svg viewBox="0 0 ${width} 6" aria-hidden="true">
      ${raw(
        `<rect class="room" width="${width}" height="6"/>` +
          `<rect class="${share >= 1 ? "full" : "used"}" width="${Math.round(share * width)}" height="6"/>`,
      )}
    </svg></span
  >`;
}
