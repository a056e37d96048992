import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import {
  configMap,
  deploysOf,
  givenManifests,
  manifestOf,
  plannedDiff,
} from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;
const late = 240_000;

const level = ["get", "configmap", "a", "-o", "jsonpath={.data.level}"];
const patched = (members: object): string[] =>
  ["patch", "configmap", "a", "--type=merge", "-p"].concat(JSON.stringify(members));

/** A folder in which jobs are approved. */
async function givenFolder() {
  const folder = await testFolder(0o700);
  const file = (id: string, end: string): string => path.join(folder, `${id}.${end}`);
  return {
    settings: { "require-approval": folder },
    /** Resolves with what is shown, once somebody is asked. */
    asked: async (id: string): Promise<string> => {
      await until(() => existsSync(file(id, "request.json")));
      return await readFile(file(id, "request.json"), "utf8");
    },
    say: async (id: string, answer: "yes" | "no") => await writeFile(file(id, answer), ""),
  };
}

describeWithTools(clusterTools, "a manifest that somebody has to approve", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test(
    "is not applied when the cluster was changed while the answer was awaited",
    async () => {
      const folder = await givenFolder();
      const { draft, enqueue, ended, at, names } = await givenManifests(fleet, folder.settings);
      await at.kubectl(["create", "configmap", "a", "--from-literal=level=1"]);
      const manifest = manifestOf(configMap("a", { more: "1" }), configMap("b", {}));
      const id = await enqueue(draft("exec", { manifest }));
      expect(await folder.asked(id)).toContain("data.more: (none) ->");
      await at.kubectl(patched({ data: { more: "theirs" } }));
      await folder.say(id, "yes");
      const refused = await ended(id);
      expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      expect(refused.description).toContain("not what was shown for approval");
      expect(await names("configmap")).toEqual(["a"]);
    },
    late,
  );

  test(
    "is applied when what was changed meanwhile is no part of what was shown",
    async () => {
      const folder = await givenFolder();
      const { draft, enqueue, ended, at } = await givenManifests(fleet, folder.settings);
      await at.kubectl(["create", "configmap", "a", "--from-literal=other=1"]);
      const id = await enqueue(draft("exec", { manifest: configMap("a", { level: "2" }) }));
      await folder.asked(id);
      await at.kubectl(patched({ data: { other: "2" } }));
      await folder.say(id, "yes");
      expect((await ended(id)).description).toBe("1 updated.");
      expect(await at.kubectl(level)).toBe("2");
    },
    late,
  );

  test(
    "is shown as the cluster has it, whatever the plan says of its changes",
    async () => {
      const folder = await givenFolder();
      const { deploy, draft, enqueue, ended, at } = await givenManifests(fleet, folder.settings);
      await at.kubectl(["create", "configmap", "a", "--from-literal=other=1"]);
      const given = { manifest: configMap("a", { level: "2" }) };
      const { diff } = plannedDiff(await deploy("create-apply-plan", given));
      const harmless = { action: "unchanged", changes: [] };
      const content_diff = diff.content_diff.map((change) => ({ ...change, ...harmless }));
      const forged = gzipSync(JSON.stringify({ ...diff, content_diff })).toString("base64");
      const id = await enqueue(draft("apply-plan", given, { apply_plan_contents: forged }));
      expect(await folder.asked(id)).toContain("data.level: (none) ->");
      await folder.say(id, "yes");
      expect((await ended(id)).description).toBe("1 updated.");
    },
    late,
  );

  test(
    "is not applied when the cluster was changed while no agent was there",
    async () => {
      const folder = await givenFolder();
      const { first, kill, again, ...runner } = await givenKillableAgent(fleet, folder.settings);
      const { draft, enqueue, ended, at } = await deploysOf(runner);
      await at.kubectl(["create", "configmap", "a", "--from-literal=level=1"]);
      const id = await enqueue(
        draft("exec", { manifest: configMap("a", { level: "2" }), force_conflicts: true }),
      );
      await folder.asked(id);
      await kill(first);
      await at.kubectl(patched({ data: { level: "3" } }));
      await folder.say(id, "yes");
      await again();
      const refused = await ended(id);
      expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      expect(await at.kubectl(level)).toBe("3");
    },
    late,
  );
});

describeWithTools(clusterTools, "an approved plan of which nothing has changed", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test(
    "is applied without asking about its objects again, and another one is asked about",
    async () => {
      const { deploy, at } = await givenManifests(fleet);
      const { kubeconfig, proxy } = await proxiedCluster(at.kubeconfig);
      let heard = 0;
      const dryRuns = (): string[] => {
        const seen = proxy.seen(({ path: asked }) => asked.includes("dryRun=All")).slice(heard);
        heard += seen.length;
        return seen.map(({ path: asked }) => /configmaps\/([^?]*)/.exec(asked)?.[1] ?? "");
      };
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
      const given = {
        cluster_info: { kube_config: await readFile(kubeconfig, "utf8") },
        manifest: manifestOf(
          configMap("a", { level: "1" }),
          configMap("b", { word: "swordfish-one-1" }),
          JSON.stringify({ ...secret, stringData: { key: "swordfish-one-1" } }),
        ),
      };
      const plan = async (manifest: object): Promise<{ apply_plan_contents: string }> => {
        const { apply_plan_contents } = plannedDiff(await deploy("create-apply-plan", manifest));
        return { apply_plan_contents };
      };
      const made = await plan(given);
      expect(dryRuns()).toHaveLength(3);
      expect((await deploy("apply-plan", given, made)).description).toBe("3 created.");
      expect(dryRuns()).toEqual([]);

      const second = { ...given, manifest: given.manifest.replace('"1"', '"2"') };
      const changed = await plan(second);
      dryRuns();
      await at.kubectl(["annotate", "configmap", "b", "by=others"]);
      const applied = await deploy("apply-plan", second, changed);
      expect(applied.description).toBe("1 updated, 2 unchanged.");
      expect(dryRuns()).toEqual(["b"]);

      const third = { ...given, manifest: given.manifest.replace('"1"', '"3"') };
      const stale = await plan(third);
      await at.kubectl(["delete", "secret", "s"]);
      const refused = await deploy("apply-plan", third, stale);
      expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      expect(await at.kubectl(level)).toBe("2");
    },
    late,
  );
});
