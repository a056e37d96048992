import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../../support/agent/held-script.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import {
  type ExecutorSeat,
  givenExecutor,
  untilInCluster as until,
} from "../../support/cluster/given-executor.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

async function givenHeld(seat: ExecutorSeat) {
  const held = heldScript(await testFolder(0o777));
  const jobId = await seat.enqueue(held.job);
  await until(() => seat.kubelet.begun[0]?.printed().includes("waiting") === true);
  return { ...held, jobId };
}

const finalizers = ["get", "pod", "-o", "jsonpath={.items[*].metadata.finalizers}"];

/** The Job goes, and its pod lives on as nobody's. */
async function orphan({ at }: ExecutorSeat): Promise<void> {
  await at.kubectl(["delete", "job", "--all", "--cascade=orphan"]);
  await until(async () => (await at.kubectl(finalizers)) === "");
}

/** Its pod goes too, without the time to say a word. */
async function vanish(seat: ExecutorSeat): Promise<void> {
  await orphan(seat);
  await seat.at.kubectl(["delete", "pod", "--all", "--force", "--grace-period=0"]);
}

async function expectLost(seat: ExecutorSeat, jobId: string): Promise<void> {
  const { status, description, result } = await seat.ended(jobId);
  expect(status).toBe("failed");
  expect(description).toMatch(
    /^The job is lost: its pod is gone from the cluster, and told no end/,
  );
  expect(result?.error_metadata).toMatchObject({ reason: "pod_failed", class: "gone" });
  expect((await seat.job(jobId)).executions).toHaveLength(1);
}

describeWithTools(clusterTools, "a job whose Job is gone from the cluster", () => {
  test("is told as lost by the agent's next start, which was away when it went", async () => {
    const seat = await givenExecutor(fleet);
    const first = await seat.start();
    const { jobId } = await givenHeld(seat);
    first.kill("SIGKILL");
    await first.ended;
    await vanish(seat);
    await seat.start();
    await expectLost(seat, jobId);
  });

  test("is told as lost by an agent that sees it go", async () => {
    const seat = await givenExecutor(fleet);
    await seat.start();
    const { jobId } = await givenHeld(seat);
    await vanish(seat);
    await expectLost(seat, jobId);
  });

  test("is not lost while its pod lives: that ends it", async () => {
    const seat = await givenExecutor(fleet);
    const first = await seat.start();
    const { jobId, release } = await givenHeld(seat);
    first.kill("SIGKILL");
    await first.ended;
    await orphan(seat);
    const second = await seat.start();
    await until(() => second.said.log.some(({ msg }) => /has no Job for/.test(String(msg))));
    await release();
    expect(await seat.ended(jobId)).toMatchObject({
      status: "finished",
      outputs: { released: "yes" },
    });
    expect(seat.kubelet.begun).toHaveLength(1);
  });
});
