import { html, raw } from "hono/html";
import type {
  AvailabilityPeriod,
  AvailabilityState,
} from "../../../shared/api/runner-availability.ts";
import type { Html } from "../page.ts";

const size = { width: 288, height: 14 };

/** The worse, the higher: nothing is told by color alone. */
const looks: Readonly<
  Record<AvailabilityState, { readonly tone: string; readonly height: number }>
> = {
  active: { tone: "good", height: 5 },
  degraded: { tone: "warn", height: 9 },
  offline: { tone: "bad", height: 14 },
  "shut-down": { tone: "off", height: 2 },
  "no-data": { tone: "off", height: 0 },
};

type Strip = {
  readonly from: string;
  readonly to: string;
  readonly periods: readonly AvailabilityPeriod[];
};

/** How a runner was over some time, from left to right; each period says its state and time when it is pointed at. */
export function stateStrip({ from, to, periods }: Strip, label: string): Html {
  const beganMs = Date.parse(from);
  const lastedMs = Math.max(1, Date.parse(to) - beganMs);
  const at = (instant: string): number =>
    Math.min(1, Math.max(0, (Date.parse(instant) - beganMs) / lastedMs)) * size.width;
  const bars = periods.map((period) => bar(period, at(period.from), at(period.to)));
  const { width, height } = size;
  return html`<svg
    class="strip"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${raw(`<rect class="room" width="${width}" height="${height}"/>${bars.join("")}`)}
  </svg>`;
}

/** Its words are the API's own and instants: nothing of a customer's. */
function bar({ state, paused, from, to }: AvailabilityPeriod, x: number, end: number): string {
  const { tone, height } = looks[state];
  const place = (y: number, tall: number): string =>
    `x="${x.toFixed(1)}" y="${y}" width="${Math.max(1, end - x).toFixed(1)}" height="${tall}"`;
  const words = `${state}${paused ? ", paused" : ""} ${clock(from)}–${clock(to)} UTC`;
  const pause = paused ? `<rect class="paused" ${place(0, 3)}/>` : "";
  const title = `<title>${words}</title>`;
  return `<g>${title}<rect class="clear" ${place(0, size.height)}/><rect class="${tone}" ${place(size.height - height, height)}/>${pause}</g>`;
}

const clock = (instant: string): string => instant.slice(11, 16);

const hourMs = 3_600_000;
const counted: ReadonlySet<AvailabilityState> = new Set(["active", "degraded", "offline"]);

/** How long a runner was to serve and it is known whether it did. */
export function knownMsOf(periods: readonly AvailabilityPeriod[]): number {
  const spans = periods
    .filter(({ state }) => counted.has(state))
    .map(({ from, to }) => Date.parse(to) - Date.parse(from));
  return spans.reduce((all, span) => all + span, 0);
}

/** "99.8 %"; a dash where less than an hour is known, of which a share says nothing. */
export function availabilityText(share: number | null, knownMs: number): string {
  if (share === null || knownMs < hourMs) return "–";
  const percent = Math.floor(share * 1000) / 10; // 99.96 % is not 100 %
  return `${percent.toFixed(share === 1 ? 0 : 1)} %`;
}
