import { describe, expect, test } from "vitest";
import { createClient } from "../../client/create-client.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { WholeWorkflow } from "../../shared/api/workflow.ts";
import { startBroker } from "../support/broker/broker.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenLog } from "../support/logs/given-logs.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenJob, givenRunner } from "../support/rows/given.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../support/workflows/workflows-api.ts";

const database = await testDatabase();
const broker = await startBroker({ url: database.url });

async function givenClient() {
  const runner = await givenRunner(database.db);
  const token = await givenToken(database.db, { orgId: runner.orgId });
  return { runner, client: createClient({ url: broker.url, token }) };
}

describe("a wait for a job", () => {
  test("answers the job when it has ended, and not before", async () => {
    const { runner, client } = await givenClient();
    const id = await givenJob(database.db, runner);
    const ended: unknown[] = [];
    const wait = client.waitForJob(id).then((job) => ended.push(job));
    expect(await client.get("/v1/runner-jobs/{job_id}", { params: { job_id: id } })).toMatchObject({
      finished_at: null,
    });
    expect(ended).toEqual([]);
    await client.post("/v1/runner-jobs/{job_id}/cancel", { params: { job_id: id } });
    await wait;
    expect(ended).toMatchObject([{ id, status: "cancelled" } satisfies Partial<RunnerJob>]);
  });

  test("ends by its signal, and where there is no such job", async () => {
    const { runner, client } = await givenClient();
    const id = await givenJob(database.db, runner);
    const leaving = new AbortController();
    const wait = client.waitForJob(id, { signal: leaving.signal });
    leaving.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
    const none = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    await expect(client.waitForJob(none)).rejects.toMatchObject({ code: "job_not_found" });
  });
});

test("a wait for a workflow answers it when it has finished, or waits for a person, if that is wanted", async () => {
  const { brokers, setup } = await givenWorkflowsApi();
  const org = await setup();
  const { installId } = await givenInstall(org);
  const client = createClient({ url: brokers[0]?.url ?? "", token: org.token });
  const { body } = await org.run(installId, "careful");
  const asked = (await client.waitForWorkflow(body.workflow_id, {
    orPerson: true,
  })) as WholeWorkflow;
  await org.respond(stepIn(asked, "approval-awaiting"), { response_type: "approve" });
  expect(await client.waitForWorkflow(body.workflow_id)).toMatchObject({
    finished: true,
    status: { status: "success" },
  });
});

describe("a followed log", () => {
  test("is told from its beginning to its end, as it comes, whatever breaks on the way", async () => {
    const log = await givenLog(database, broker);
    await log.write(["one", "two"]);
    let connections = 0;
    // The first connection breaks after its first event.
    const client = createClient({
      url: broker.url,
      token: log.admin,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        return connections++ > 0 ? response : new Response(brokenAfter(response, "\n\n"), response);
      },
    });
    const told: string[] = [];
    for await (const record of client.followLog(log.streamId)) {
      const { body } = record as { body: string };
      told.push(body);
      if (body === "two") await log.write(["three"]);
      if (body === "three") await log.close();
    }
    expect(told).toEqual(["one", "two", "three"]);
    expect(connections).toBe(2);
  });

  test("ends by its signal, and where there is no such log", async () => {
    const log = await givenLog(database, broker);
    const client = createClient({ url: broker.url, token: log.admin });
    const leaving = new AbortController();
    await log.write(["one"]);
    const follow = async () => {
      for await (const _ of client.followLog(log.streamId, { signal: leaving.signal }))
        leaving.abort(new Error("enough"));
    };
    await expect(follow()).rejects.toThrow("enough");
    const none = client.followLog(`lgs_${"0".repeat(26)}`);
    await expect(none.next()).rejects.toMatchObject({ code: "log_stream_not_found" });
  });
});

/** An answer's body up to this text and no further, as by a connection that broke. */
function brokenAfter(response: Response, end: string): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let isOver = false;
  return (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        const text = decoder.decode(part);
        const at = text.indexOf(end);
        if (!isOver) controller.enqueue(part.slice(0, at < 0 ? undefined : at + end.length));
        isOver ||= at >= 0;
        if (isOver) controller.error(new Error("broken"));
      },
    }),
  );
}
