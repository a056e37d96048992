import { html } from "hono/html";
import type { Html } from "../page.ts";
import { badge, type Tone } from "../parts/badge.ts";
import { table } from "../parts/table.ts";

type Change = {
  readonly section: string;
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly members: readonly string[];
};

const tones: Readonly<Record<Change["change"], Tone>> = {
  added: "good",
  changed: "warn",
  removed: "bad",
};

/** What a config has otherwise than another one, one part a row. */
export function changeTable(changes: readonly Change[]): Html {
  if (changes.length === 0) return html`<p class="dim">Nothing.</p>`;
  return table(
    "What changed, by part",
    [
      {
        head: "Part",
        cell: ({ section, name }) => (name === "" ? section : html`${section} <b>${name}</b>`),
      },
      { head: "Change", cell: ({ change }) => badge(change, tones[change]) },
      { head: "Members", cell: ({ members }) => members.join(", ") || "–" },
    ],
    changes,
  );
}
