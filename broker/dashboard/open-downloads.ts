import { refusalOf } from "../../client/requests/read-answer.ts";
import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { streamAnswer } from "../http/answer/stream-answer.ts";
import type { App } from "../http/app-types.ts";
import { requirePermission } from "../http/gate/authorize.ts";
import { logFilters } from "./logs/log-filters.ts";
import { openPath } from "./open-path.ts";
import { readFilters } from "./parts/filters.ts";
import { faultOf } from "./problem-page.ts";
import { makeFindReader } from "./session/find-reader.ts";
import { makeView } from "./view.ts";

/**
 * GET /jobs/{job_id}/log/download: the log as text, or what of it fits the filters of its page, as the API sends it, no faster than
 * the browser takes it.
 */
export function openDownloads(app: App, broker: Broker): void {
  const find = makeFindReader(broker);

  openPath(app, broker, "GET /jobs/{job_id}/log/download", async (c) => {
    const reader = await find(c);
    if (!("sessionId" in reader)) return c.redirect("/sign-in", 303);
    c.set("actor", reader.actor);
    try {
      requirePermission(reader.actor, "logs.read");
      const { ask, param, query } = makeView(c, { app, broker }, reader);
      const job = await ask(getJobRoute, { params: { job_id: param("job_id") } });
      if (job.log_stream_id === null) throw problem.notFound("log stream");
      const { cursor: _, ...filters } = readFilters(query, logFilters);
      const answer = await app.request(
        `/v1/log-streams/${job.log_stream_id}/logs?${new URLSearchParams(filters).toString()}`,
        { headers: { accept: "text/plain" }, signal: c.req.raw.signal },
        { signedIn: reader },
      );
      // A refusal is told to a person; a browser would save it as the log.
      if (answer.status !== 200) throw await refusalOf(answer);
      return streamAnswer(c, broker, {
        type: "text/plain; charset=utf-8",
        parts: answer.body ?? ReadableStream.from<Uint8Array>([]),
        headers: { "content-disposition": `attachment; filename="${job.id}.log"` },
      });
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      return c.text(fault.detail, fault.status as 404);
    }
  });
}
