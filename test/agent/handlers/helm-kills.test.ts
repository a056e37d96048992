import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { heldHelm } from "../../support/helm/held-helm.ts";
import { plannedDiff } from "../../support/manifests/given-manifests.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

describeWithTools([...clusterTools, "helm"], "helm under an agent that is killed", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test("runs on, and the next agent tells how it ended", async () => {
    const files = { "allow-file-sources": "yes" };
    const { first, kill, again, ...runner } = await givenKillableAgent(fleet, files);
    const { draft, at, enqueue, ended, job } = await releasesOf(runner);
    const helm = { source: { path: await givenChart() }, values_override: "nowhere: true" };
    const id = await enqueue(draft("exec", helm));
    const isThere = async (): Promise<string> =>
      await at.kubectl(["get", "deployments", "-o", "name"]);
    await expect.poll(isThere).toContain("app-web");
    await kill(first); // while helm waits
    const anywhere = [{ op: "remove", path: "/spec/template/spec/nodeSelector" }];
    await at.kubectl([
      "patch",
      "deployment",
      "app-web",
      "--type=json",
      "-p",
      JSON.stringify(anywhere),
    ]);
    await again();
    const end = await ended(id);
    expect(end.description).toBe("app is installed: revision 1.");
    expect(end.outputs).toMatchObject({ revision: 1, status: "deployed" });
    expect((await job(id)).executions).toHaveLength(1);
  });

  test.each([
    ["before the chart is rendered", "before", "upgrade*--dry-run*", "upgrade"],
    ["after the chart was rendered", "after", "upgrade*--dry-run*", "upgrade"],
    ["before the release is upgraded", "before", "upgrade*--wait*", "upgrade"],
    ["after the release was upgraded", "after", "upgrade*--wait*", "upgrade"],
    ["before the release is rolled back", "before", "rollback*", "fail"],
    ["after the release was rolled back", "after", "rollback*", "fail"],
    ["before the release is uninstalled", "before", "uninstall*", "uninstall"],
    ["after the release was uninstalled", "after", "uninstall*", "uninstall"],
  ] as const)(
    "%s does what was begun once, and leaves nothing pending",
    async (_, when, pattern, what) => {
      const held = await heldHelm(when, pattern);
      const files = { "allow-file-sources": "yes" };
      const given = await givenKillableAgent(fleet, files);
      const runner = await releasesOf(given);
      const { first, kill, again, draft, at, enqueue, ended, release } = runner;
      const helm = { source: { path: await givenChart() } };
      // By hand, so that it is the job's own call of helm that is held.
      const install = ["upgrade", "--install", "app", helm.source.path, "--namespace", at.name];
      await runTool("helm", install, { env: { KUBECONFIG: at.kubeconfig } });
      const approved =
        what === "uninstall" ? plannedDiff(await release("create-teardown-plan", helm)) : undefined;
      const { apply_plan_contents } = approved ?? {};
      const plans = {
        upgrade: draft("exec", { ...helm, values_files: ["high.yaml"] }),
        fail: draft("exec", { ...helm, values_override: "nowhere: true", timeout: 3e9 }),
        uninstall: draft("apply-plan", helm, { apply_plan_contents }),
      };
      const id = await enqueue(plans[what]);
      await held.isHeld();
      await kill(first);
      await held.release();
      await again();
      const { description } = await ended(id);
      const ends = {
        upgrade: /^app is upgraded: revision 2\.$/,
        fail: /It was rolled back to revision 1\.$/,
        uninstall: /^app is uninstalled\.$/,
      };
      expect(description).toMatch(ends[what]);
      const labels = ["-l", "owner=helm", "-o", "jsonpath={.items[*].metadata.labels.status}"];
      const left = {
        upgrade: "superseded deployed",
        fail: "superseded failed deployed",
        uninstall: "",
      };
      expect(await at.kubectl(["get", "secrets", ...labels])).toBe(left[what]);
    },
  );

  test.each([
    ["before its diff was judged", "after", "upgrade*--disable-openapi-validation*", "exec"],
    ["after a yes was given to its diff", "none", "", "asked"],
  ] as const)(
    "%s is followed by an agent that upgrades nothing that somebody else has upgraded since",
    async (_, when, pattern, what) => {
      const held = when === "none" ? undefined : await heldHelm(when, pattern);
      const folder = await testFolder(0o700);
      const asking = what === "asked" ? { "require-approval": folder } : {};
      const settings = { "allow-file-sources": "yes", ...asking };
      const { first, kill, again, ...given } = await givenKillableAgent(fleet, settings);
      const { at, release, draft, enqueue, ended, job } = await releasesOf(given);
      const helm = { source: { path: await givenChart() }, values_files: ["high.yaml"] };
      const env = { KUBECONFIG: at.kubeconfig };
      const install = ["upgrade", "--install", "app", helm.source.path, "--namespace", at.name];
      await runTool("helm", install, { env });
      const { apply_plan_contents } = plannedDiff(await release("create-apply-plan", helm));
      const id = await enqueue(draft("apply-plan", helm, { apply_plan_contents }));
      if (held === undefined) {
        await until(() => existsSync(path.join(folder, `${id}.request.json`)));
      } else await held.isHeld();
      await kill(first);
      await held?.release();
      await runTool("helm", [...install, "--set", "level=theirs"], { env });
      await writeFile(path.join(folder, `${id}.yes`), "");
      await again();
      const refused = await ended(id);
      expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      const level = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
      expect(await at.kubectl(level)).toBe("theirs");
      expect((await job(id)).executions).toHaveLength(1);
    },
  );

  test("is told to stop when the job is cancelled, and leaves no release that is stuck", async () => {
    const files = { "allow-file-sources": "yes" };
    const { first, ...runner } = await givenKillableAgent(fleet, files);
    const { draft, at, enqueue, ended, operate, release } = await releasesOf(runner);
    expect(first.pid).toBeGreaterThan(0);
    const helm = { source: { path: await givenChart() } };
    const id = await enqueue(draft("exec", { ...helm, values_override: "nowhere: true" }));
    const isThere = async (): Promise<string> =>
      await at.kubectl(["get", "deployments", "-o", "name"]);
    await expect.poll(isThere).toContain("app-web");
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    expect((await ended(id)).status).toBe("cancelled");
    const next = await release("exec", helm);
    expect(next.description).toMatch(/^app is (?:installed|upgraded): revision \d\.$/);
  });
});
