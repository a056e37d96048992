import { html } from "hono/html";
import type { Html, Question } from "./page.ts";

/** The form that asks before something is done. It works without scripts: its answer is a plain POST to the same address. */
export function questionMain(address: string, question: Question): Html {
  const { title, text, fields = "", button, isDangerous = false, back } = question;
  return html`<form class="question" method="post" action="${address}">
    <h1>${title}</h1>
    <div>${text}</div>
    ${fields}
    <p class="buttons">
      <button class="${isDangerous ? "danger" : "primary"}">${button}</button>
      <a class="button" href="${back}">Back</a>
    </p>
  </form>`;
}
