import { beforeAll, describe, expect, test } from "vitest";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet, type TestRunner } from "../../support/broker/given-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

async function readLog({ operatorToken: token }: Pick<TestRunner, "operatorToken">, jobId: string) {
  const stream = `lgs_${jobId.slice(4)}`;
  const { body } = await fleet.broker.call<{ items: LogRecord[] }>(
    `GET /v1/log-streams/${stream}/logs?limit=1000`,
    { token },
  );
  const job = await fleet.broker.call<{ logs_complete: boolean }>(`GET /v1/runner-jobs/${jobId}`, {
    token,
  });
  return { records: body.items, isComplete: job.body.logs_complete };
}

describe("the log of a job", () => {
  test("is there to its last line when its end is told, without a secret in it", async () => {
    const runner = await givenRunnerWithAgent(fleet, { "log-wait": "60s" });
    const script =
      'for i in 1 2 3; do echo "line $i"; done; echo "key: $API_KEY" >&2; ' +
      'printf %s "$API_KEY" | base64; printf %s "$ANY" | fold -w 7; echo; echo "any=$ANY"; printf "the end"';
    const variables = { API_KEY: "pq7-secret", ANY: "Zx81kkPq20WmVt55" };
    const { id, status } = await runner.runSteps([
      { name: "speak", interpolated_command: script, interpolated_env_vars: variables },
    ]);
    const { records, isComplete } = await readLog(runner, id);
    expect({ status, isComplete }).toEqual({ status: "finished", isComplete: true });
    const lines = records.filter(({ step }) => step === "speak").map(({ body }) => body);
    const said = lines.slice(lines.indexOf("line 1"));
    expect(said.slice(0, 5)).toEqual(["line 1", "line 2", "line 3", "key: ***", "***"]);
    expect(said).toContain("any=***");
    expect(said).toContain("the end");
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
    const text = JSON.stringify(records);
    for (const secret of Object.values(variables)) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(0, 13));
    }
  });

  test("shows no secret in the name of a step either", async () => {
    const runner = await givenRunnerWithAgent(fleet, { "log-wait": "60s" });
    const { id } = await runner.runSteps([
      {
        name: "login hunter2-hunter2",
        secret_env_vars: { API_TOKEN: "hunter2-hunter2" },
        interpolated_command: 'echo "$SVC_STEP_NAME"',
      },
    ]);
    const { records } = await readLog(runner, id);
    expect(records.map(({ step, body }) => ({ step, body }))).toContainEqual({
      step: "login ***",
      body: "login ***",
    });
    expect(JSON.stringify(records)).not.toContain("hunter2");
  });
});
