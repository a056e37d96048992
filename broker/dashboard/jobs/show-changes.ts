import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { html } from "hono/html";
import { getResultRoute } from "../../../shared/api/read-runner-job-executions.ts";
import { getJobRoute } from "../../../shared/api/read-runner-jobs.ts";
import type { RunnerJobExecutionResult } from "../../../shared/api/runner-job-execution.ts";
import { changeCountWords, parsePlannedChanges } from "../../../shared/plans/planned-changes.ts";
import type { Html, Page } from "../page.ts";
import { empty } from "../parts/table.ts";

const unpack = promisify(gunzip);
const mostBytes = 8 * 2 ** 20;
const mostLines = 5000;

/** GET /jobs/{job_id}/changes: what a planning job found that would change. */
export const showChanges: Page = {
  path: "/jobs/{job_id}/changes",
  permission: "plans.secrets",
  async render(view) {
    const params = { job_id: view.param("job_id") };
    const job = await view.ask(getJobRoute, { params });
    const executionId = job.final_runner_job_execution_id;
    const result =
      executionId === null || !job.operation.startsWith("create-")
        ? undefined
        : await view.ask(getResultRoute, { params: { ...params, execution_id: executionId } });
    const text = result === undefined ? undefined : await changesText(result);
    return {
      title: `Planned changes of ${job.id}`,
      main: html`<nav class="crumbs" aria-label="Place">
          <a href="/jobs">Jobs</a> <a class="id" href="/jobs/${job.id}">${job.id}</a>
        </nav>
        <h1>Planned changes</h1>
        ${text === undefined ? empty("No changes to show", "This job has brought no plan that a page can show.") : diffBlock(text)}`,
    };
  },
};

/** Of terraform the diff is the text; the others pack theirs. */
async function changesText(result: RunnerJobExecutionResult): Promise<string | undefined> {
  const { contents_display: text, contents_display_gzip: packed } = result;
  if (text !== undefined && text !== "") return text;
  if (packed === undefined) return undefined;
  const bytes = await unpack(Buffer.from(packed, "base64"), { maxOutputLength: mostBytes }).catch(
    () => undefined,
  );
  const changes = bytes && parsePlannedChanges(bytes.toString());
  if (changes === undefined) return undefined;
  return changes.plan === "" ? "No changes." : `${changes.plan}\n\n${changeCountWords(changes)}`;
}

/** Lines in the color of what they do, which their sign says as well. */
function diffBlock(text: string): Html {
  const lines = text.split("\n");
  const shown = lines.slice(0, mostLines).map((line) => {
    const tone = tones[line.trimStart()[0] ?? ""];
    return tone === undefined ? html`${line} ` : html`<span class="${tone}">${line}</span> `;
  });
  return html`<pre class="diff" tabindex="0" role="region" aria-label="Planned changes">
${shown}</pre>
    ${lines.length > mostLines ? html`<p class="dim">The first ${mostLines} lines of ${lines.length}.</p>` : ""}`;
}

const tones: Readonly<Record<string, string>> = {
  "+": "good",
  "-": "bad",
  "~": "wait",
  "!": "warn",
};
