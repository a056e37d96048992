import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenChart } from "../support/helm/given-helm.ts";
import { appliedEnd, diffEnd, givenOwnKubeconfig } from "../support/manifests/given-diffs.ts";
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

describe("svc helm", () => {
  test("makes plans of the chart, the values and the flags, and of nothing else", async () => {
    const [chart, kubeconfig] = [await givenChart(), await givenOwnKubeconfig({ token: "t" })];
    const key = path.join(await testFolder(), "key");
    await writeFile(key, "swordfish");
    const values = ["-f", "-", "--set", "level=1,list={a}", "--set-file", `password=${key}`];
    const flags = [
      "--create-namespace",
      "--skip-crds",
      "--take-ownership",
      "--storage-driver",
      "configmap",
    ];
    const words = ["helm", "diff", "web", chart, ...to, "--kubeconfig", kubeconfig];
    const [shown, { job, plan }] = await Promise.all([
      run([...words, ...values, ...flags], { input: "level: high" }),
      runner.next(diffEnd({ update: 1 })),
    ]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out + shown.err).not.toContain("swordfish");
    expect(job).toMatchObject({ type: "helm-chart-deploy", owner_id: "shop/web" });
    expect(plan).toEqual({
      helm: {
        cluster_info: { kube_config: expect.any(String) as string },
        name: "web",
        namespace: "shop",
        storage_driver: "configmap",
        source: { archive: expect.stringMatching(/^H4sI/) as string },
        values_files: ["level: high\n"],
        values: [
          { name: "level", value: "1" },
          { name: "list[0]", value: "a" },
          { name: "password", value: "swordfish", type: "string" },
        ],
        create_namespace: true,
        skip_crds: true,
        take_ownership: true,
      },
    });
  });

  test("finds charts elsewhere, with a login from a file", async () => {
    const login = path.join(await testFolder(), "login");
    await writeFile(login, "me:swordfish\n");
    const sent = async (...words: readonly string[]) => {
      const [, { plan }] = await Promise.all([
        run(["helm", "diff", "web", ...words, ...to]),
        runner.next(diffEnd({ update: 1 })),
      ]);
      return plan["helm"];
    };
    const auth = { username: "me", password: "swordfish" };
    const oci = await sent("oci://ghcr.io/acme/web", "--version", "1.2.3", "--login", login);
    expect(oci).toEqual({
      name: "web",
      source: { oci: { url: "ghcr.io/acme/web", tag: "1.2.3", auth } },
    });
    const repo = ["--repo", "https://charts.example.com", "--version", "2"];
    expect(await sent("nginx", ...repo, "--login", login)).toEqual({
      name: "web",
      chart: { repository: "https://charts.example.com", name: "nginx", version: "2", ...auth },
    });
  });

  test("goes by where the release stands, not by its diff alone", async () => {
    const chart = await givenChart();
    const words = ["helm", "upgrade", "web", chart, ...to];
    const none = { unchanged: 3 };
    const [calm] = await Promise.all([
      run(words),
      runner.next(diffEnd(none, { release: { revision: 2, status: "deployed" } })),
    ]);
    expect(calm).toMatchObject({ code: 0 });
    expect(calm.err).toContain("There is nothing to apply");
    const [anew, , second] = await Promise.all([
      run(["helm", "install", ...words.slice(2)], { input: "yes\n" }),
      runner.next(diffEnd(none, { release: { revision: 3, status: "failed" } })),
      runner.next(appliedEnd),
    ]);
    expect(anew).toMatchObject({ code: 0 });
    expect(second.job.operation).toBe("apply-plan");
  });

  test("refuses what cannot be sent before anything is asked of a runner", async () => {
    const chart = await givenChart();
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /Name the chart, or with --uninstall none/],
      [["bitnami/nginx"], /There is no chart bitnami\/nginx here\.\n.+--repo URL/],
      [[await testFolder()], /holds no chart: there is no Chart\.yaml in it/],
      [[path.join(chart, "values.yaml")], /is no chart: a folder is/],
      [[chart, "--version", "1"], /--version goes with --repo and oci:/],
      [[chart, "--set", "swordfish"], /--set takes NAME=VALUE/],
      [[chart, "-f", "/none.yaml"], /none\.yaml cannot be read \(ENOENT\)/],
    ];
    for (const [words, refusal] of refusals) {
      const refused = await run(["helm", "diff", "web", ...words, ...to]);
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toMatch(refusal);
      expect(refused.err).not.toContain("swordfish");
    }
    const asked = await run(["helm", "upgrade", "web", chart, ...to, "-f", "-"], { input: "a: b" });
    expect(asked).toMatchObject({ code: 2, out: "" });
    expect(asked.err).toContain("Give --auto-approve, or look with svc helm diff first");
  });
});
