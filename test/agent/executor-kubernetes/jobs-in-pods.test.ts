import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../../support/agent/held-script.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenExecutor, untilInCluster as until } from "../../support/cluster/given-executor.ts";
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
    const seat = await givenExecutor(fleet);
    await seat.start();
    const job = await seat.run(action("echo in a pod; echo 7 | svc-agent output set seven"));
    expect(job).toMatchObject({ status: "finished", outputs: { seven: "7" } });
    expect(await seat.logOf(job.id)).toContain("in a pod");
    expect(seat.kubelet.begun).toHaveLength(1);
    const [made] = await seat.jobs();
    expect(made?.metadata.name).toMatch(/^svc-agent-/);
    await until(async () => {
      const [one] = await seat.jobs();
      return one?.metadata.labels["svc-agent/settled"] === "yes";
    });
  });

  test("does two jobs at once, each in its own pod", async () => {
    const seat = await givenExecutor(fleet);
    await seat.start();
    const folder = await testFolder(0o777);
    const held = [heldScript(folder, "one"), heldScript(folder, "two")];
    const ids = await Promise.all(held.map(async ({ job }) => await seat.enqueue(job)));
    await until(() => seat.kubelet.begun.every(({ printed }) => printed().includes("waiting")));
    await until(() => seat.kubelet.begun.length === 2);
    for (const { release } of held) await release();
    for (const id of ids) expect((await seat.ended(id)).status).toBe("finished");
  });

  test("looks at its pods by one list a second at most, however many there are, and at its Jobs by another", async () => {
    const seat = await givenExecutor(fleet);
    const { proxy, kubeconfig } = await proxiedCluster(seat.account.kubeconfig);
    await seat.start({}, kubeconfig);
    const folder = await testFolder(0o777);
    const held = [heldScript(folder, "one"), heldScript(folder, "two")];
    const ids = await Promise.all(held.map(async ({ job }) => await seat.enqueue(job)));
    await until(() => seat.kubelet.begun.length === held.length);
    await until(() => seat.kubelet.begun.every(({ printed }) => printed().includes("waiting")));
    const listOf = (what: "pods" | "jobs") =>
      proxy.seen(({ method, path }) => method === "GET" && path.includes(`/${what}?`));
    const reads = () =>
      proxy.seen(({ method, path }) => method === "GET" && /\/jobs\/\w/.test(path));
    const [before, readBefore] = [listOf("pods").length, reads().length];
    await until(() => listOf("pods").length >= before + 5);
    for (const what of ["pods", "jobs"] as const) {
      const times = listOf(what)
        .slice(-4)
        .map(({ atMs }) => atMs);
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2_900);
    }
    const executions = await Promise.all(ids.map(async (id) => (await seat.job(id)).executions[0]));
    const isListed = (id = "none"): boolean =>
      listOf("pods")
        .slice(before)
        .some(({ path }) => path.includes(id));
    // Lists that come in turns may each be of some of them.
    await until(() => executions.every((one) => isListed(one?.id)));
    expect(reads().length).toBe(readBefore);
    for (const { release } of held) await release();
    for (const id of ids) expect((await seat.ended(id)).status).toBe("finished");
  });

  test("is in the cluster of several kubeconfigs together, one of which is not there", async () => {
    const seat = await givenExecutor(fleet);
    const rest = path.join(await testFolder(0o700), "current");
    const config = JSON.parse(await readFile(seat.account.kubeconfig, "utf8")) as object;
    await writeFile(seat.account.kubeconfig, JSON.stringify({ ...config, "current-context": "" }));
    await writeFile(rest, JSON.stringify({ ...config, users: [], clusters: [], contexts: [] }));
    await seat.start({}, `/none/such:${rest}:${seat.account.kubeconfig}`);
    expect(await seat.run(action("true"))).toMatchObject({ status: "finished" });
  });

  test("gives the scripts of a pod the agent's proxies, and shows them in no Job", async () => {
    const seat = await givenExecutor(fleet);
    const proxy = "http://me:swordfish@proxy.example:3128";
    const proxies = { HTTPS_PROXY: proxy, NO_PROXY: "127.0.0.1" };
    await seat.start({}, seat.account.kubeconfig, proxies);
    const print = "echo out by $HTTPS_PROXY | rev; echo not for $NO_PROXY"; // logs hide passwords
    const job = await seat.run(action(print));
    expect(job).toMatchObject({ status: "finished" });
    const log = (await seat.logOf(job.id)).join("\n");
    expect(log).toContain(`${[...proxy].toReversed().join("")} yb tuo`);
    expect(log).toContain("not for 127.0.0.1,169.254.169.254");
    expect(JSON.stringify(await seat.jobs())).not.toContain("swordfish");
  });

  test("gives a pod the job's token alone, as a file, and nothing of the cluster", async () => {
    const seat = await givenExecutor(fleet);
    await seat.start({ "read-only": "yes" });
    const job = await seat.run(action("true"));
    expect(job).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "refused" } },
    });
    const [pod] = seat.kubelet.begun;
    expect(JSON.stringify([pod?.args, pod?.env])).not.toMatch(/svc_(?:job|rt)_/);
    expect(pod?.env["SVC_AGENT_READ_ONLY"]).toBe("yes");
    const [made] = await seat.jobs();
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
    const seat = await givenExecutor(fleet);
    await seat.start();
    const job = await seat.run(action(`echo done # ${"x".repeat(5 * 2 ** 20)}`));
    expect(job.status).toBe("finished");
  });

  test("has no more pods than it may have, whatever the slots are", async () => {
    const seat = await givenExecutor(fleet);
    await seat.start({ "executor-max-pods": "1" });
    const folder = await testFolder(0o777);
    const [one, two] = [heldScript(folder, "one"), heldScript(folder, "two")];
    const first = await seat.enqueue(one.job);
    await until(() => seat.kubelet.begun[0]?.printed().includes("waiting") === true);
    const second = await seat.enqueue(two.job);
    await two.release();
    // What concerns the agent needs no pod.
    expect((await seat.run({ type: "noop" })).status).toBe("finished");
    expect((await seat.job(second)).executions).toEqual([]);
    await one.release();
    expect((await seat.ended(first)).status).toBe("finished");
    expect((await seat.ended(second)).status).toBe("finished");
  });
});
