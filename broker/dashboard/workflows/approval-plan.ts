import { html } from "hono/html";
import { worstOf } from "../../../shared/plan-view/make-plan-view.ts";
import {
  driftWords,
  leftOutWords,
  sidesInWords,
  summaryWords,
  viewNotes,
  viewSigns,
} from "../../../shared/plan-view/plan-view-words.ts";
import {
  type PlanView,
  readPlanView,
  type ViewAction,
  type ViewChange,
  type ViewField,
  type ViewOutput,
} from "../../../shared/plan-view/plan-view.ts";
import type { Html } from "../page.ts";
import { badge, type Tone } from "../parts/badge.ts";
import { codeBlock, jsonBlock } from "../parts/code-block.ts";
import { table } from "../parts/table.ts";

/** More than this a page does not show: the command line has the rest. */
const most = { changes: 200, fields: 50, letters: 500 } as const;
/** Of so few changes each is open. */
const mostOpen = 10;

const allOfIt = "svc workflow approve shows all of it.";

/** What an approval is asked for: the changes of a plan, or the masked plan of an action's job as it is. */
export function approvalPlan(label: string, contents: Readonly<Record<string, unknown>>): Html {
  const view = readPlanView(contents);
  if (view === undefined) return jsonBlock(label, JSON.stringify(contents), allOfIt);
  return html`<div role="region" aria-label="${label}">
    <p><strong>${summaryWords(view)}</strong> ${driftWords(view)}</p>
    ${view.text === undefined ? "" : codeBlock(`${label}, as it was printed`, view.text, allOfIt)}
    ${changeList(view.changes, view.changes.length <= mostOpen)}
    ${view.outputs.length === 0 ? "" : outputTable(view.outputs)}
    ${
      view.drifted.length === 0
        ? ""
        : html`<h3>Changed by others meanwhile</h3>
            ${changeList(view.drifted, false)}`
    }
    ${restWords(view)}
  </div>`;
}

function restWords(view: PlanView): Html | string {
  const isCut =
    view.is_text_cut === true ||
    [...view.changes, ...view.drifted].some(({ is_cut }) => is_cut === true);
  const words = [leftOutWords(view), isCut ? "Long lists and values are cut." : ""];
  const said = words.filter((one) => one !== "").join(" ");
  return said === "" ? "" : html`<p class="dim">${said}</p>`;
}

function changeList(changes: readonly ViewChange[], isOpen: boolean): Html {
  const left = changes.length - most.changes;
  return html`${worstOf(changes, most.changes).map((change) => changePart(change, isOpen))}
  ${left > 0 ? html`<p class="dim">${most.changes} of ${changes.length}, removals and replacements before others. ${allOfIt}</p>` : ""}`;
}

const tones: Readonly<Record<ViewAction, Tone>> = {
  add: "good",
  change: "wait",
  replace: "warn",
  remove: "bad",
  import: "good",
  forget: "bad",
  read: "off",
  keep: "off",
  conflict: "bad",
};

function changePart({ action, address, reason, fields }: ViewChange, isOpen: boolean): Html {
  const why = [viewNotes[action], reason].filter((one) => one !== undefined).join(": ");
  const head = html`${badge(`${viewSigns[action]} ${action}`, tones[action])}
    <code>${short(address)}</code>
    ${why === "" ? "" : html`<span class="dim">${short(why)}</span>`}`;
  if (fields.length === 0) return html`<p>${head}</p>`;
  return html`<details ${isOpen ? "open" : ""}>
    <summary>${head}</summary>
    ${fieldTable(address, fields)}
  </details>`;
}

function fieldTable(address: string, fields: readonly ViewField[]): Html {
  const left = fields.length - most.fields;
  return html`${table(
    `What changes of ${short(address)}`,
    [
      { head: "Field", cell: nameCell },
      { head: "Before", cell: (field) => sideCell(sidesInWords(field).before) },
      { head: "After", cell: (field) => sideCell(sidesInWords(field).after) },
    ],
    fields.slice(0, most.fields),
  )}
  ${left > 0 ? html`<p class="dim">${left} more fields. ${allOfIt}</p>` : ""}`;
}

const nameCell = ({ path, forces_replacement: forces }: ViewField): Html =>
  html`<code>${short(path) || "all of it"}</code> ${
      forces === true ? html`<span class="warn">forces replacement</span>` : ""
    }`;

const sideCell = (words: string | undefined): Html | string =>
  words === undefined ? "–" : html`<code>${short(words)}</code>`;

const short = (text: string): string =>
  text.length <= most.letters ? text : `${text.slice(0, most.letters).toWellFormed()}…`;

function outputTable(outputs: readonly ViewOutput[]): Html {
  return table(
    "Outputs",
    [
      { head: "Output", cell: ({ name }) => html`<code>${short(name)}</code>` },
      { head: "Change", cell: ({ action }) => badge(action, tones[action]) },
      { head: "Before", cell: (output) => sideCell(sidesInWords(output).before) },
      { head: "After", cell: (output) => sideCell(sidesInWords(output).after) },
    ],
    outputs,
  );
}
