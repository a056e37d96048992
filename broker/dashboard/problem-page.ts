import { STATUS_CODES } from "node:http";
import { html } from "hono/html";
import { SvcError } from "../../client/svc-error.ts";
import { Problem } from "../../shared/problem.ts";
import { isDatabaseAway } from "../database/database-errors.ts";
import type { Html, Shown } from "./page.ts";

/** Why there is no page, in words. */
export type Fault = {
  readonly status: number;
  readonly detail: string;
  readonly faults: readonly string[];
};

/** What a person is told of anything thrown; undefined for a bug, of which only the request's id is told. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof Problem || isRefusal(error)) {
    const { status, message, errors } = error;
    const faults = errors.map(({ pointer, detail }) => `${fieldOf(pointer)}: ${detail}`);
    return { status, detail: message, faults };
  }
  if (!isDatabaseAway(error)) return undefined;
  const detail = "The database is unavailable. This page tries again by itself.";
  return { status: 503, detail, faults: [] };
}

/** An answer that was broken off, or none, is a bug here: it has no status. */
const isRefusal = (error: unknown): error is SvcError =>
  error instanceof SvcError && error.status >= 400;

/** The page for a fault. */
export function problemShown(fault: Fault, back: string): Shown {
  const main: Html = html`${faultNotice(fault, "h1")}
    <p><a class="button" href="${back}">Back</a></p>`;
  return { title: titleOf(fault), main };
}

/** What is wrong, above what it is about. */
export function faultNotice(fault: Fault, heading: "h1" | "p" = "p"): Html {
  const { detail, faults } = fault;
  const title = titleOf(fault);
  return html`<div class="notice bad" role="alert">
    ${heading === "h1" ? html`<h1>${title}</h1>` : html`<p><strong>${title}</strong></p>`}
    ${
      faults.length === 0
        ? html`<p>${detail}</p>`
        : html`<ul>
            ${faults.map((one) => html`<li>${one}</li>`)}
          </ul>`
    }
  </div>`;
}

const titleOf = ({ status }: Fault): string => titles[status] ?? STATUS_CODES[status] ?? "Error";

const titles: Readonly<Record<number, string>> = {
  403: "Not allowed",
  404: "Not found",
  409: "Not possible now",
  412: "Changed by somebody else",
  422: "Check what you entered",
  429: "Too many requests",
  500: "Something went wrong",
  503: "Not available",
};

/** `#/settings/x` and `?limit` are the API's; a person reads the field's name. */
function fieldOf(pointer: string): string {
  return pointer.replace(/^(?:#\/|[?]|header:)/, "").replaceAll("/", " ");
}
