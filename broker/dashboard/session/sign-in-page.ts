import { html } from "hono/html";
import { assetPath } from "../assets.ts";
import type { Html } from "../page.ts";

export type SignInParts = {
  /** Where to go afterwards. */
  readonly next: string;
  /** Why the person has to sign in, or why it failed. */
  readonly told: string | undefined;
  /** The provider that people can sign in with, if there is one. */
  readonly provider: string | undefined;
};

/** The page for whoever is not signed in. */
export function signInPage({ next, told, provider }: SignInParts): Promise<string> {
  return framed(
    html`${told === undefined ? "" : html`<p class="notice warn" role="alert">${told}</p>`}
      ${
        provider === undefined
          ? ""
          : html`<p class="buttons">
                <a class="button primary" href="/sign-in/provider?next=${encodeURIComponent(next)}"
                  >Sign in with ${provider}</a
                >
              </p>
              <p class="dim">Or with a token:</p>`
      }
      <input type="hidden" name="next" value="${next}" />
      <p>
        <label
          >Token
          <input
            type="password"
            name="token"
            required
            ${provider === undefined ? "autofocus" : ""}
            autocomplete="off"
            spellcheck="false"
            placeholder="svc_…"
        /></label>
      </p>
      <p class="dim">
        Your own token, or one of a service account. Or let <code>svc dashboard</code> print a link
        that signs you in.
      </p>
      <p class="buttons">
        <button class="${provider === undefined ? "primary" : ""}">Sign in</button>
      </p>`,
  );
}

/** The page that a link leads to: it says whom it signs in, so that nobody is somebody else without knowing. */
export function linkPage(link: {
  readonly who: string;
  readonly org: string;
  readonly secret: string;
  readonly next: string;
}): Promise<string> {
  return framed(
    html`<p>
        This link signs this browser in to the org <strong>${link.org}</strong> with the token
        <strong>${link.who}</strong>. It works once.
      </p>
      <input type="hidden" name="next" value="${link.next}" />
      <input type="hidden" name="link" value="${link.secret}" />
      <p class="buttons"><button class="primary" autofocus>Sign in</button></p>
      <p class="dim">If you did not ask for it, close this page.</p>`,
  );
}

async function framed(form: Html | Promise<Html>): Promise<string> {
  const page: Html = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sign in · svc</title>
        <link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetPath("dashboard.css")}" />
      </head>
      <body>
        <main>
          <form class="sign-in" method="post" action="/sign-in">
            <h1>Sign in to svc</h1>
            ${form}
          </form>
        </main>
      </body>
    </html>`;
  return String(await page);
}
