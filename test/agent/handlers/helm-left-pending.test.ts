import { beforeAll, expect, test, vi } from "vitest";
import { givenRunnerWithAgent, jobReader } from "../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { leaveAs } from "../../support/helm/leave-pending.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
const filesAllowed = { "allow-file-sources": "yes" };
const pending = [1, "pending-install"] as const;
const isDeployed = /^app is (?:installed|upgraded): revision \d\.$/;

vi.setConfig({ testTimeout: 200_000 });

describeWithTools([...clusterTools, "helm"], "a release that somebody's helm left pending", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test("is freed when the job that held it is over, and only then", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() } };
    await release("exec", helm);
    await leaveAs(at, pending, { "svc-execution": "exe_00000000000000000000000000" });
    const held = await release("exec", helm);
    expect(held.result?.error_metadata["class"]).toBe("locked");
    expect(held.description).toMatch(/holds the release app \(pending-install, revision 1\)/);
    const { id } = await release("create-apply-plan", helm);
    await leaveAs(at, pending, { "svc-job": id, "svc-execution": await executionOf(id) });
    const freed = await release("exec", helm);
    expect(freed.description).toMatch(isDeployed);
  });

  test("is freed, too, by way of a broker of an earlier version", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const unknown = proxy.fail("GET /end", "404"); // it has no such route
    const runner = await fleet.addRunner({ parallelism: { deploy: 1 } });
    const given = { url: proxy.url, token: runner.token };
    await startTestAgent(given, { groups: "deploy=1", ...filesAllowed });
    const { release, at } = await releasesOf(jobReader(fleet, runner));
    const helm = { source: { path: await givenChart() } };
    const { id } = await release("exec", helm);
    await leaveAs(at, pending, { "svc-job": id, "svc-execution": await executionOf(id) });
    const freed = await release("exec", helm);
    expect(unknown.hits()).toBe(1);
    expect(freed.description).toMatch(isDeployed);
  });

  test("by a rollback is told by the revision that it undoes, not by the one it goes back to", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() } };
    await release("exec", helm);
    const { id } = await release("exec", helm); // its labels name an execution that is over
    await leaveAs(at, [2, "pending-rollback"]);
    const held = await release("exec", helm);
    expect(held.result?.error_metadata["class"]).toBe("locked");
    expect(held.description).toMatch(
      /A helm that no job of this runner started holds the release app/,
    );
    const rolled = { "svc-undo-job": id, "svc-undo-execution": await executionOf(id) };
    await leaveAs(at, [1, "failed"], { ...rolled, "svc-undo": "1" });
    expect((await release("exec", helm)).result?.error_metadata["class"]).toBe("locked");
    await leaveAs(at, [1, "failed"], { ...rolled, "svc-undo": "2" });
    const freed = await release("exec", helm);
    expect(freed.description).toMatch(isDeployed);
  });

  const executionOf = async (jobId: string): Promise<string> => {
    const [row] = await fleet.db<{ id: string }[]>`
      select id from runner_job_executions where runner_job_id = ${jobId}`;
    return row?.id ?? "";
  };
});
