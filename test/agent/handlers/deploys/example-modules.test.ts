import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../support/broker/given-polling.ts";
import { givenVendor } from "../../../support/deploys/given-vendor.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { givenProviders, providerTools } from "../../../support/terraform/given-providers.ts";

const subnets = ["10.0.0.0/24", "10.0.1.0/24"];

describeWithTools(
  ["terraform", ...providerTools(["local"])],
  "the example terraform-database",
  () => {
    test("is provisioned, upgraded, looked at for drift, rolled back and taken away", async () => {
      const { mirrors } = await givenProviders(["local"]);
      const vendor = await givenVendor({
        example: "terraform-database",
        settings: { "provider-mirror": mirrors[0] ?? "" },
      });
      const { run, done, toldOf } = vendor;
      const folder = path.join(await testFolder(), "ledger");
      const at = (name: string): string => path.join(folder, name);
      const read = async (name: string) => JSON.parse(await readFile(at(name), "utf8")) as object;

      const first = await vendor.sync();
      const { provisioned } = await vendor.install("acme", { folder });
      expect(stepsOf(provisioned)).toEqual([
        "sync and plan network: approved",
        "apply network: success",
        "sync and plan database: approved",
        "apply database: success",
        "sync and plan api: approved",
        "apply api: success",
      ]);
      await vendor.expectTold(provisioned);
      expect(await read("database.json")).toEqual({ instance_class: "db.t4g.small", subnets });
      expect(await read("api.json")).toEqual({ database_url_file: at("database.url") });
      expect(await readFile(at("database.url"), "utf8")).toBe("postgres://ledger@10.0.0.10/ledger");
      expect(JSON.parse(await run("install outputs acme api"))).toEqual({
        config_file: at("api.json"),
      });

      // A new version of the app: what differs is deployed, and what needs that, where that makes a difference.
      await vendor.edit("terraform/network/main.tf", (text) =>
        text.replace("range(2)", "range(3)"),
      );
      await vendor.sync();
      const upgraded = await done("install update-config acme");
      expect(stepsOf(upgraded)).toEqual([
        "sync and plan network: approved",
        "apply network: success",
        "sync and plan database: approved",
        "apply database: success",
        "sync and plan api: auto-skipped",
        "apply api: auto-skipped",
        "apply the config: success",
      ]);
      const more = [...subnets, "10.0.2.0/24"];
      expect(await read("database.json")).toEqual({
        instance_class: "db.t4g.small",
        subnets: more,
      });

      // Somebody changes the database by hand: the look that is scheduled finds it.
      await writeFile(at("database.json"), "{}");
      const { items: emitters } = JSON.parse(await run("emitter list -o json")) as Listed;
      expect(emitters).toMatchObject([{ name: "drift of database: 0 4 * * *" }]);
      await run(`emitter fire ${emitters[0]?.id ?? ""}`);
      const looks = async () =>
        (JSON.parse(await run("workflow list --type drift_run -o json")) as Listed).items;
      await until(async () => (await looks())[0]?.status.status === "success");
      expect(await run("install drift acme")).toMatch(/^database: 1 added \(dep_\w+\)\n$/);
      expect(await readFile(at("database.json"), "utf8")).toBe("{}");
      const told = ["sync and plan database detected"];
      await expect.poll(async () => toldOf((await looks())[0]?.id ?? "")).toEqual(told);

      // The whole upgrade is taken back, and what was changed by hand with it.
      const back = await done(`install update-config acme --config ${first}`);
      expect(stepsOf(back).filter((step) => step.endsWith(": success"))).toEqual([
        "apply network: success",
        "apply database: success",
        "apply the config: success",
      ]);
      expect(await read("database.json")).toEqual({ instance_class: "db.t4g.small", subnets });
      expect(await run("install drift acme")).toBe("");

      const gone = await done("install deprovision acme --yes");
      expect(stepsOf(gone)).toEqual([
        "plan teardown api: approved",
        "teardown api: success",
        "plan teardown database: approved",
        "teardown database: success",
        "plan teardown network: approved",
        "teardown network: success",
      ]);
      expect(await readdir(folder)).toEqual([]);
      await vendor.expectTold(gone);
    });
  },
);

type Listed = {
  readonly items: readonly { readonly id: string; readonly status: { readonly status: string } }[];
};
