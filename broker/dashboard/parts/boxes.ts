import { html, raw } from "hono/html";
import type { Html } from "../page.ts";

/** Values of which any may be chosen, under one name. */
export type Boxes = {
  readonly name: string;
  readonly legend: string;
  readonly values: readonly (readonly [value: string, label: Html | string])[];
  /** What is chosen until something was entered. */
  readonly chosen?: readonly string[];
};

/** Boxes to tick, with what was ticked before. */
export function boxesField({ name, legend, values, chosen = [] }: Boxes, entered: URLSearchParams) {
  const ticked = new Set(entered.size === 0 ? chosen : entered.getAll(name));
  return html`<fieldset class="boxes">
    <legend>${legend}</legend>
    ${values.map(
      ([value, label]) =>
        html`<label class="box"
          ><input
            type="checkbox"
            name="${name}"
            value="${value}"
            ${ticked.has(value) ? raw("checked") : ""}
          />
          <span>${label}</span></label
        >`,
    )}
  </fieldset>`;
}
