import { html, raw } from "hono/html";
import {
  getLogStreamRoute,
  listLogsRoute,
  type LogStream,
} from "../../../shared/api/log-streams.ts";
import { getJobRoute } from "../../../shared/api/read-runner-jobs.ts";
import { assetPath } from "../assets.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { filterForm, readFilters } from "../parts/filters.ts";
import { empty } from "../parts/table.ts";
import { logFilters } from "./log-filters.ts";
import { logLines } from "./log-lines.ts";

/** What one answer of the API has at most. */
const pageLines = 1000;

/** GET /jobs/{job_id}/log: a page of the job's log, and what follows. */
export const showLog: Page = {
  path: "/jobs/{job_id}/log",
  permission: "logs.read",
  async render(view) {
    const jobId = view.param("job_id");
    const job = await view.ask(getJobRoute, { params: { job_id: jobId } });
    const title = `Log of ${jobId}`;
    if (job.log_stream_id === null)
      return {
        title,
        main: html`<h1>${title}</h1>
          ${none}`,
      };
    const params = { log_stream_id: job.log_stream_id };
    const [stream, page] = await Promise.all([
      view.ask(getLogStreamRoute, { params }),
      readPage(view, params),
    ]);
    return {
      title,
      main: html`<nav class="crumbs" aria-label="Place">
          <a href="/jobs">Jobs</a> <a class="id" href="/jobs/${jobId}">${jobId}</a>
        </nav>
        <h1>Log of ${job.type} ${badge(job.status)}</h1>
        ${filterForm(view.path, view.query, logFilters)} ${facts(stream, view)}
        ${viewer(view, stream, page)}
        <script src="${assetPath("log.js")}" type="module"></script>`,
    };
  },
};

const none = empty("No log", "Nothing was written, or it is kept no longer.");

type LogPage = Awaited<ReturnType<typeof readPage>>;

/** From `from` on, around `at`, before `before`, or else the last lines. */
async function readPage(view: View, params: { log_stream_id: string }) {
  const { cursor: _, ...asked } = readFilters(view.query, logFilters);
  const place = (name: string): number | undefined => {
    const value = view.query.get(name) ?? "";
    return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  };
  const at = place("at");
  const from = place("from") ?? (at === undefined ? undefined : Math.max(1, at - 100));
  const before = place("before");
  const read = async (query: object) =>
    await view.ask(listLogsRoute, { params, query: { ...asked, limit: pageLines, ...query } });
  if (from !== undefined) {
    const page = await read({ cursor: String(from) });
    return { ...page, previous_cursor: from <= 1 ? null : String(from), isLast: false };
  }
  const page = await read({
    direction: "backward",
    ...(before !== undefined && { cursor: String(before) }),
  });
  return { ...page, isLast: before === undefined };
}

function facts({ records, bytes, open, dropped_records: dropped }: LogStream, view: View): Html {
  const asked = new URLSearchParams(readFilters(view.query, logFilters)).toString();
  const kept = asked === "" ? "" : `?${asked}`;
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return html`<p class="buttons">
    <span
      >${records.toLocaleString("en")} lines, ${size}${dropped > 0 ? `, ${dropped} dropped` : ""},
      ${open ? "open" : "closed"}</span
    >
    <a class="button" href="${placed(view, "from", "1")}">First lines</a>
    <a class="button" href="${view.path}${kept}">Last lines</a>
    <a class="button" href="${view.path}/download${kept}" download
      >${asked === "" ? "Download" : "Download what matches"}</a
    >
    <button type="button" class="button" data-follow aria-pressed="false" hidden>Follow</button>
  </p>`;
}

function viewer(view: View, stream: LogStream, page: LogPage): Html {
  const { items, next_cursor: next, previous_cursor: previous } = page;
  const sought = view.query.get("q")?.trim() || undefined;
  const hasMore = next !== null && Number(next) < Number(stream.end_cursor);
  const following = next === null ? "" : raw(`data-next="${Number(next)}"`);
  return html`<p id="older">
      ${previous === null ? html`<span class="dim">The beginning</span>` : html`<a class="button" href="${placed(view, "before", previous)}">Older lines</a>`}
    </p>
    <div
      id="log"
      class="log"
      tabindex="0"
      role="log"
      aria-live="off"
      aria-label="Log"
      data-stream="${stream.id}"
      ${following}
      ${page.isLast ? raw("data-tail") : ""}
      ${stream.open ? raw("data-open") : ""}
    >
      ${logLines(items, { path: view.path, sought })}${items.length > 0 ? "" : html`<p>${sought === undefined ? (stream.open ? "Nothing here yet." : "Nothing was written here.") : "No line has this text here."}</p>`}
    </div>
    <p id="newer">
      ${hasMore ? html`<a class="button" href="${placed(view, "from", next)}">Newer lines</a>` : html`<span class="dim">${stream.open ? "The end, so far" : "The end"}</span>`}
      <button type="button" data-latest hidden>Jump to the latest</button>
    </p>`;
}

/** The same log and filters at another place. */
function placed({ path, query }: View, name: "before" | "from", cursor: string): string {
  const kept = new URLSearchParams(query);
  for (const other of ["at", "from", "before"]) kept.delete(other);
  kept.set(name, cursor);
  return `${path}?${kept.toString()}`;
}
