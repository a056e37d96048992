import { gzipSync } from "node:zlib";
import type { JobSpan, MetricPoint } from "../../../shared/api/telemetry.ts";
import { type TestDatabase, testDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { type GivenRunner, givenJob, givenRunner } from "../rows/given.ts";
import { startBroker, type TestBroker } from "./broker.ts";

export const startedNs = 1_790_000_000_000_000_000n;
export const traceId = "5b8efff798038103d269b633813fc60c";
/** The id of the n-th span. */
export const spanId = (n: number): string => n.toString(16).padStart(16, "0");
/** An attribute with a text. */
export const textOf = (key: string, stringValue: string) => ({ key, value: { stringValue } });

type Kept<Item> = { readonly items: Item[]; readonly dropped: number };
export type Telemetry = TestDatabase & {
  readonly broker: TestBroker;
  readonly setup: () => Promise<TelemetrySender>;
};
export type TelemetrySender = GivenRunner & {
  readonly token: string;
  readonly jobId: string;
  /** The runner's own. */
  readonly path: string;
  readonly traces: () => Promise<Kept<JobSpan>>;
  readonly metrics: (of: string) => Promise<Kept<MetricPoint>>;
  /** Sends protobuf. */
  readonly sendBytes: (
    to: "traces" | "metrics",
    bytes: Buffer,
    gzip?: boolean,
  ) => Promise<{ response: Response; body: Buffer }>;
};

/** A broker, and runners with a job that send telemetry to it. */
export async function givenTelemetry(): Promise<Telemetry> {
  const database = await testDatabase();
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
  const broker = await startBroker({ url: database.url, env });
  return { ...database, broker, setup: async () => await givenSender(database, broker) };
}

async function givenSender({ db }: TestDatabase, { call, url }: TestBroker) {
  const runner = await givenRunner(db);
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const admin = await givenToken(db, { orgId: runner.orgId });
  const jobId = await givenJob(db, runner);
  const path = `/v1/runners/${runner.runnerId}`;
  const read = async <Item>(what: string): Promise<Kept<Item>> =>
    (await call<Kept<Item>>(`GET ${what}`, { token: admin })).body;
  return {
    ...runner,
    token,
    jobId,
    path,
    traces: async () => await read<JobSpan>(`/v1/runner-jobs/${jobId}/traces`),
    metrics: async (of: string) => await read<MetricPoint>(`${of}/metrics`),
    sendBytes: async (to: string, bytes: Buffer, gzip = false) => {
      const headers = new Headers({ "content-type": "application/x-protobuf" });
      headers.set("authorization", `Bearer ${token}`);
      if (gzip) headers.set("content-encoding", "gzip");
      const body = new Uint8Array(gzip ? gzipSync(bytes) : bytes);
      const response = await fetch(`${url}${path}/${to}`, { method: "POST", headers, body });
      return { response, body: Buffer.from(await response.arrayBuffer()) };
    },
  };
}

/** The n-th span, which lasts 5 ms. */
export function spanOf(n: number, more: object = {}): object {
  const at = startedNs + BigInt(n) * 1_000_000n;
  return {
    traceId,
    spanId: spanId(n),
    name: `step ${n}`,
    startTimeUnixNano: String(at),
    endTimeUnixNano: String(at + 5_000_000n),
    ...more,
  };
}

/** A request whose resource names the job. */
export const traceRequestOf = (jobId: string, spans: readonly object[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: [textOf("service.name", "agent"), textOf("runner_job.id", jobId)] },
      scopeSpans: [{ scope: { name: "jobs" }, spans }],
    },
  ],
});
