import { beforeAll, expect, test } from "vitest";
import { executorRights } from "../../../agent/executor/rights.ts";
import { heldScript } from "../../support/agent/held-script.ts";
import type { AgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenExecutor, rulesOf } from "../../support/cluster/given-executor.ts";
import { givenAccount } from "../../support/cluster/given-namespace.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const worksOf = ({ said }: AgentProcess): boolean =>
  said.log.some(({ msg }) => msg === "agent started");
const whyNot = ({ said }: AgentProcess): string =>
  String(said.log.find(({ msg }) => msg === "takes no jobs")?.["why"]);
const refusal =
  /Another agent \(.+\/.+\) already uses the executor-name svc-agent in namespace test-\w+\. Stop it/;

describeWithTools(clusterTools, "an agent that cannot renew its Lease", () => {
  test("asks for no jobs until it can, and goes on with its own", async () => {
    const runner = await givenExecutor(fleet);
    const { proxy, kubeconfig } = await proxiedCluster(runner.account.kubeconfig);
    const agent = await runner.start({}, kubeconfig);
    const { job, release } = heldScript(await testFolder(0o777));
    const jobId = await runner.enqueue(job);
    await until(() => runner.kubelet.begun[0]?.printed().includes("waiting") === true);
    proxy.fail(
      ({ method, path: asked }) => method === "PATCH" && asked.includes("/leases/"),
      "hang",
    );
    await until(() => /^the Lease test-\w+\/svc-agent cannot be renewed/.test(whyNot(agent)));
    const { runnerId } = runner;
    const codes = async (): Promise<unknown> =>
      (await fleet.db`select status_code from runner_health_checks where runner_id = ${runnerId}`)
        .map((row) => row["status_code"] as unknown)
        .filter((code) => code !== 0);
    await expect.poll(codes).toEqual([37]); // no disk is full
    const later = await runner.enqueue({ type: "noop-deploy" });
    await release();
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect(runner.kubelet.begun).toHaveLength(1);
    proxy.mend();
    expect((await runner.ended(later)).status).toBe("finished");
  });
});

describeWithTools(clusterTools, "an agent that may not", () => {
  test.each(["create", "get", "patch"])(
    "%s its Lease names the right, and is not started anew",
    async (verb) => {
      const runner = await givenExecutor(fleet);
      const rights = executorRights("svc-agent").filter(
        (right) => right.resource !== "leases" || right.verb !== verb,
      );
      const narrow = await givenAccount(runner.at, rulesOf(rights));
      const free = {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "svc-agent" },
      };
      if (verb === "patch") await runner.at.kubectl(["create", "-f", "-"], JSON.stringify(free));
      const refused = await runner.start({}, narrow.kubeconfig);
      expect(await refused.ended).toBe(78);
      const name = verb === "create" ? "" : "/svc-agent";
      expect(refused.said.err).toContain(
        `Grant the agent the right to ${verb} leases.coordination.k8s.io${name} in the namespace ${runner.at.name}.`,
      );
    },
  );
});

describeWithTools(clusterTools, "two agents of one executor-name", () => {
  test("are one: the second says so and goes, and the first goes on with its jobs", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { job, release } = heldScript(await testFolder(0o777));
    const jobId = await runner.enqueue(job);
    await until(() => runner.kubelet.begun[0]?.printed().includes("waiting") === true);
    const second = await runner.start();
    expect(await second.ended).toBe(78);
    expect(second.said.err).toMatch(refusal);
    await release();
    expect((await runner.ended(jobId)).status).toBe("finished");
    const registered = first.said.log.filter(({ msg }) => msg === "registered");
    expect(registered).toHaveLength(1);
    expect((await runner.job(jobId)).executions).toHaveLength(1);
  });

  test("that start at once are one", async () => {
    const runner = await givenExecutor(fleet);
    const both = await Promise.all([runner.start(), runner.start()]);
    const gone = await Promise.race(
      both.map(async (agent) => ({ agent, code: await agent.ended })),
    );
    expect(gone.code).toBe(78);
    expect(gone.agent.said.err).toMatch(refusal);
    expect(worksOf(gone.agent)).toBe(false);
    expect((await runner.run({ type: "noop-deploy" })).status).toBe("finished");
  });

  test("follow each other when the first stood still, and it leaves all to the second", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { job, release } = heldScript(await testFolder(0o777));
    const jobId = await runner.enqueue(job);
    await until(() => runner.kubelet.begun[0]?.printed().includes("waiting") === true);
    first.kill("SIGSTOP");
    const second = await runner.start();
    await until(() => worksOf(second));
    first.kill("SIGCONT");
    expect(await first.ended).toBe(78);
    expect(JSON.stringify(first.said.log)).toContain("another agent took over the executor-name");
    await release();
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect((await runner.job(jobId)).executions).toHaveLength(1);
    expect((await runner.run({ type: "noop-deploy" })).status).toBe("finished");
    second.kill("SIGKILL");
    await second.ended;
    const third = await runner.start();
    await until(() => third.said.log.some(({ msg }) => /still running/.test(String(msg))));
    await runner.at.kubectl(["annotate", "lease", "svc-agent", "seen=yes"]); // by who holds nothing
    await until(() => worksOf(third));
    const registered = ({ said }: AgentProcess) =>
      said.log.findLast(({ msg }) => msg === "registered");
    expect(registered(third)?.["took_over"]).toBe(registered(second)?.["process_id"]);
  });
});
