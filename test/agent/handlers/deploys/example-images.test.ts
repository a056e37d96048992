import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../support/broker/given-polling.ts";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { givenNamespace } from "../../../support/cluster/given-namespace.ts";
import { givenVendor } from "../../../support/deploys/given-vendor.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { runTool } from "../../../support/programs/run-tool.ts";
import { startCloudRegistries } from "../../../support/registry/start-cloud-registries.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";

type Shown = { readonly image?: { readonly digest: string; readonly repository: string } };
type Part = { readonly image_update?: { readonly status: string; readonly looking: boolean } };
type Listed = { readonly items: readonly { readonly id: string }[] };

const ecr = "111122223333.dkr.ecr.eu-central-1.amazonaws.com";
const gar = "europe-west1-docker.pkg.dev";
const acr = "acme.azurecr.io";
const worker = "acme/images/worker";

const tools = [...clusterTools, "registry", "moto_server", "crane"];

describeWithTools(tools, "the example private-images", () => {
  test("is taken from four registries, deployed by digest, followed, rolled back and taken away", async () => {
    const clouds = await startCloudRegistries();
    const digests = {
      api: await clouds.push(ecr, "acme/api", "1.4.0"),
      worker: await clouds.push(gar, worker, "1.4.1"),
      reports: await clouds.push(acr, "reports", "1.4.0"),
      tools: await clouds.push("registry-1.docker.io", "library/alpine", "3.22"),
    };
    for (const tag of ["1.4.0", "1.5.0"]) await clouds.push(gar, worker, tag);
    const at = await givenNamespace();
    const vendor = await givenVendor({
      example: "private-images",
      settings: { "ca-file": clouds.caFile },
      env: { KUBECONFIG: at.kubeconfig },
      builderEnv: clouds.env,
    });
    const { run, done, call } = vendor;
    const first = await vendor.sync();
    const { id, provisioned } = await vendor.install("acme");
    const deployed = [
      "sync api: success",
      "sync reports: success",
      "sync tools: success",
      "sync worker: success",
      "sync and plan seed: approved",
      "apply seed: success",
    ];
    expect(stepsOf(provisioned)).toEqual(deployed);
    await vendor.expectTold(provisioned);
    const images = async () => {
      const state = await call<{ components: Record<string, Shown> }>(
        `GET /v1/installs/${id}/state`,
      );
      return state.components;
    };
    const seen = async () => {
      const all = await images();
      return Object.fromEntries(
        Object.keys(digests).map((name) => [name, all[name]?.image?.digest]),
      );
    };
    expect(await seen()).toEqual(digests);
    expect(JSON.parse(await run("install outputs acme seed"))).toMatchObject({ exit_code: 0 });

    // The cluster pulls the copy, by the login that the job's Secret has, and nothing of a cloud.
    const pulls = async (name: keyof typeof digests): Promise<string> => {
      const folder = await testFolder();
      const data = ["get", "secret", "-o", "jsonpath={.items[*].data.\\.dockerconfigjson}"];
      const config = Buffer.from(await at.kubectl(data), "base64");
      await writeFile(path.join(folder, "config.json"), config);
      const { repository = "", digest = "" } = (await images())[name]?.image ?? {};
      const copy = [`--insecure`, `${repository}@${digest}`];
      return (
        await runTool("crane", ["digest", ...copy], { env: { DOCKER_CONFIG: folder } })
      ).trim();
    };
    expect(await pulls("api")).toBe(digests.api);
    expect(await pulls("reports")).toBe(digests.reports);

    // A newer worker is found and built; nobody gets it unasked.
    const newer = await clouds.push(gar, worker, "1.4.2");
    const look = async (name: string): Promise<string | undefined> => {
      const { items } = JSON.parse(await run("emitter list -o json")) as Listed;
      await run(`emitter fire ${items[0]?.id ?? ""}`);
      const update = async () =>
        (JSON.parse(await run(`component get private-images ${name} -o json`)) as Part)
          .image_update;
      await until(
        async () => !["pending", "current"].includes((await update())?.status ?? "pending"),
      );
      return (await update())?.status;
    };
    expect(await look("worker")).toBe("new");
    expect(await seen()).toEqual(digests);
    const followed = await done("install update-config acme");
    expect(stepsOf(followed)).toEqual([
      "sync worker: success",
      "sync and plan seed: auto-skipped",
      "apply seed: auto-skipped",
      "apply the config: success",
    ]);
    expect(await seen()).toEqual({ ...digests, worker: newer });

    // Google refuses: the build says so, and what is deployed stays.
    clouds.refused.add("iamcredentials.googleapis.com");
    await expect(run("component build private-images worker --force")).rejects.toThrow(
      /Google gives no token of the account pull@acme.iam.gserviceaccount.com/,
    );
    clouds.refused.clear();

    // The next version: another image of AWS, and reports are read by an application with a secret of the app.
    const api = await clouds.push(ecr, "acme/api", "1.5.0");
    await vendor.edit("components/images/api.toml", (text) => text.replace("1.4.0", "1.5.0"));
    const reports = await clouds.push(acr, "reports", "1.4.7");
    await vendor.edit("components/images/reports.toml", (text) =>
      text
        .replace('tag = "1.4.0"', 'update_policy = "~1.4.0"')
        .concat('tenant_id = "tenant"\nclient_id = "reader"\nclient_secret_name = "acr_reader"\n'),
    );
    const [app] = await call<{ id: string }[]>("GET /v1/apps");
    await call(`POST /v1/apps/${app?.id ?? ""}/secrets`, {
      name: "acr_reader",
      value: clouds.reader.secret,
    });
    expect([...clouds.signedIn]).toEqual(["client"]);
    await vendor.sync();
    const upgraded = await done("install update-config acme");
    const changed = [
      "sync api: success",
      "sync reports: success",
      "sync and plan seed: approved",
      "apply seed: success",
      "apply the config: success",
    ];
    expect(stepsOf(upgraded)).toEqual(changed);
    await vendor.expectTold(upgraded);
    expect([...clouds.signedIn]).toEqual(["client", "reader"]);
    expect(await seen()).toEqual({ ...digests, api, reports, worker: newer });
    const latest = await clouds.push(acr, "reports", "1.4.8");
    expect(await look("reports")).toBe("new");
    expect(latest).not.toBe(reports);

    const back = await done(`install update-config acme --config ${first}`);
    expect(stepsOf(back)).toEqual(changed);
    expect(await seen()).toEqual({ ...digests, worker: newer });

    const gone = await done("install deprovision acme --yes");
    expect(stepsOf(gone)).toEqual([
      "plan teardown seed: approved",
      "teardown seed: success",
      "teardown worker: success",
      "teardown tools: success",
      "teardown reports: success",
      "teardown api: success",
    ]);
    await vendor.expectTold(gone);
    const left = await at.kubectl(["get", "job,secret,pod", "-o", "name"]);
    expect(left.trim()).toBe("");

    const told = [await run("build list -o json"), await run("workflow list -o json")].join();
    for (const secret of clouds.secrets) expect(told).not.toContain(secret);
  });
});
