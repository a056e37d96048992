import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { until } from "../../../support/broker/given-polling.ts";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { givenExampleNamespace } from "../../../support/cluster/given-example-namespace.ts";
import { advanceClock } from "../../../support/database/clock.ts";
import { givenVendor } from "../../../support/deploys/given-vendor.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { runTool } from "../../../support/programs/run-tool.ts";
import { nowOf } from "../../../support/queues/emitting.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { tool } from "../../../tools/find-tool.ts";

type Run = { readonly trigger_type: string; readonly status: string; readonly outputs: object };
type Found = { readonly id: string; readonly type: string; readonly status: { status: string } };

const tools = [...clusterTools, "buildah", "crane"];

describeWithTools(tools, "the example actions-and-runbooks", () => {
  test("is provisioned, looked after by its actions, upgraded, switched, rolled back and taken away", async () => {
    vi.stubEnv("PATH", [path.dirname(tool("kubectl")), process.env["PATH"]].join(":"));
    const { kubectl, kubeconfig } = await givenExampleNamespace("care");
    const env = { KUBECONFIG: kubeconfig };
    const vendor = await givenVendor({ example: "actions-and-runbooks", env });
    const { run, done, call } = vendor;
    const { db } = vendor.fleet;
    const folder = path.join(await testFolder(), "backups");
    // A vendor may have a mirror of what images begin with, or begin with nothing.
    await vendor.edit("components/web.toml", (text) =>
      text.replace(/^BASE = .*$/m, 'BASE = "scratch"'),
    );
    const first = await vendor.sync();
    const { id, provisioned } = await vendor.install("acme", { folder });
    const runsOf = async (name: string) =>
      (await call<Run[]>(`GET /v1/installs/${id}/actions/runs?name=${name}`)).map(
        ({ trigger_type: trigger, status }) => `${trigger}: ${status}`,
      );
    const health = async () => {
      const { composite_health_status: status } = await call<{ composite_health_status: string }>(
        `GET /v1/installs/${id}`,
      );
      return status;
    };
    // No tick of the day comes in between.
    const schedules = JSON.parse(await run("emitter list -o json")) as { items: Found[] };
    const switchAll = async (how: string) => {
      for (const emitter of schedules.items) await run(`emitter ${how} ${emitter.id}`);
    };
    await switchAll("pause");
    const deployed = [
      "sync web: success",
      "sync and plan site: approved",
      "apply site: success",
      "health action run (post-deploy-component): success",
    ];
    expect(stepsOf(provisioned)).toEqual(deployed);
    await vendor.expectTold(provisioned);
    expect([await health(), await runsOf("health")]).toEqual([
      "healthy",
      ["post-deploy-component: finished"],
    ]);
    expect(JSON.parse(await run("action outputs acme health"))).toMatchObject({ ready: "2" });

    // What runs there is what was built: with the Secret's contents it is pulled, as a node would.
    const jsonpath = (what: string, of: string) => ["get", what, "-o", `jsonpath={${of}}`];
    const image = async () =>
      await kubectl(jsonpath("deployment/web", ".spec.template.spec.containers[0].image"));
    const page = async (): Promise<string> => {
      const docker = await testFolder();
      const named = jsonpath("deployment/web", ".spec.template.spec.imagePullSecrets[0].name");
      const login = await kubectl(jsonpath(`secret/${await kubectl(named)}`, ".data.*"));
      await writeFile(path.join(docker, "config.json"), Buffer.from(login, "base64"));
      const given = { env: { DOCKER_CONFIG: docker } };
      const tar = await runTool("crane", ["export", "--insecure", await image(), "-"], given);
      return /Opening hours: [\d to]+/.exec(tar)?.[0] ?? tar;
    };
    expect(await page()).toBe("Opening hours: 8 to 16");
    const old = await image();

    // By hand, once somebody has approved it.
    const put = await done("action run acme notice --env TEXT=Closed --no-wait -o json");
    expect(stepsOf(put)).toEqual([
      "approve notice: approved",
      "notice action run (manual): success",
    ]);
    await vendor.expectTold(put);
    expect(await kubectl(jsonpath("configmap/notice", ".data"))).toContain("Closed");

    // The next version: what runs the image follows it, and is looked at again.
    await vendor.edit("web/pages/index.html", (text) => text.replace("8 to 16", "7 to 19"));
    await vendor.sync();
    const upgraded = await done("install update-config acme");
    expect(stepsOf(upgraded)).toEqual([...deployed, "apply the config: success"]);
    await vendor.expectTold(upgraded);
    expect(await page()).toBe("Opening hours: 7 to 19");

    // Somebody stops it by hand. A night goes by: a backup, a look for drift, and a look at its health.
    await kubectl(["scale", "deployment/web", "--replicas=0"]);
    await until(
      async () => (await kubectl(jsonpath("deployment/web", ".status.readyReplicas"))) === "",
    );
    const workflows = async () =>
      (JSON.parse(await run("workflow list -o json")) as { items: Found[] }).items;
    const before = new Set((await workflows()).map((one) => one.id));
    await switchAll("resume");
    const night = await secondsOfNight(db);
    const beats = await db<{ id: string }[]>`select process_id as id from runner_process_beats`;
    await advanceClock(db, `${night} seconds`, { alive: beats.map((beat) => beat.id) });
    const ofNight = async () =>
      (await workflows())
        .filter((one) => !before.has(one.id))
        .map(({ type, status: { status } }) => `${type}: ${status}`)
        .toSorted();
    await until(async () => {
      const all = await ofNight();
      return all.length === 3 && all.every((one) => !/: (?:pending|in-progress)$/.test(one));
    });
    expect(await ofNight()).toEqual([
      "action_workflow_run: failed-pending-retry",
      "action_workflow_run: success",
      "drift_run: success",
    ]);
    await advanceClock(db, `-${night} seconds`);
    await vendor.fleet.broker.broker.clock.learn(() => nowOf(db)); // what it hands out next is of today again
    expect(await health()).toBe("degraded");
    expect((await runsOf("health"))[0]).toBe("cron: error");
    expect(await runsOf("backup")).toEqual(["cron: finished"]);
    expect(await readFile(path.join(folder, "cron.json"), "utf8")).toContain("Closed");
    expect(await run("install drift acme")).toMatch(/^site: 1 changed \(dep_\w+\)\n$/);

    // A deploy puts it right.
    const repaired = await done("deploy acme site --no-wait -o json");
    expect(stepsOf(repaired)).toEqual(deployed.slice(1));
    expect([await health(), await run("install drift acme")]).toEqual(["healthy", ""]);

    // Off: not without a backup. On: it is looked at again.
    const off = await done("install toggle acme site off --no-wait -o json");
    expect(stepsOf(off)).toEqual([
      "backup action run (pre-disable-component): success",
      "plan teardown site: approved",
      "teardown site: success",
    ]);
    const objects = async () => await kubectl(["get", "deployment,service,ingress", "-o", "name"]);
    expect(await objects()).toBe("");
    const on = await done("install toggle acme site on --no-wait -o json");
    expect(stepsOf(on)).toEqual(deployed.slice(1));

    // The upgrade is taken back.
    const back = await done(`install update-config acme --config ${first}`);
    expect(stepsOf(back)).toEqual([...deployed, "apply the config: success"]);
    expect([await image(), await page()]).toEqual([old, "Opening hours: 8 to 16"]);

    const gone = await done("install deprovision acme --yes");
    expect(stepsOf(gone)).toEqual([
      "backup action run (pre-deprovision): success",
      "plan teardown site: approved",
      "teardown site: success",
      "teardown web: success",
    ]);
    await vendor.expectTold(gone);
    expect(await objects()).toBe("");
    expect((await readdir(folder)).toSorted()).toEqual([
      "cron.json",
      "pre-deprovision.json",
      "pre-disable-component.json",
    ]);
  });
});

/** Seconds until it is four in the morning, a whole night from now. */
async function secondsOfNight(db: Parameters<typeof nowOf>[0]): Promise<number> {
  const now = await nowOf(db);
  const then = new Date(now);
  then.setUTCHours(4, 0, 0, 0);
  const seconds = (then.getTime() - now.getTime()) / 1000;
  return Math.ceil(seconds > 4 * 3600 ? seconds : seconds + 86_400);
}
