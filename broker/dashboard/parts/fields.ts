import { html, raw } from "hono/html";
import { problem } from "../../../shared/problem.ts";
import type { Html } from "../page.ts";

type Field = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  /** What stands there until something was entered. */
  readonly value?: string;
};

/** A line of text, with what was entered before. */
export function textField(field: Field, entered: URLSearchParams): Html {
  const { name, value = "", placeholder = "", isRequired = false } = field;
  return html`<label
    >${field.label}
    <input
      name="${name}"
      value="${entered.get(name) ?? value}"
      placeholder="${placeholder}"
      autocomplete="off"
      ${isRequired ? raw("required") : ""}
      ${described(field)}
    />
    ${hintOf(field)}</label
  >`;
}

/** One of several values. */
export function choiceField(
  field: Field & { readonly values: readonly (readonly [value: string, label: string])[] },
  entered: URLSearchParams,
): Html {
  const { name, value = "", values, isRequired = false } = field;
  const chosen = entered.get(name) ?? value;
  return html`<label
    >${field.label}
    <select name="${name}" ${isRequired ? raw("required") : ""} ${described(field)}>
      ${values.map(
        ([one, label]) =>
          html`<option value="${one}" ${one === chosen ? raw("selected") : ""}>${label}</option>`,
      )}
    </select>
    ${hintOf(field)}</label
  >`;
}

const described = ({ name, hint }: Field): Html | string =>
  hint === undefined ? "" : html`aria-describedby="hint-${name}"`;

const hintOf = ({ name, hint }: Field): Html | string =>
  hint === undefined ? "" : html`<small id="hint-${name}">${hint}</small>`;

/** What has to be typed before something that cannot be undone. */
export function typedField(word: string): Html {
  return html`<label
    ><span>Type <b>${word}</b> to confirm</span> <input name="typed" autocomplete="off" required
  /></label>`;
}

/** Refuses a form in which it was not typed. */
export function requireTyped(form: URLSearchParams, word: string): void {
  if (form.get("typed")?.trim() === word.trim()) return;
  throw wrongField("typed", `Type ${word} to confirm. Nothing was done.`);
}

/** Says what is wrong with one field of a form. */
export function wrongField(name: string, detail: string): Error {
  return problem.invalid([{ pointer: `#/${name}`, code: "invalid", detail }]);
}
