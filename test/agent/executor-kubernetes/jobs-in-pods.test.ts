import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../../support/agent/held-script.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenExecutor } from "../../support/cluster/given-executor.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const action = (interpolated_inline_contents: string) => ({
  type: "actions-workflow" as const,
  plan: JSON.stringify({ steps: [{ name: "only", interpolated_inline_contents }] }),
});

describeWithTools(clusterTools, "svc-agent start --executor kubernetes", () => {
  test("has a job done in a pod, with its log, outputs and result at the broker", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const job = await runner.run(action("echo in a pod; echo 7 | svc-agent output set seven"));
    expect(job).toMatchObject({ status: "finished", outputs: { seven: "7" } });
    expect(await runner.logOf(job.id)).toContain("in a pod");
    expect(runner.kubelet.begun).toHaveLength(1);
    const [made] = await runner.jobs();
    expect(made?.metadata.name).toMatch(/^svc-agent-/);
    await until(async () => {
      const [one] = await runner.jobs();
      return one?.metadata.labels["svc-agent/settled"] === "yes";
    });
  });

  test("does two jobs at once, each in its own pod", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const folder = await testFolder(0o777);
    const held = [heldScript(folder, "one"), heldScript(folder, "two")];
    const ids = await Promise.all(held.map(async ({ job }) => await runner.enqueue(job)));
    await until(() => runner.kubelet.begun.every(({ printed }) => printed().includes("waiting")));
    await until(() => runner.kubelet.begun.length === 2);
    for (const { release } of held) await release();
    for (const id of ids) expect((await runner.ended(id)).status).toBe("finished");
  });

  test("looks at its pods by one list a second at most, however many there are, and at its Jobs by another", async () => {
    const runner = await givenExecutor(fleet);
    const { proxy, kubeconfig } = await proxiedCluster(runner.account.kubeconfig);
    await runner.start({}, kubeconfig);
    const folder = await testFolder(0o777);
    const held = [heldScript(folder, "one"), heldScript(folder, "two")];
    const ids = await Promise.all(held.map(async ({ job }) => await runner.enqueue(job)));
    await until(() => runner.kubelet.begun.length === held.length);
    await until(() => runner.kubelet.begun.every(({ printed }) => printed().includes("waiting")));
    const listOf = (what: "pods" | "jobs") =>
      proxy.seen(({ method, path }) => method === "GET" && path.includes(`/${what}?`));
    const reads = () =>
      proxy.seen(({ method, path }) => method === "GET" && /\/jobs\/\w/.test(path));
    const [before, readBefore] = [listOf("pods").length, reads().length];
    await until(() => listOf("pods").length >= before + 9);
    for (const what of ["pods", "jobs"] as const) {
      const times = listOf(what)
        .slice(-8)
        .map(({ atMs }) => atMs);
      // Seven seconds, but for one that was on its way for long.
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(5_500);
    }
    const executions = await Promise.all(
      ids.map(async (id) => (await runner.job(id)).executions[0]),
    );
    const isListed = (id = "none"): boolean =>
      listOf("pods")
        .slice(before)
        .some(({ path }) => path.includes(id));
    // Lists that come in turns may each be of some of them.
    await until(() => executions.every((one) => isListed(one?.id)));
    expect(reads().length).toBe(readBefore);
    for (const { release } of held) await release();
    for (const id of ids) expect((await runner.ended(id)).status).toBe("finished");
  });

  test("is in the cluster of several kubeconfigs together, one of which is not there", async () => {
    const runner = await givenExecutor(fleet);
    const rest = path.join(await testFolder(0o700), "current");
    const config = JSON.parse(await readFile(runner.account.kubeconfig, "utf8")) as object;
    await writeFile(
      runner.account.kubeconfig,
      JSON.stringify({ ...config, "current-context": "" }),
    );
    await writeFile(rest, JSON.stringify({ ...config, users: [], clusters: [], contexts: [] }));
    await runner.start({}, `/none/such:${rest}:${runner.account.kubeconfig}`);
    expect(await runner.run(action("true"))).toMatchObject({ status: "finished" });
  });

  test("gives the scripts of a pod the agent's proxies, and shows them in no Job", async () => {
    const runner = await givenExecutor(fleet);
    const proxy = "http://me:swordfish@proxy.example:3128";
    const proxies = { HTTPS_PROXY: proxy, NO_PROXY: "127.0.0.1" };
    await runner.start({}, runner.account.kubeconfig, proxies);
    const print = "echo out by $HTTPS_PROXY | rev; echo not for $NO_PROXY"; // logs hide passwords
    const job = await runner.run(action(print));
    expect(job).toMatchObject({ status: "finished" });
    const log = (await runner.logOf(job.id)).join("\n");
    expect(log).toContain(`${[...proxy].toReversed().join("")} yb tuo`);
    expect(log).toContain("not for 127.0.0.1,169.254.169.254");
    expect(JSON.stringify(await runner.jobs())).not.toContain("swordfish");
  });

  test("gives a pod the job's token alone, as a file, and nothing of the cluster", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start({ "read-only": "yes" });
    const job = await runner.run(action("true"));
    expect(job).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "refused" } },
    });
    const [pod] = runner.kubelet.begun;
    expect(JSON.stringify([pod?.args, pod?.env])).not.toMatch(/svc_(?:job|rt)_/);
    expect(pod?.env["SVC_AGENT_READ_ONLY"]).toBe("yes");
    const [made] = await runner.jobs();
    expect(JSON.stringify(made)).not.toMatch(/svc_(?:job|rt)_/);
    expect(made?.spec).toMatchObject({
      backoffLimit: 0,
      podReplacementPolicy: "Failed",
      template: {
        metadata: {
          annotations: {
            "karpenter.sh/do-not-disrupt": "true",
            "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
          },
        },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true },
        },
      },
    });
  });

  test("does jobs with a plan that no Secret could hold", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const job = await runner.run(action(`echo done # ${"x".repeat(5 * 2 ** 20)}`));
    expect(job.status).toBe("finished");
  });

  test("has no more pods than it may have, whatever the slots are", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start({ "executor-max-pods": "1" });
    const folder = await testFolder(0o777);
    const [one, two] = [heldScript(folder, "one"), heldScript(folder, "two")];
    const first = await runner.enqueue(one.job);
    await until(() => runner.kubelet.begun[0]?.printed().includes("waiting") === true);
    const second = await runner.enqueue(two.job);
    await two.release();
    // What concerns the agent needs no pod.
    expect((await runner.run({ type: "noop" })).status).toBe("finished");
    expect((await runner.job(second)).executions).toEqual([]);
    await one.release();
    expect((await runner.ended(first)).status).toBe("finished");
    expect((await runner.ended(second)).status).toBe("finished");
  });
});
