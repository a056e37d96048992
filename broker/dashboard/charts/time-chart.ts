import { html, raw } from "hono/html";
import type { Html } from "../page.ts";

export type Series = {
  readonly name: string;
  /** Its color: a class of assets/charts.css. */
  readonly tone: string;
  /** null: nothing is known of that time. */
  readonly values: readonly (number | null)[];
};
export type TimeChart = {
  readonly title: string;
  /** Where each point begins. */
  readonly at: readonly string[];
  readonly stepMs: number;
  readonly series: readonly Series[];
  readonly kind: "bars" | "lines";
  /** A value as people read it. */
  readonly words: (value: number) => string;
};

const height = 100;
const pointWidth = 10;

/** Figures over time: stacked bars or lines, with axes in words, each point's figures on it, and all of them in a table. */
export function timeChart(chart: TimeChart): Html {
  const { title, at, series, kind, words } = chart;
  const top = roof(topOf(chart));
  const width = at.length * pointWidth;
  const y = (value: number): number => height - (value / top) * height;
  const paths = kind === "bars" ? barPaths(chart, y) : series.map((one) => linePath(one, y));
  const isKnown = series.some(({ values }) => values.some((value) => value !== null));
  return html`<figure class="chart">
      <figcaption>
        <strong>${title}</strong>
        ${series.map(({ name, tone }) => html`<span class="key ${tone}">${name}</span>`)}
      </figcaption>
      <div class="rise" aria-hidden="true"><span>${words(top)}</span><span>${words(0)}</span></div>
      ${
        isKnown
          ? html`<svg
              role="img"
              aria-label="${title}"
              viewBox="0 0 ${width} ${height}"
              height="${height}"
              preserveAspectRatio="none"
            >
              ${series.map(({ tone }, n) => html`<path class="${kind} ${tone}" d="${raw(paths[n] ?? "")}" />`)}
              ${at.map((instant, n) => html`<rect class="hit" x="${n * pointWidth}" y="0" width="${pointWidth}" height="${height}"><title>${pointWords(chart, instant, n)}</title></rect>`)}
            </svg>`
          : html`<p class="nothing">No figures for this time.</p>`
      }
      <div class="ends" aria-hidden="true">
        <span>${label(chart, 0)}</span><span>${label(chart, Math.floor(at.length / 2))}</span
        ><span>now</span>
      </div>
    </figure>
    ${isKnown ? figures(chart) : ""}`;
}

function topOf({ kind, at, series }: TimeChart): number {
  const all = series.map(({ values }) => values);
  if (kind === "lines") return Math.max(0, ...all.flat().map((value) => value ?? 0));
  return Math.max(0, ...at.map((_, n) => all.reduce((sum, values) => sum + (values[n] ?? 0), 0)));
}

/** The next round number: 1, 2 or 5 and zeros. */
function roof(value: number): number {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * size).find((one) => one >= value) ?? value;
}

const short = (value: number): string => String(Math.round(value * 10) / 10);

/** One path for each series, so that a page of charts stays small. */
function barPaths({ at, series }: TimeChart, y: (value: number) => number): string[] {
  const below = at.map(() => 0);
  return series.map(({ values }) =>
    values
      .map((value, n) => {
        if (value === null || value === 0) return "";
        const from = below[n] ?? 0;
        below[n] = from + value;
        const [bottom, top] = [y(from), y(from + value)];
        return `M${n * pointWidth + 1} ${short(bottom)}V${short(top)}h${pointWidth - 2}V${short(bottom)}z`;
      })
      .join(""),
  );
}

function linePath({ values }: Series, y: (value: number) => number): string {
  return values
    .map((value, n) => {
      if (value === null) return "";
      const place = `${n * pointWidth + pointWidth / 2} ${short(y(value))}`;
      return values[n - 1] == null ? `M${place}h0` : `L${place}`; // a lone point is a dot
    })
    .join("");
}

function pointWords({ series, words }: TimeChart, instant: string, n: number): string {
  const told = series.map(({ name, values }) => {
    const value = values[n];
    return `${name} ${value == null ? "unknown" : words(value)}`;
  });
  return `${instant.slice(0, 16).replace("T", " ")} UTC: ${told.join(", ")}`;
}

function label({ at, stepMs }: TimeChart, n: number): string {
  const instant = at[n] ?? "";
  const isLong = at.length * stepMs > 36 * 3600 * 1000;
  return isLong ? instant.slice(5, 10) : `${instant.slice(11, 16)} UTC`;
}

function figures({ title, at, series, words }: TimeChart): Html {
  return html`<div class="hidden">
    <table>
      <caption>
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          ${series.map(({ name }) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${at.map(
          (instant, n) =>
            html`<tr>
              <th scope="row">${instant}</th>
              ${series.map(({ values }) => {
                const value = values[n];
                return html`<td>${value == null ? "unknown" : words(value)}</td>`;
              })}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
