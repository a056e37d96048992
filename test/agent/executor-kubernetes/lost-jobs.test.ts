import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../../support/agent/held-script.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { type RunnerWithExecutor, givenExecutor } from "../../support/cluster/given-executor.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

async function givenHeld(runner: RunnerWithExecutor) {
  const held = heldScript(await testFolder(0o777));
  const jobId = await runner.enqueue(held.job);
  await until(() => runner.kubelet.begun[0]?.printed().includes("waiting") === true);
  return { ...held, jobId };
}

const finalizers = ["get", "pod", "-o", "jsonpath={.items[*].metadata.finalizers}"];

/** The Job goes, and its pod lives on as nobody's. */
async function orphan({ at }: RunnerWithExecutor): Promise<void> {
  await at.kubectl(["delete", "job", "--all", "--cascade=orphan"]);
  await until(async () => (await at.kubectl(finalizers)) === "");
}

/** Its pod goes too, without the time to say a word. */
async function vanish(runner: RunnerWithExecutor): Promise<void> {
  await orphan(runner);
  await runner.at.kubectl(["delete", "pod", "--all", "--force", "--grace-period=0"]);
}

async function expectLost(runner: RunnerWithExecutor, jobId: string): Promise<void> {
  const { status, description, result } = await runner.ended(jobId);
  expect(status).toBe("failed");
  expect(description).toMatch(
    /^The job is lost: its pod is gone from the cluster and reported no result/,
  );
  expect(result?.error_metadata).toMatchObject({ reason: "pod_failed", class: "gone" });
  expect((await runner.job(jobId)).executions).toHaveLength(1);
}

describeWithTools(clusterTools, "a job whose Job is gone from the cluster", () => {
  test("is told as lost by the agent's next start, which was away when it went", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { jobId } = await givenHeld(runner);
    first.kill("SIGKILL");
    await first.ended;
    await vanish(runner);
    await runner.start();
    await expectLost(runner, jobId);
  });

  test("is told as lost by an agent that sees it go", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const { jobId } = await givenHeld(runner);
    await vanish(runner);
    await expectLost(runner, jobId);
  });

  test("is not lost while its pod lives: that ends it", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { jobId, release } = await givenHeld(runner);
    first.kill("SIGKILL");
    await first.ended;
    await orphan(runner);
    const second = await runner.start();
    await until(() => second.said.log.some(({ msg }) => /has no Job for a job/.test(String(msg))));
    await release();
    expect(await runner.ended(jobId)).toMatchObject({
      status: "finished",
      outputs: { released: "yes" },
    });
    expect(runner.kubelet.begun).toHaveLength(1);
  });
});
