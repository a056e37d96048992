import type { LogStream } from "../../../shared/api/log-streams.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import type { TestBroker } from "../broker/broker.ts";
import type { TestDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../rows/given.ts";
import { postLogs, protobufLogs } from "./otlp-logs.ts";

/** A running execution of ours with its stream, who writes to it and who reads. */
export async function givenRunningLog({ db }: TestDatabase, { url, call }: TestBroker) {
  const runner = await givenRunner(db, { parallelism: { deploy: 1 } });
  const [processId, token] = [await givenProcess(db, runner), await givenToken(db, runner)];
  const admin = await givenToken(db, { orgId: runner.orgId });
  const { jobId, executionId } = await givenExecution(db, runner, { processId });
  const streamId = `lgs_${jobId.slice(4)}`;
  const send = async (...seqs: number[]) => {
    const lines = seqs.map((seq) => ({ body: `line ${seq}`, seq, executionId }));
    return (await postLogs({ url, streamId, token, body: protobufLogs(lines) })).status;
  };
  const stream = async () =>
    (await call<LogStream>(`GET /v1/log-streams/${streamId}`, { token: admin })).body;
  const job = async () =>
    (await call<RunnerJob>(`GET /v1/runner-jobs/${jobId}`, { token: admin })).body;
  const finish = async (lastRecord?: number) => {
    const said = { executionId, status: "finished", result: { success: true } };
    await report(db, runner, { ...said, ...(lastRecord !== undefined && { lastRecord }) });
  };
  return {
    ...runner,
    processId,
    token,
    admin,
    jobId,
    executionId,
    streamId,
    send,
    stream,
    job,
    finish,
  };
}
