import { html, raw } from "hono/html";
import type { Permission } from "../../../shared/permissions.ts";
import type { Html, View } from "../page.ts";
import { mayAll } from "./permissions-of.ts";

/** Something that can be done with what a page shows. */
export type Choice = {
  readonly label: string;
  /** Where it is asked for. */
  readonly to: string;
  readonly permission: Permission | readonly Permission[];
  /** Left out while it makes no sense. */
  readonly isOpen?: boolean;
};

/** What the person may do here; nothing for whoever may do nothing. */
export function choices(view: View, all: readonly Choice[]): Html {
  const open = all.filter(
    ({ permission, isOpen = true }) => isOpen && mayAll(view, [permission].flat()),
  );
  if (open.length === 0) return html``;
  return html`<p class="buttons" role="group" aria-label="Actions">
    ${open.map(({ label, to }) => html`<a class="button" href="${to}">${label}</a> `)}
  </p>`;
}

/** A thing's name above everything that is told of it, its id and how it is. */
export function heading(name: string, id: string, state: Html): Html {
  return html`<div class="heading">
    <h1>${name}</h1>
    ${state} <span class="id dim">${id}</span>
  </div>`;
}

/** The way up, where there is no entry of the navigation. */
export function crumbs(...ways: readonly (readonly [label: string, to: string])[]): Html {
  return html`<nav class="crumbs" aria-label="Where you are">
    ${ways.map(([label, to], at) => html`${at === 0 ? "" : raw("<span>/</span> ")}<a href="${to}">${label}</a> `)}
  </nav>`;
}
