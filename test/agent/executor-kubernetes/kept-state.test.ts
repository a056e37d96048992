import { mkdir, rename, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { executorRights } from "../../../agent/executor/rights.ts";
import type { AgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import {
  type RunnerWithExecutor,
  givenExecutor,
  rulesOf,
} from "../../support/cluster/given-executor.ts";
import { givenAccount } from "../../support/cluster/given-namespace.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import type { SeenRequest } from "../../support/network/fault-proxy.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** The setting that gives an agent a one-shot token. */
async function givenBootToken(runner: RunnerWithExecutor): Promise<Record<string, string>> {
  const { secret } = await runner.operate(`POST /v1/runners/${runner.runnerId}/enrolment-tokens`);
  const file = path.join(await testFolder(0o700), "token");
  await writeFile(file, String(secret));
  return { "token-file": file };
}

const said = (agent: AgentProcess, words: string): boolean =>
  agent.said.log.some(({ msg }) => msg === words);

/** The token that it got is on its way into the cluster. */
function isKeeping({ method, path: asked, body }: SeenRequest): boolean {
  if (method !== "PATCH" || !asked.includes("svc-agent-state")) return false;
  const { data } = JSON.parse(body.toString()) as { data: Record<string, string> };
  return (data["enrolled.json"] ?? "") !== "";
}

describeWithTools(clusterTools, "an agent in a cluster with a one-shot token", () => {
  test("that may not keep its identity says so, and spends no token", async () => {
    const runner = await givenExecutor(fleet);
    const token = await givenBootToken(runner);
    const rights = executorRights("svc-agent").filter(
      ({ verb, name }) => verb !== "patch" || name !== "svc-agent-state",
    );
    const narrow = await givenAccount(runner.at, rulesOf(rights));
    const refused = await runner.start(token, narrow.kubeconfig);
    expect(await refused.ended).toBe(78);
    expect(refused.said.err).toMatch(
      /The Secret .*svc-agent-state.* cannot be written: .*forbidden/,
    );
    await runner.start(token);
    expect((await runner.run({ type: "noop-deploy" })).status).toBe("finished");
  });

  test("that finds its cluster overloaded is to be started again", async () => {
    const runner = await givenExecutor(fleet);
    for (const of of ["/leases/svc-agent", "/secrets/svc-agent-state"]) {
      const { proxy, kubeconfig } = await proxiedCluster(runner.account.kubeconfig);
      proxy.fail(({ path: asked }) => asked.includes(of), "429");
      const agent = await runner.start({}, kubeconfig);
      expect(await agent.ended).toBe(69);
    }
  });

  test("goes on only when the cluster has the runner's own, and needs no other again", async () => {
    const runner = await givenExecutor(fleet);
    const token = await givenBootToken(runner);
    const { proxy, kubeconfig } = await proxiedCluster(runner.account.kubeconfig);
    proxy.fail(isKeeping, "500");
    const first = await runner.start(token, kubeconfig);
    await until(() =>
      said(first, "failed to keep the agent's identity in the cluster; trying again"),
    );
    expect(said(first, "registered")).toBe(false);
    // What cannot be read is not what is not there.
    const enrolled = path.join(first.dataDir, "enrolled.json");
    await rename(enrolled, `${enrolled}.aside`);
    await mkdir(enrolled);
    proxy.mend();
    await until(() => first.said.log.some((line) => JSON.stringify(line).includes("EISDIR")));
    expect(said(first, "registered")).toBe(false);
    await rmdir(enrolled);
    await rename(`${enrolled}.aside`, enrolled);
    await until(() => said(first, "agent started"));
    first.kill("SIGKILL");
    await first.ended;
    await runner.start(token);
    expect((await runner.run({ type: "noop-deploy" })).status).toBe("finished");
  });
});
