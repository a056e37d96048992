import { newId } from "../../../broker/database/new-id.ts";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import type { Answer, TestBroker } from "../broker/broker.ts";
import type { TestDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { type GivenRunner, givenJob, givenRunner } from "../rows/given.ts";

export type Line = {
  readonly body: string;
  readonly atMs?: number;
  readonly severity?: number;
  readonly step?: string;
  readonly seq?: number;
};

export type LogPage = {
  readonly items: LogRecord[];
  readonly next_cursor: string | null;
  readonly previous_cursor: string | null;
};

/** A job with its stream, who writes to it and who reads it. */
export type GivenLog = GivenRunner & {
  readonly jobId: string;
  readonly streamId: string;
  readonly executionId: string;
  readonly token: string;
  readonly admin: string;
  readonly path: string;
  readonly write: (lines: readonly (Line | string)[], at?: TestBroker) => Promise<Answer<object>>;
  readonly read: (query?: string) => Promise<Answer<LogPage>>;
  readonly readText: (accept: string, query?: string) => Promise<string>;
  /** Closes it as if its job had ended long ago. */
  readonly close: () => Promise<void>;
};

/** A stream of a job that nobody has written to. */
export async function givenLog({ db }: TestDatabase, broker: TestBroker): Promise<GivenLog> {
  const runner = await givenRunner(db);
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const admin = await givenToken(db, { orgId: runner.orgId });
  const jobId = await givenJob(db, runner);
  const streamId = `lgs_${jobId.slice(4)}`;
  const executionId = newId("exe");
  const path = `/v1/log-streams/${streamId}`;
  return {
    ...runner,
    jobId,
    streamId,
    executionId,
    token,
    admin,
    path,
    write: async (lines, at = broker) =>
      await at.call(`POST ${path}/logs`, { token, body: logRequestOf(lines, executionId) }),
    read: async (query = "") => {
      const paged = query.includes("cursor=")
        ? query
        : `${query === "" ? "?" : `${query}&`}cursor=`;
      return await broker.call(`GET ${path}/logs${paged}`, { token: admin });
    },
    readText: async (accept, query = "") => {
      const headers = { authorization: `Bearer ${admin}`, accept };
      const response = await fetch(`${broker.url}${path}/logs${query}`, { headers });
      return await response.text();
    },
    close: async () => {
      await db`update log_streams set closed_at = svc_now() where id = ${streamId}`;
    },
  };
}

/** An export request with these records, in OTLP's JSON. */
export function logRequestOf(lines: readonly (Line | string)[], executionId: string): object {
  const logRecords = lines.map((line) =>
    recordOf(typeof line === "string" ? { body: line } : line),
  );
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };

  function recordOf({ body, atMs = Date.now(), severity = 9, step, seq }: Line): object {
    const texts = {
      "runner_job_execution.id": executionId,
      "runner_job_execution_step.name": step,
    };
    const attributes: object[] = Object.entries(texts).flatMap(([key, stringValue]) =>
      stringValue === undefined ? [] : [{ key, value: { stringValue } }],
    );
    if (seq !== undefined) attributes.push({ key: "svc.seq", value: { intValue: String(seq) } });
    return {
      timeUnixNano: `${atMs}000000`,
      severityNumber: severity,
      body: { stringValue: body },
      attributes,
    };
  }
}
