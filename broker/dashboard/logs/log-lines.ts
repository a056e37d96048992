import { html } from "hono/html";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import type { Html } from "../page.ts";
import { ansiRuns, type Run } from "./ansi.ts";

export type LinesParts = {
  /** The address of the whole log, which line numbers lead to. */
  readonly path: string;
  /** What was searched for: it is marked. */
  readonly sought?: string | undefined;
};

/** A block is laid out only while it is seen. */
const blockLines = 100;

/** What a page has of colours, marks and rows, and of text as HTML. The record that exceeds it is the last with any. */
const room = { pieces: 20_000, characters: 4 * 2 ** 20 };
type Room = { pieces: number; characters: number };

/** The characters of a record that are shown: while there is room, and after. */
const mostShown = { dressed: 20_000, plain: 200 };

/** Records of a log as lines with their numbers, in blocks. What a record says is text, never markup. */
export function logLines(records: readonly LogRecord[], parts: LinesParts): Html {
  const left = { ...room };
  let isFull = false;
  const lines = records.map((record) => {
    const wasFull = isFull;
    isFull = left.pieces <= 0 || left.characters <= 0;
    const said = isFull ? plainBody(record.body) : dressedBody(record.body, parts.sought, left);
    return html`${isFull && !wasFull ? fullNotice : ""}${line(record, parts.path, said)}`;
  });
  const blocks = Array.from({ length: Math.ceil(lines.length / blockLines) }, (_, at) =>
    lines.slice(at * blockLines, (at + 1) * blockLines),
  );
  return html`${blocks.map((block) => html`<div class="block">${block}</div>`)}`;
}

const fullNotice = html`<p>
  This page has all the colours, marks and text that it has room for. The lines below are plain, and
  cut at ${mostShown.plain} characters. The download has all of them.
</p>`;

function line({ cursor, at, severity, notice }: LogRecord, path: string, said: Html): Html {
  const kind = notice === undefined ? severity : "notice";
  const time = at.slice(11, 23);
  return html`<div class="line s-${kind}" id="L${cursor}">
    <a class="no" href="${path}?at=${cursor}#L${cursor}">${cursor}</a
    ><time datetime="${at}" title="${at} UTC">${time}</time><span class="said">${said}</span>
  </div>`;
}

function dressedBody(body: string, sought: string | undefined, left: Room): Html {
  const rows = rowsOf(body, mostShown.dressed);
  left.pieces -= rows.length;
  return html`${rows.map(
    (row, at) =>
      html`${at === 0 ? "" : "\n"}${ansiRuns(row).map((run) => runOf(run, left, sought))}`,
  )}${cutNote(body, mostShown.dressed)}`;
}

function plainBody(body: string): Html {
  const rows = rowsOf(body, mostShown.plain).map((row) =>
    ansiRuns(row)
      .map(({ text }) => text)
      .join(""),
  );
  return html`${rows.join("\n")}${cutNote(body, mostShown.plain)}`;
}

const rowsOf = (body: string, most: number): string[] =>
  body
    .slice(0, most)
    .replace(/\r?\n$/, "")
    .split("\n");

function cutNote(body: string, most: number): Html | string {
  if (body.length <= most) return "";
  return html`<i> … ${body.length - most} more characters in the download</i>`;
}

function runOf({ text, classes }: Run, left: Room, sought = ""): Html {
  left.pieces -= 1;
  left.characters -= text.length + 5 * (text.match(/[&<>"']/g)?.length ?? 0);
  const shown = sought === "" ? text : marked(text, sought.toLowerCase(), left);
  return classes === "" ? html`${shown}` : html`<span class="${classes}">${shown}</span>`;
}

function marked(text: string, sought: string, left: Room): Html {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return html`${text}`; // its places are not those of the text
  const parts: (Html | string)[] = [];
  let from = 0;
  for (;;) {
    const found = lower.indexOf(sought, from);
    if (found === -1) break;
    parts.push(text.slice(from, found));
    from = found + sought.length;
    parts.push(html`<mark>${text.slice(found, from)}</mark>`);
    left.pieces -= 1;
  }
  return html`${parts}${text.slice(from)}`;
}
