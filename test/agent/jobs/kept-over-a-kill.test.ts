import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/given-fleet.ts";
import { action, givenKillableAgent, wait } from "../../support/given-killable-agent.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const out = "$SVC_ACTIONS_OUTPUT_FILEPATH";

describe("an agent that was killed and started again", { timeout: 120_000 }, () => {
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
    const second = await again();
    await expect
      .poll(() => JSON.stringify(second.said.log), { timeout: 40_000 })
      .toContain("works");
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
