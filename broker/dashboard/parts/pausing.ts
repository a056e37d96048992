import { html } from "hono/html";
import type { Permission } from "../../../shared/permissions.ts";
import type { Action, Html, View } from "../page.ts";
import { textField } from "./fields.ts";
import { timeAgo, timeAt } from "./time.ts";

export type Paused = {
  readonly at: string | null;
  readonly until: string | null;
  readonly note: string;
  readonly by_id: string;
};

/** What is paused: its name in a sentence, its page, and its pause. */
type Target = { readonly name: string; readonly to: string; readonly pause: Paused | null };
type PauseBody = { note: string; until?: string };

/** What there is to know of something that can be paused. */
export type Pausing = {
  /** Of its page: `/runners/{runner_id}` */
  readonly path: string;
  readonly permission: Permission;
  readonly find: (view: View) => Promise<Target>;
  /** What a pause means for it. */
  readonly effect: string;
  readonly pause: (view: View, body: PauseBody) => Promise<unknown>;
  readonly resume: (view: View) => Promise<unknown>;
};

/** Pause and resume, each of which undoes the other. */
export function pausingActions(of: Pausing): readonly Action[] {
  const { path, permission, find } = of;
  return [
    {
      path: `${path}/pause`,
      permission,
      async ask(view, entered) {
        const { name, to, pause } = await find(view);
        const text = html`<p>${of.effect}</p>
          ${pause === null ? "" : html`<p>${pauseWords(pause, view.nowMs)}. This replaces its note and its end.</p>`}`;
        const fields = html`${textField({ name: "note", label: "Note", placeholder: "Why, for whoever looks next", value: pause?.note ?? "" }, entered)}
        ${textField({ name: "until", label: "Until", placeholder: "2h", hint: "A duration (15m, 2h, 1d) or an instant (2027-01-31T18:00:00Z). Empty: until it is resumed." }, entered)}`;
        return { title: `Pause ${name}`, text, fields, button: "Pause", back: to };
      },
      async run(view, form) {
        const { name, to } = await find(view);
        const until = form.get("until")?.trim();
        await of.pause(view, { note: form.get("note")?.trim() ?? "", ...(until && { until }) });
        const said = `Paused ${name}${until ? "" : ", until it is resumed"}.`;
        return { said, to, undo: { label: "Resume", action: `${to}/resume` } };
      },
    },
    {
      path: `${path}/resume`,
      permission,
      async ask(view) {
        const { name, to, pause } = await find(view);
        const text = html`<p>
          ${pause === null ? "It is not paused." : html`${pauseWords(pause, view.nowMs)}. What waits goes on at once.`}
        </p>`;
        return { title: `Resume ${name}`, text, button: "Resume", back: to };
      },
      async run(view) {
        const { name, to } = await find(view);
        await of.resume(view);
        return { said: `Resumed ${name}.`, to, undo: { label: "Pause", action: `${to}/pause` } };
      },
    },
  ];
}

/** Since when it is paused, by whom, until when, and why. */
export function pauseWords({ at, until, note, by_id: by }: Paused, nowMs: number): Html {
  return html`Paused ${at === null ? "" : timeAgo(at, nowMs)} by
    <span class="id">${by}</span
    >${until === null ? ", until it is resumed" : html`, until ${timeAt(until)}`}${note === "" ? "" : html`: ${note}`}`;
}
