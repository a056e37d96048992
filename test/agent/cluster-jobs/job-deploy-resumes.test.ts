import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../../support/cluster/given-namespace.ts";
import { describeWithTools } from "../../support/describe-with-tools.ts";
import { givenResumableJob } from "../../support/given-resumable-job.ts";

describeWithTools(clusterTools, "a job-deploy that is taken up again", () => {
  test("is told as it ended, although its Job was deleted by then", async () => {
    const at = await givenNamespace();
    const { job, work } = await givenResumableJob(at, { keep: 0, env_vars: { A: "b" } });
    const first = await work().execute(job);
    expect(first.outputs).toMatchObject({ exit_code: 0 });
    expect(await at.kubectl(["get", "job", "-o", "name"])).toBe("");
    const again = await work().execute(job);
    expect(again).toEqual(first);
  }, 120_000);

  test("is told as it was given up, although its Job was deleted by then", async () => {
    const at = await givenNamespace();
    const annotations = { "svc.test/pod": "no-image" };
    const { job, work } = await givenResumableJob(at, { annotations });
    const given = { metadata: { class: "image_pull" } };
    await expect(work().execute(job)).rejects.toMatchObject(given);
    expect(await at.kubectl(["get", "job", "-o", "name"])).toBe("");
    await expect(work().execute(job)).rejects.toMatchObject(given);
  }, 120_000);

  test("whose Job is not there says that nobody knows how it ended", async () => {
    const at = await givenNamespace();
    const { job, done, work } = await givenResumableJob(at, {});
    await work().execute(job);
    done.delete("end");
    await at.kubectl(["delete", "job", "--all"]);
    await expect(work().execute(job)).rejects.toMatchObject({
      message: expect.stringMatching(/is gone: .*nobody knows how it ended\.$/) as string,
      metadata: { class: "gone" },
    });
  }, 120_000);
});

describeWithTools(clusterTools, "a job-deploy", () => {
  test("gives its Job the time that is left after it was approved", async () => {
    const at = await givenNamespace();
    const { job, work } = await givenResumableJob(at, {}, (key, its) => {
      if (key === "judged") its.deadlineAtMs -= 30_000_000;
    });
    await work().execute(job);
    const limit = "jsonpath={.items[0].spec.activeDeadlineSeconds}";
    const seconds = Number(await at.kubectl(["get", "job", "-o", limit]));
    expect(seconds).toBeLessThanOrEqual(6_060);
  }, 120_000);

  test("that could not delete its half-made Job says so, and tries again when it is cleaned up", async () => {
    const at = await givenNamespace();
    const jobs = { resources: ["jobs"], apiGroups: ["batch"] };
    const { kubeconfig } = await givenAccount(at, [{ verbs: ["create"], ...jobs }]);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const { job, work, said } = await givenResumableJob(at, { cluster_info, env_vars: { A: "b" } });
    const going = work();
    await expect(going.execute(job)).rejects.toMatchObject({ metadata: { class: "forbidden" } });
    expect(said.join("\n")).toMatch(
      /may be there all the same \(.*cannot get resource "jobs".*\): delete it by hand/,
    );
    expect(await at.kubectl(["get", "job", "-o", "name"])).toMatch(/^job\.batch\/job-/);
    const role = (await at.kubectl(["get", "role", "-o", "name"])).trim();
    const rules = [{ verbs: ["get", "delete"], resources: ["jobs"], apiGroups: ["batch"] }];
    await at.kubectl(["patch", role, "--type=merge", "-p", JSON.stringify({ rules })]);
    // The server takes a moment to see what is allowed now.
    await expect
      .poll(
        async () => {
          await going.cleanup?.(job).catch(() => {});
          return await at.kubectl(["get", "job", "-o", "name"]);
        },
        { timeout: 60_000 },
      )
      .toBe("");
  }, 120_000);
});
