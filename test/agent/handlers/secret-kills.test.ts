import { beforeAll, expect, test } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { secretWord } from "../../support/agent/secret-word.ts";
import { startAgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenNamespace } from "../../support/cluster/given-namespace.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import type { SeenRequest } from "../../support/network/fault-proxy.ts";
import { startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenAwsSecret } from "../../support/secrets/aws-secrets.ts";
import { keysIn, secretSync } from "../../support/secrets/secret-plans.ts";

let fleet: Fleet;

describeWithTools([...clusterTools, "moto_server"], "an agent that is killed", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("between two targets of a secret is followed by one that comes to the same end", async () => {
    const [moto, at] = [await startMoto(), await givenNamespace()];
    const runner = await fleet.addRunner({ parallelism: { sandbox: 1 } });
    const reader = jobReader(fleet, runner);
    const word = secretWord();
    const { kubeconfig, proxy } = await proxiedCluster(at.kubeconfig);
    const given = {
      url: fleet.broker.url,
      env: { ...moto.env, SVC_AGENT_TOKEN: runner.token },
      settings: { groups: "sandbox=1" },
    };
    const first = await startAgentProcess(given);
    const stuck = proxy.fail(({ path }: SeenRequest) => path.includes("/secrets/b?"), "hang");
    const secret_arn = await givenAwsSecret(moto, at.name, word.plain);
    const targets = ["a", "b"].map((name) => ({ name, key: "k", namespaces: [at.name] }));
    const job = await secretSync({ kubeconfig }, [{ secret_name: "one", secret_arn, targets }]);
    const id = await reader.enqueue(job);
    await expect.poll(async () => await keysIn(at, "a")).toEqual({ k: word.plain });
    await expect.poll(() => stuck.hits()).toBeGreaterThan(0);
    first.kill("SIGKILL");
    await first.ended;
    expect(await word.onDisk(first.dataDir)).toEqual([]);
    stuck.mend();
    const second = await startAgentProcess({ ...given, dataDir: first.dataDir });
    expect(await reader.ended(id)).toMatchObject({
      status: "finished",
      description: "Secrets found: 1 of 1; keys written: 2.",
    });
    expect(await keysIn(at, "b")).toEqual({ k: word.plain });
    expect((await reader.job(id)).executions).toHaveLength(1);
    const said = [JSON.stringify([first.said, second.said, await reader.logOf(id)])];
    expect(said.filter(word.isIn)).toEqual([]);
  });
});
