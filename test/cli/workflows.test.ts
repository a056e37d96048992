import { expect, test } from "vitest";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { startSvc, svc } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenRunner } from "../support/rows/given.ts";
import { givenInstall, givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi();
const [broker] = brokers;

test("a run is begun, watched, shown, approved and read from scripts", async () => {
  const org = await setup();
  let fails = 1;
  await givenInstall(org, {
    inputs: { audience: "world", secret: "s3cr3t-value" },
    ends: (plan: string) => (plan.includes("Hello") && fails-- > 0 ? "failed" : "finished"),
  });
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  const run = async (line: string) => await svc(line.split(" "), { env });
  const begun = await run("action run acme careful --no-wait");
  expect(begun.code).toBe(0);
  const runId = begun.out.trim();
  const workflow = /svc workflow watch (wfl_\w+)/.exec(begun.err)?.[1] ?? "";
  const watching = startSvc(["workflow", "watch", workflow], { env });
  await expect.poll(() => watching.said.err).toContain("svc workflow approve");
  expect((await run(`action logs acme ${runId}`)).err).toContain("no job yet");
  const approved = await run(`workflow approve ${workflow} --yes --wait`);
  expect(approved.code).toBe(0);
  expect(approved.err).toContain("Run careful: success");
  expect(approved.err).not.toContain("It waits for an approval");
  expect(`${approved.out}${approved.err}`).toContain("echo world (secret)");
  expect(`${approved.out}${approved.err}`).not.toContain("s3cr3t");
  const { code, out, err } = await watching.ended;
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toContain("Run careful: success");
  expect(err).not.toContain("\u001b");
  expect(err.match(/It waits for an approval/g)).toHaveLength(1);
  expect(err.match(/^\? .+ approval-awaiting/gm)).toHaveLength(1); // not once a second
  expect((await run(`workflow approve ${workflow} --yes`)).code).not.toBe(0);
  expect((await run(`action logs acme ${runId}`)).code).toBe(0);

  const failing = await run("action run acme greet --no-wait");
  const id = /(wfl_\w+)/.exec(failing.err)?.[1] ?? "";
  const follow = startSvc(["workflow", "watch", id], { env });
  await expect.poll(() => follow.said.err).toContain(`svc workflow retry ${id}`);
  expect((await run(`workflow retry ${id}`)).code).toBe(0);
  expect((await follow.ended).code).toBe(0);
  const again = await run(`workflow retry ${id}`);
  expect(again.code).not.toBe(0);
  expect((await run("workflow list acme -o name")).out.split("\n")).toContain(id);
  expect((await run("action runs acme --action greet")).out).toContain("retried");
});

test("a run's log is followed, and its script's exit code is the command's", async () => {
  const org = await setup();
  const runner = await givenRunner(org.db, { orgId: org.orgId, parallelism: { actions: 4 } });
  await startAgentProcess({
    url: broker?.url ?? "",
    env: { SVC_AGENT_TOKEN: await givenToken(org.db, runner) },
    settings: { groups: "actions=4" },
  });
  const { workflow_id: made = "" } = (await org.create({ runner_group_id: runner.groupId })).body;
  await org.reach(made, "success");
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  const run = async (...words: readonly string[]) => await svc(["action", ...words], { env });

  const greeted = await run("run", "acme", "greet");
  expect({ code: greeted.code, out: greeted.out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^\[run\] Step run\n\[run\] Hello world\n/) as string,
  });
  expect(greeted.err).toContain("Run greet: success");
  expect(greeted.err).not.toMatch(/ $/m); // also of a step that took no time

  const failed = await run("run", "acme", "--command", "echo before; exit 2");
  expect(failed.code).toBe(2); // a code of svc's own, too: but the run had begun
  expect(failed.out).toContain("before\n");
  expect(failed.out).not.toContain("[");
  const workflow = /svc workflow retry (wfl_\w+)/.exec(failed.err)?.[1] ?? "";
  const runId = /^(awr_\w+) has begun\.$/m.exec(failed.err)?.[1] ?? "";

  const byRun = await run("logs", runId, "--raw");
  expect(byRun).toMatchObject({ code: 0, out: expect.stringContaining("before\n") as string });
  for (const words of [
    ["logs", workflow],
    ["logs", "acme", runId],
  ])
    expect((await run(...words, "--raw")).out).toBe(byRun.out);
  expect(await run("logs", "greet")).toMatchObject({
    code: 2,
    err: expect.stringContaining('"greet" is not the id of a run (awr_…)') as string,
  });
  expect((await run("logs")).err).toContain("The argument RUN is required");
  const unbegun = await run("run", "acme");
  expect(unbegun).toMatchObject({ code: 2, out: "" });
  expect(unbegun.err).not.toContain("has begun");

  const named = await run("run", "acme", "greet", "-o", "name");
  expect(named.out).toMatch(/^awr_\w+\n$/);
  expect(named.err).toContain("Hello world");
});
