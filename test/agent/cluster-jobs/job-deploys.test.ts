import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import type { EndedJob } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { givenClusterJobs, goesOn } from "../../support/cluster/given-cluster-jobs.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, givenPodLogs } from "../../support/cluster/given-namespace.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import { plannedDiff } from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

const everything = [{ verbs: ["*"], resources: ["*"], apiGroups: ["*"] }];

/** What programs are told of a failure. */
function toldBy({ status, result }: EndedJob) {
  const { error_metadata, composite_error, error_code } = result ?? {};
  return { status, ...error_metadata, code: error_code, composite: composite_error };
}

describeWithTools(clusterTools, "a job-deploy", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("runs an image once, with what it prints in the log and no secret anywhere", async () => {
    const { at, deploy, logOf, left } = await givenClusterJobs(fleet);
    const [secret, quiet] = ["hunter-2-of-the-database", "nobody-names-this-one"];
    const lines = Array.from({ length: 50 }, (_, nth) => `line ${nth}`);
    await givenPodLogs(at, [...lines, `connects with ${secret} and ${quiet}`]);
    const ended = await deploy({
      name: "migrate",
      cmd: ["/bin/migrate"],
      args: ["--all", "it's"],
      env_vars: { DB_PASSWORD: secret, MODE: "fast" },
      secret_env_vars: { OTHER: quiet },
      resources: { requests: { cpu: "10m" }, limits: { memory: "64Mi" } },
    });
    expect(ended.description).toMatch(/^Job test-\w+\/migrate-\w+ succeeded\.$/);
    expect(ended.outputs).toMatchObject({ namespace: at.name, exit_code: 0, node: "node" });
    const log = await logOf(ended.id);
    expect(log.filter((line) => line.startsWith("line "))).toEqual(lines);
    expect(log).toContain("connects with *** and ***");
    expect(log.join("\n")).toContain("It stays in the cluster for 1h");

    const text = await at.kubectl(["get", "job", "-o", "json"]);
    const { items } = JSON.parse(text) as { items: [{ spec: object }] };
    expect(items).toHaveLength(1);
    expect(items[0].spec).toMatchObject({
      backoffLimit: 0,
      ttlSecondsAfterFinished: 3_600,
      template: {
        metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } },
        spec: {
          automountServiceAccountToken: false,
          restartPolicy: "Never",
          containers: [
            {
              image: "registry.example/app:1",
              command: ["/bin/migrate"],
              args: ["--all", "it's"],
              resources: { limits: { memory: "64Mi" } },
            },
          ],
        },
      },
    });
    for (const value of [secret, quiet, "fast"]) expect(text).not.toContain(`"${value}"`);
    const [name = ""] = (await left()).filter((one) => one.startsWith("secret/"));
    const data = await at.kubectl(["get", name, "-o", "jsonpath={.data.DB_PASSWORD}"]);
    expect(Buffer.from(data, "base64").toString()).toBe(secret);
  });

  test("that ends badly says how, and a kept one of no use is deleted", async () => {
    const { deploy, left } = await givenClusterJobs(fleet);
    const annotations = { "svc.test/exit-code": "3" };
    const ended = await deploy({ annotations, env_vars: { A: "b" }, keep: 0 });
    expect(toldBy(ended)).toMatchObject({
      status: "failed",
      reason: "deploy_failed",
      class: "exit_code",
      code: 3,
      composite: { type: "deploy.exit_code", retryable: false, exit_code: 3 },
    });
    expect(ended.description).toMatch(
      /^Job .* failed: pod job-\w+-\w+: container main ended with code 3\. Job .* was deleted/,
    );
    expect(ended.outputs).toMatchObject({ exit_code: 3 });
    await expect.poll(left).toEqual([]);
  });

  const oom = { reason: "OOMKilled", exitCode: 137 };
  const killed: [string, object, RegExp][] = [
    [
      "oom",
      { containerStatuses: [{ name: "main", state: { terminated: oom } }] },
      /killed because it ran out of memory \(OOMKilled\)/,
    ],
    [
      "evicted",
      { reason: "Evicted", message: "The node was low on resource: memory." },
      /was evicted: The node was low/,
    ],
    [
      "node_lost",
      {
        conditions: [
          { type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" },
        ],
      },
      /its node was lost \(DeletionByTaintManager\)/,
    ],
  ];
  test.each(killed)("whose pod is killed says by what: %s", async (of, members, words) => {
    const { at, draft, enqueue, ended, running } = await givenClusterJobs(fleet);
    const id = await enqueue(draft(goesOn));
    const pod = await running();
    const status = JSON.stringify({ status: { phase: "Failed", ...members } });
    await at.kubectl(["patch", "pod", pod, "--subresource=status", "--type=merge", "-p", status]);
    const told = toldBy(await ended(id));
    expect(told).toMatchObject({ class: of, composite: { type: `deploy.${of}` } });
    expect(told.composite?.["detail"]).toMatch(words);
  });

  const hopeless: [string, object, RegExp][] = [
    ["image_pull", { annotations: { "svc.test/pod": "no-image" } }, /ImagePullBackOff \(Back-off/],
    [
      "unschedulable",
      { resources: { requests: { cpu: "9000" } }, start_timeout: 2e9 },
      /did not start within 2s: it fits on no node: 0\/1 nodes are available/,
    ],
    [
      "forbidden",
      { service_account: "nobody", start_timeout: 4e9 },
      /did not start within 4s: its pod cannot be created: .*"nobody" not found/,
    ],
  ];
  test.each(hopeless)("that cannot begin is given up and deleted: %s", async (of, job, words) => {
    const { deploy, left } = await givenClusterJobs(fleet);
    const ended = await deploy({ env_vars: { A: "b" }, ...job });
    expect(toldBy(ended)).toMatchObject({ class: of, composite: { type: `deploy.${of}` } });
    expect(ended.description).toMatch(words);
    await expect.poll(left).toEqual([]);
  });

  test("that is cancelled deletes its Job and its pods, and says so", async () => {
    const { draft, enqueue, operate, ended, running, left, logOf } = await givenClusterJobs(fleet);
    const id = await enqueue(draft({ ...goesOn, env_vars: { A: "b" } }));
    await running();
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    expect((await ended(id)).status).toBe("cancelled");
    const said = async (): Promise<string> => (await logOf(id)).join("\n");
    const words = /cancelled: Job .* was deleted with its pods\./;
    await expect.poll(said).toMatch(words);
    await expect.poll(left).toEqual([]);
  });

  test("that takes longer than the plan allows ends, by the job's time or the Job's own", async () => {
    const { deploy, left } = await givenClusterJobs(fleet);
    const late = await deploy(goesOn, { timeout: 3e9 });
    expect(late.status).toBe("timed-out");
    expect(late.description).toMatch(/^timed out after 3s: Job .* was deleted/);
    await expect.poll(left).toEqual([]);
    const own = await deploy({ ...goesOn, timeout: 2e9 });
    expect(toldBy(own)).toMatchObject({ status: "failed", class: "timeout" });
    expect(own.description).toMatch(/its own time limit was exceeded/);
  });

  test("is planned, run as approved, and torn down with all that it made", async () => {
    const { deploy, at, left } = await givenClusterJobs(fleet);
    const job = { name: "seed", env_vars: { API_KEY: "key-of-the-seeds" } };
    const ended = await deploy(job, {}, "create-apply-plan");
    const display = ended.result?.contents_display_gzip ?? "";
    const planned = {
      ...plannedDiff(ended),
      outputs: ended.outputs,
      display: JSON.parse(gunzipSync(Buffer.from(display, "base64")).toString()) as object,
    };
    expect(planned.diff).toMatchObject({ op: "apply", counts: { create: 1 } });
    expect(planned.diff.plan).toContain('"image": "registry.example/app:1"');
    expect(planned.diff.plan).not.toContain("key-of-the-seeds");
    expect(await left()).toEqual([]);

    const { apply_plan_contents } = planned;
    // Whoever sees outputs and display has nothing to try guesses of the value by.
    expect(planned.outputs["fingerprint"]).toMatch(/^[0-9a-f]{64}$/);
    expect(planned.diff).toHaveProperty("key");
    expect(planned.display).toMatchObject({ fingerprint: planned.outputs["fingerprint"] });
    expect(planned.display).not.toHaveProperty("key");

    const { kubeconfig } = await proxiedCluster((await givenAccount(at, everything)).kubeconfig);
    const elsewhere = { cluster_info: { kube_config: await readFile(kubeconfig, "utf8") } };
    const moved = await deploy({ ...job, ...elsewhere }, { apply_plan_contents }, "apply-plan");
    expect(toldBy(moved)).toMatchObject({ class: "plan_stale" });
    const other = { ...job, env_vars: { API_KEY: "another" } };
    const changed = await deploy(other, { apply_plan_contents }, "apply-plan");
    expect(toldBy(changed)).toMatchObject({ class: "plan_stale" });
    const applied = await deploy(job, { apply_plan_contents }, "apply-plan");
    expect(applied.status).toBe("finished");
    await deploy(job);
    await at.kubectl(["create", "job", "theirs", "--image=x"]);

    const down = plannedDiff(await deploy({}, {}, "create-teardown-plan"));
    expect(down.diff).toMatchObject({ op: "teardown", counts: { delete: 2 } });
    const contents = { apply_plan_contents: down.apply_plan_contents };
    const gone = await deploy({}, contents, "apply-plan");
    expect(gone.description).toBe("2 deleted.");
    const own = async (): Promise<string[]> =>
      (await left()).filter((name) => !name.includes("/theirs"));
    await expect.poll(own).toEqual([]);
    expect((await deploy({}, contents, "apply-plan")).description).toBe(
      "There was nothing to delete.",
    );
  });

  test("on an agent that only plans is planned and not run", async () => {
    const { deploy, left } = await givenClusterJobs(fleet, { "read-only": "yes" });
    expect((await deploy({}, {}, "create-apply-plan")).status).toBe("finished");
    expect(toldBy(await deploy({}))).toMatchObject({ reason: "refused", setting: "read-only" });
    expect(await left()).toEqual([]);
  });
});
