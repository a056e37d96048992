import { html } from "hono/html";
import { assetPath } from "./assets.ts";

/** The page for an address that is none, for whoever is not signed in: it tells nothing. */
export async function barePage(): Promise<string> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Not found · svc</title>
        <link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetPath("dashboard.css")}" />
      </head>
      <body>
        <main>
          <div class="empty">
            <h1>Not found</h1>
            <p>This page does not exist. <a href="/">To the overview</a></p>
          </div>
        </main>
      </body>
    </html>`;
  return String(await page);
}
