import { mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { appliedEnd, diffEnd, givenOwnKubeconfig } from "../support/manifests/given-diffs.ts";
import { configMap } from "../support/manifests/given-manifests.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { type PlayedRunner, playRunner } from "../support/programs/played-runner.ts";
import { svc, type SvcOptions } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
let runner: PlayedRunner;
let to: readonly string[];
beforeAll(async () => {
  cli = await startCommandLine();
  runner = await playRunner(cli);
  to = ["--runner", cli.runner.runnerId];
});

const run = async (words: readonly string[], options: SvcOptions = {}) =>
  await svc(words, { env: { SVC_URL: cli.url, SVC_TOKEN: cli.token }, ...options });

async function givenManifest(): Promise<string> {
  const folder = await testFolder();
  await writeFile(path.join(folder, "a.yaml"), configMap("a", {}));
  await mkdir(path.join(folder, "inner"));
  await writeFile(path.join(folder, "inner", "b.json"), configMap("b", {}));
  return folder;
}

describe("svc manifest", () => {
  test("makes plans of the files, one context and the flags, and of nothing else", async () => {
    const folder = await givenManifest();
    const kubeconfig = await givenOwnKubeconfig({ token: "swordfish-token" });
    const flags = [
      "--name",
      "shop/web",
      "--prune",
      "--force-conflicts",
      "--no-wait",
      "--timeout",
      "90s",
    ];
    const words = ["manifest", "diff", folder, "-R", ...to, "--kubeconfig", kubeconfig, ...flags];
    const [shown, { job, plan }] = await Promise.all([
      run([...words, "--delete-kind", "Namespace"]),
      runner.next(diffEnd({ update: 1 })),
    ]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toBe("~ ConfigMap shop/hello (update)\n\nPlan: 1 to update.\n");
    expect(shown.out + shown.err).not.toContain("swordfish");
    expect(job).toMatchObject({
      type: "kubernetes-manifest-deploy",
      operation: "create-apply-plan",
      owner_type: "svc-manifest",
      owner_id: "shop/web",
    });
    const { kubernetes_manifest: sent } = plan as { kubernetes_manifest: Record<string, unknown> };
    expect(Object.keys(plan)).toEqual(["kubernetes_manifest"]);
    expect(sent).toEqual({
      cluster_info: { kube_config: expect.stringContaining("swordfish-token") as string },
      source: { archive: expect.stringMatching(/^H4sI/) as string },
      files: ["a.yaml", "inner/b.json"],
      inventory: "shop/web",
      prune: true,
      force_conflicts: true,
      delete_kinds: ["Namespace"],
      wait: false,
      timeout: 90e9,
    });
  });

  test("applies after a yes what was shown, and tells programs of it", async () => {
    const folder = await givenManifest();
    const words = ["manifest", "apply", folder, ...to, "-n", "shop", "-o", "json"];
    const [done, first, second] = await Promise.all([
      run(words, { input: "yes\n" }),
      runner.next(diffEnd({ update: 1 })),
      runner.next(appliedEnd),
    ]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.err).toContain("~ ConfigMap shop/hello (update)");
    expect(JSON.parse(done.out)).toMatchObject({ id: second.job.id, outputs: { updated: 1 } });
    expect(second.job.operation).toBe("apply-plan");
    expect(second.plan).toEqual({
      ...first.plan,
      apply_plan_contents: expect.stringMatching(/^H4sI/) as string,
    });
    const [calm] = await Promise.all([run(words), runner.next(diffEnd({ unchanged: 1 }))]);
    expect(calm.code).toBe(0);
    expect(JSON.parse(calm.out)).toMatchObject({ plan: { counts: { unchanged: 1 } } });
    const [inTheWay] = await Promise.all([run(words), runner.next(diffEnd({ conflict: 1 }))]);
    expect(inTheWay.code).toBe(1);
    expect(inTheWay.err).toContain("--force-conflicts");
  });

  test("takes a kustomization, and what lies in git or a registry", async () => {
    const folder = await testFolder();
    await writeFile(path.join(folder, "kustomization.yaml"), "resources: []\n");
    const sent = async (...words: readonly string[]) => {
      const [, { plan }] = await Promise.all([
        run(["manifest", "diff", ...words, ...to]),
        runner.next(diffEnd({ unchanged: 1 })),
      ]);
      return plan["kubernetes_manifest"];
    };
    const how = ["--enable-helm", "--load-restrictor", "LoadRestrictionsNone"];
    expect(await sent("-k", folder, ...how)).toEqual({
      source: { archive: expect.stringMatching(/^H4sI/) as string },
      kustomize: { path: path.basename(folder), enable_helm: true, load_restrictor: "none" },
      prune: false,
    });
    expect(await sent("oci://ghcr.io/acme/app:v1")).toEqual({
      source: { oci: { url: "ghcr.io/acme/app:v1" } },
      prune: false,
    });
    expect(await sent("-k", "git::https://example.com/app.git//k8s?ref=v1")).toEqual({
      source: { git: { url: "https://example.com/app.git", ref: "v1", path: "k8s" } },
      kustomize: {},
      prune: false,
    });
  });

  test("refuses what cannot be sent before anything is asked of a runner", async () => {
    const folder = await givenManifest();
    const exec = await givenOwnKubeconfig({ exec: { command: "aws" } });
    const unreadable = await givenOwnKubeconfig({ "client-key": "none.key" });
    const kustomization = await testFolder();
    await writeFile(path.join(kustomization, "kustomization.yaml"), "");
    const greedy = await testFolder();
    const named = path.relative(await realpath(greedy), await realpath(exec));
    await writeFile(path.join(greedy, "kustomization.yaml"), `resources: [${named}]\n`);
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /PATH is missing/],
      [["/none"], /^There is no file or folder \/none here\.$/m],
      [[kustomization], /is a kustomization: name it with -k/],
      [["-k", folder], /is no kustomization/],
      [["-k", greedy], /outside of that folder[^]+--load-restrictor LoadRestrictionsNone/],
      [["-k", greedy, "--load-restrictor", "LoadRestrictionsRootOnly"], /outside of that folder/],
      [["https://example.com/a.yaml"], /is no address that can be sent/],
      [["-", "-f", "-"], /can be read once only/],
      [[folder, "--prune"], /--prune needs --name/],
      [[folder, "--name", "a b"], /--name may have letters/],
      [[folder, "--timeout", "soon"], /--timeout must be a duration/],
      [
        [folder, "--kubeconfig", exec],
        /prod of .+ cannot be sent: it signs in by a program of this machine \(aws\)/,
      ],
      [
        [folder, "--kubeconfig", exec, "--context", "x"],
        /There is no context x in .+\nThere are: prod\./,
      ],
      [[folder, "--kubeconfig", unreadable], /names the file .+none\.key, which cannot be read/],
    ];
    for (const [words, refusal] of refusals) {
      const refused = await run(["manifest", "diff", ...words, ...to]);
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toMatch(refusal);
    }
    const empty = await run(["manifest", "apply", "-", ...to, "--auto-approve"], { input: " \n" });
    expect(empty.err).toBe("Standard input holds no manifest.\n");
    const job = await run(["manifest", "apply", "--job", "job_x", "-n", "shop"]);
    expect(job.err).toContain("--namespace does not go with --job");
  });
});
