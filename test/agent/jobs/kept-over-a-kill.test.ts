import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  action,
  givenKillableAgent,
  type KillableAgent,
  wait,
} from "../../support/agent/given-killable-agent.ts";
import type { AgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** Starts the agent, and waits until it has taken its job up. */
async function taken(again: KillableAgent["again"]): Promise<AgentProcess> {
  const agent = await again();
  const said = (): string => JSON.stringify(agent.said.log);
  await expect.poll(said).toContain("agent started");
  return agent;
}

const out = "$SVC_ACTIONS_OUTPUT_FILEPATH";

describe("an agent that was killed and started again", () => {
  test("leaves the files of a running step as they are", async () => {
    const { enqueue, ended, first, again, kill, mark, marked, lines } =
      await givenKillableAgent(fleet);
    const look = `stat -c '%i %z' "$0" >>${mark("script")}`;
    const id = await enqueue(
      action(
        [
          {
            name: "one",
            interpolated_command: `${look}; echo '# mine' >>"$KUBECONFIG"; touch ${mark("begun")}; ${wait(mark("go"))}; ${look}`,
          },
          { name: "two", interpolated_command: `echo last=$(tail -n 1 "$KUBECONFIG") >>${out}` },
        ],
        { cluster_info: { kube_config: "apiVersion: v1\n" } },
      ),
    );
    await marked("begun");
    await kill(first);
    await taken(again);
    await writeFile(mark("go"), "");
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { last: "# mine" } });
    const [before, after] = await lines("script");
    expect(after).toBe(before);
  });

  test("hides what was told to be secret before, and keeps it from the broker", async () => {
    const { enqueue, ended, first, again, kill, mark, marked, logOf } =
      await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        {
          name: "one",
          interpolated_command: `
            echo very-secret-value-7 | svc-agent output set password --secret
            echo run-time-9-secret | svc-agent redact add`,
        },
        {
          name: "two",
          interpolated_command: `
            touch ${mark("begun")}; ${wait(mark("go"))}
            echo "after run-time-9-secret very-secret-value-7"
            grep -c very-secret-value-7 "$SVC_ACTIONS_PREVIOUS_OUTPUTS_FILEPATH" | sed s/^/seen=/ >>${out}
            echo told=run-time-9-secret >>${out}`,
        },
      ]),
    );
    await marked("begun");
    await kill(first);
    await again();
    await writeFile(mark("go"), "");
    const job = await ended(id);
    expect(job).toMatchObject({ status: "finished", outputs: { seen: "1", told: "***" } });
    expect(job.outputs).not.toHaveProperty("password");
    expect(JSON.stringify([job, await logOf(id)])).not.toMatch(/very-secret-value|run-time-9/);
  });

  test("has what a step set before and while nobody was there", async () => {
    const { enqueue, ended, first, again, kill, mark, marked } = await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        {
          name: "one",
          interpolated_command: `
            echo 1 | svc-agent output set early
            touch ${mark("begun")}; ${wait(mark("go"))}
            touch ${mark("asks")}; echo 2 | svc-agent output set late`,
        },
      ]),
    );
    await marked("begun");
    await kill(first);
    await writeFile(mark("go"), "");
    await marked("asks");
    await again();
    expect(await ended(id)).toMatchObject({
      status: "finished",
      outputs: { early: "1", late: "2", steps: { one: { early: "1", late: "2" } } },
    });
  });

  test("says each of its own lines once", async () => {
    const { enqueue, ended, first, again, kill, mark, marked, logOf } =
      await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        { name: "one", interpolated_env_vars: { LD_X: "1" }, interpolated_command: "true" },
        { name: "two", interpolated_command: `touch ${mark("begun")}; ${wait(mark("go"))}` },
      ]),
    );
    await marked("begun");
    await expect.poll(async () => (await logOf(id)).length).toBe(4);
    await kill(first);
    await again();
    await writeFile(mark("go"), "");
    await ended(id);
    const said = async () =>
      (await logOf(id)).map((line) => line.replace(/ (?:in [^ ]+|is ignored.*)$/, ""));
    // An end waits for its log for a second only; the last lines may come after it.
    await expect
      .poll(said)
      .toEqual([
        "Step one",
        "The variable LD_X",
        "Step one finished",
        "Step two",
        "Step two finished",
      ]);
  });

  test("gives up a job that it dies of again and again", async () => {
    const { enqueue, ended, first, again, kill, mark, marked } = await givenKillableAgent(fleet);
    const id = await enqueue(
      action([{ interpolated_command: `touch ${mark("begun")}; sleep 600` }]),
    );
    await marked("begun");
    await kill(first);
    const executions = path.join(first.dataDir, "executions");
    const [execution = ""] = await readdir(executions);
    await writeFile(path.join(executions, execution, "take-ups"), "9");
    await kill(await taken(again));
    await again();
    const job = await ended(id);
    expect(job).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "internal" } },
    });
    expect(job.description).toContain("died 10 times in a row");
    expect(await readdir(path.join(first.dataDir, "work"))).toEqual([]);
  });

  test("goes on where what was kept of the outputs cannot be read", async () => {
    const { enqueue, ended, runDir, first, again, kill, mark, marked } =
      await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        { name: "one", interpolated_command: `echo a=1 >>${out}` },
        { name: "two", interpolated_command: `touch ${mark("begun")}; ${wait(mark("go"))}` },
      ]),
    );
    await marked("begun");
    await kill(first);
    for (const place of await readdir(runDir, { recursive: true })) {
      if (/outputs[^/]*\.json$/.test(place)) await writeFile(path.join(runDir, place), '{"st');
    }
    await again();
    await writeFile(mark("go"), "");
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { a: "1" } });
  });
});
