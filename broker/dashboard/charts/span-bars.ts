import { html } from "hono/html";
import type { Html } from "../page.ts";
import { durationText } from "../parts/time.ts";

type Span = {
  readonly status: string;
  /** The status of a job whose color it has, if it is none itself. */
  readonly tone?: string;
  readonly fromMs: number;
  readonly toMs: number;
};
export type SpanChart = {
  readonly label: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly rows: readonly { readonly name: string; readonly spans: readonly Span[] }[];
};

const width = 1000;
const rowHeight = 22;
/** So that a moment is seen, too. */
const leastWidth = 2;

/** Rows of stretches of time, each in the color of its status; the same in a table for who does not see it. */
export function spanBars({ label, fromMs, toMs, rows }: SpanChart): Html {
  const height = rows.length * rowHeight;
  const tones = new Map(
    rows.flatMap(({ spans }) => spans.map((span) => [span.status, toneOf(span)] as const)),
  );
  const x = (ms: number): number => ((ms - fromMs) / (toMs - fromMs)) * width;
  const bar = (span: Span, at: number): Html => {
    const { status, fromMs: from, toMs: to } = span;
    const left = Math.min(x(from), width - leastWidth);
    const length = Math.max(leastWidth, x(to) - x(from));
    return html`<rect
      class="span ${toneOf(span)}"
      x="${left.toFixed(1)}"
      y="${at * rowHeight + 4}"
      width="${length.toFixed(1)}"
      height="14"
      ><title>${status}, ${took(from, to)}</title></rect
    >`;
  };
  return html`<figure class="spans">
      <div class="names" aria-hidden="true">
        ${rows.map(({ name }) => html`<span>${name}</span>`)}
      </div>
      <svg
        role="img"
        aria-label="${label}"
        viewBox="0 0 ${width} ${height}"
        height="${height}"
        preserveAspectRatio="none"
      >
        <title>${label}</title>
        ${rows.map(({ spans }, at) => spans.map((span) => bar(span, at)))}
      </svg>
      <div class="keys" aria-hidden="true">
        ${[...tones].map(([status, tone]) => html`<span class="key ${tone}">${status}</span>`)}
      </div>
      <div class="ends" aria-hidden="true">
        <span>${clock(fromMs)}</span><span>${took(fromMs, toMs)}</span><span>${clock(toMs)}</span>
      </div>
    </figure>
    ${figures(label, rows)}`;
}

const toneOf = ({ status, tone = status }: Span): string => tone;

function figures(label: string, rows: SpanChart["rows"]): Html {
  return html`<div class="hidden">
    <table>
      <caption>
        ${label}
      </caption>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Status</th>
          <th scope="col">From</th>
          <th scope="col">For</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(({ name, spans }) =>
          spans.map(
            (span) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${span.status}</td>
                <td>${new Date(span.fromMs).toISOString()}</td>
                <td>${took(span.fromMs, span.toMs)}</td>
              </tr>`,
          ),
        )}
      </tbody>
    </table>
  </div>`;
}

const clock = (ms: number): string => `${new Date(ms).toISOString().slice(11, 19)} UTC`;

function took(fromMs: number, toMs: number): string {
  const ms = toMs - fromMs;
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : durationText(ms / 1000);
}
