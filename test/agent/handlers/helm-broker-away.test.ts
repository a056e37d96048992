import { beforeAll, expect, test, vi } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

vi.setConfig({ testTimeout: 400_000 });

/** A first install that helm waits for, by way of a proxy to the broker. */
async function waiting(more: object = {}) {
  const proxy = await faultProxy(fleet.broker.url);
  const runner = await fleet.addRunner({ parallelism: { deploy: 1 } });
  const settings = { groups: "deploy=1", "allow-file-sources": "yes" };
  await startTestAgent({ url: proxy.url, token: runner.token }, settings);
  const releases = await releasesOf(jobReader(fleet, runner));
  const { draft, enqueue, at, operate } = releases;
  const { id: helm_chart_id } = await operate("POST /v1/helm-charts");
  const helm = { source: { path: await givenChart() }, helm_chart_id, ...more };
  const id = await enqueue(draft("exec", { ...helm, values_override: "nowhere: true" }));
  const deployments = async () => await at.kubectl(["get", "deployments", "-o", "name"]);
  await expect.poll(deployments).toContain("app-web");
  return {
    ...releases,
    proxy,
    id,
    kept: async (): Promise<string[]> => {
      const asked = `GET /v1/helm-releases?chart_id=${String(helm_chart_id)}`;
      const { body } = await fleet.broker.call<{ items: { status: string }[] }>(asked, {
        token: releases.operatorToken,
      });
      return body.items.map(({ status }) => status);
    },
  };
}

const anywhere = JSON.stringify([{ op: "remove", path: "/spec/template/spec/nodeSelector" }]);

describeWithTools([...clusterTools, "helm"], "a release whose broker is away", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test("when it becomes ready is written down when the broker is back", async () => {
    const { proxy, id, at, ended, kept } = await waiting();
    const away = proxy.fail(() => true, "down");
    await at.kubectl(["patch", "deployment", "app-web", "--type=json", "-p", anywhere]);
    const isEnd = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === "PUT" && path.includes("/v1/helm-releases/");
    await expect.poll(() => proxy.seen(isEnd).length).toBeGreaterThan(2);
    expect(await kept()).toEqual(["pending-install"]);
    away.mend();
    expect((await ended(id)).description).toBe("app is installed: revision 1.");
    expect(await kept()).toEqual(["deployed"]);
  });

  test("when it fails is told with what nobody knows of it", async () => {
    const { proxy, id, ended, kept } = await waiting({ timeout: 20e9 });
    // It answers, and refuses: nobody waits for another answer.
    proxy.fail(({ path }) => path.includes("/query?"), "410");
    const { status, description } = await ended(id);
    expect(status).toBe("failed");
    expect(description).toMatch(/cannot be deployed: .*What is left of it is unknown\. .*history/);
    expect(await kept()).toEqual(["failed"]);
  });
});
