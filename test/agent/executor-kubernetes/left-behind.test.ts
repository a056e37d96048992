import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenExecutor } from "../../support/cluster/given-executor.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

describeWithTools(clusterTools, "a Job whose Secret could not be made, nor it be deleted", () => {
  test("is taken away by the same agent when the cluster answers again", async () => {
    const runner = await givenExecutor(fleet);
    const { proxy, kubeconfig } = await proxiedCluster(runner.account.kubeconfig);
    const agent = await runner.start({}, kubeconfig);
    const said = (words: string): boolean => agent.said.log.some(({ msg }) => msg === words);
    await until(() => said("agent started"));
    proxy.fail(({ method, path }) => method === "POST" && path.includes("/secrets"), "500");
    proxy.fail("DELETE /jobs/", "500");
    const jobId = await runner.enqueue({ type: "noop-deploy" });
    await until(() => said("failed to delete a Job that had not started"));
    const [left] = await runner.jobs();
    expect(left?.spec).toMatchObject({ suspend: true });
    proxy.mend();
    await until(async () =>
      (await runner.jobs()).every(({ metadata }) => metadata.uid !== left?.metadata.uid),
    );
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect(runner.kubelet.begun).toHaveLength(1);
  });
});
