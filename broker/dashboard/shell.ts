import { html, raw } from "hono/html";
import { assetPath } from "./assets.ts";
import type { Flash } from "./cookies.ts";
import type { Html, Page, Shown, View } from "./page.ts";
import { icon } from "./parts/icon.ts";

const styles = ["dashboard.css", "charts.css", "log.css"] as const;

export type ShellParts = {
  readonly view: View;
  readonly shown: Shown;
  readonly flash: Flash | undefined;
  /** Only the part that changes, for a page that is open already. */
  readonly isPart: boolean;
  readonly pages: readonly Page[];
};

/** A whole page around what it shows; or that alone. */
export async function shell(parts: ShellParts): Promise<string> {
  const { view, shown, isPart } = parts;
  const main = mainOf(view, shown);
  const title = html`<title>${shown.title} · svc</title>`;
  return String(await (isPart ? html`${title}${main}` : document(parts, { title, main })));
}

function mainOf({ address }: View, { main, live = [] }: Shown): Html {
  const topics = live.join(" ");
  return html`<main
    id="main"
    tabindex="-1"
    ${live.length === 0 ? "" : raw(`data-live="${topics}" hx-trigger="changed" hx-swap="outerMorph"`)}
    ${live.length === 0 ? "" : html`hx-get="${address}"`}
  >
    ${main}
  </main>`;
}

function document(
  { view, flash, pages, shown }: ShellParts,
  { title, main }: Record<"title" | "main", Html>,
): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="htmx-config"
          content='{"includeIndicatorCSS":false,"history":false,"defaultTimeout":20000}'
        />
        ${title}
        <link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml" />
        ${styles.map((name) => html`<link rel="stylesheet" href="${assetPath(name)}" />`)}
        <script src="${assetPath("htmx.js")}" defer></script>
        <script src="${assetPath("dashboard.js")}" type="module"></script>
      </head>
      <body data-now="${view.nowMs}">
        <a class="skip" href="#main">Skip to the content</a>
        ${header(view, pages)} ${flash === undefined ? "" : said(flash)} ${main}
        <footer>
          <span id="live" role="status" ${(shown.live ?? []).length === 0 ? raw("hidden") : ""}>
            <button type="button" data-pause aria-pressed="false">Live</button>
          </span>
          <a href="/docs">API</a>
        </footer>
      </body>
    </html>`;
}

function header(view: View, pages: readonly Page[]): Html {
  const entries = pages.flatMap(({ nav, path, permission }) =>
    nav === undefined || (permission !== null && !view.can(permission)) ? [] : [{ ...nav, path }],
  );
  return html`<header>
    <a class="brand" href="/">svc</a>
    <nav aria-label="Main">
      <ul>
        ${entries.map(
          ({ path, label, icon: name }) =>
            html`<li>
              <a href="${path}" ${isWithin(view.path, path) ? raw('aria-current="page"') : ""}>
                ${icon(name)}<span>${label}</span>
              </a>
            </li>`,
        )}
      </ul>
    </nav>
    <div class="session">
      ${view.can("tokens.own") ? html`<a href="/account">Your session</a>` : ""}
      <form method="post" action="/sign-out"><button class="plain">Sign out</button></form>
    </div>
  </header>`;
}

const isWithin = (path: string, entry: string): boolean =>
  entry === "/" ? path === "/" : path === entry || path.startsWith(`${entry}/`);

function said({ said: text, undo }: Flash): Html {
  return html`<div class="notice good" role="status">
    <p>${text}</p>
    ${undo === undefined ? "" : html`<a class="button" href="${undo.action}">${undo.label}</a>`}
  </div>`;
}
