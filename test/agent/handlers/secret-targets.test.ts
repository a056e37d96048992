import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent, type RunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../../support/cluster/given-namespace.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { startStores, type Stores } from "../../support/secrets/given-stores.ts";
import { keysIn, secretSync } from "../../support/secrets/secret-plans.ts";

let fleet: Fleet;
let stores: Stores;

const google = (name: string): string => `projects/acme-1/secrets/${name}`;
const givenSyncs = async (): Promise<RunnerWithAgent> =>
  await givenRunnerWithAgent(fleet, {}, stores.env);

describeWithTools(clusterTools, "a sync of secrets", () => {
  beforeAll(async () => {
    [fleet, stores] = await Promise.all([givenFleet(), startStores()]);
  });

  test("takes over no key of others unless it is told to, and none of a Secret that cannot be changed", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    stores.google.secrets.set(google("one"), ["ours"]);
    await at.kubectl(["create", "secret", "generic", "held", "--from-literal=value=theirs"]);
    const held = [{ gcp_secret_name: "one", namespace: at.name, name: "held" }];
    const refused = await runner.run(await secretSync(at, held));
    expect(refused.result?.error_metadata).toMatchObject({
      reason: "deploy_failed",
      class: "conflict",
    });
    expect(refused.description).toMatch(/data\.value is kubectl\S*'s.*force_conflicts/);
    expect(refused.description).toContain("0 of 1 keys were written");
    expect(await keysIn(at, "held")).toEqual({ value: "theirs" });
    const forced = await runner.run(await secretSync(at, held, { force_conflicts: true }));
    expect(forced).toMatchObject({ status: "finished" });
    expect(await keysIn(at, "held")).toEqual({ value: "ours" });

    await at.kubectl(["patch", "secret", "held", "-p", '{"immutable":true}']);
    const same = await runner.run(await secretSync(at, held));
    expect(same).toMatchObject({ status: "finished" });
    stores.google.secrets.set(google("one"), ["ours", "newer"]);
    const sealed = await runner.run(await secretSync(at, held));
    expect(sealed).toMatchObject({ status: "failed" });
    expect(sealed.description).toContain("Delete it, or write to another name.");
    expect(await keysIn(at, "held")).toEqual({ value: "ours" });
  });

  test("takes no more values than it can hide", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) stores.google.secrets.set(google(name), [name.repeat(60_000)]);
    const ones = names.map((name) => ({ gcp_secret_name: name, namespace: at.name, name }));
    const ended = await runner.run(await secretSync(at, ones));
    expect(ended.result?.error_metadata).toMatchObject({ class: "too_large" });
    expect(ended.description).toContain("all values together have more than 256 KiB");
    expect(await keysIn(at, "a")).toBeUndefined();
  });

  test("says which namespace is not there where it may make none", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    const may = [{ verbs: ["patch", "create"], resources: ["secrets"] }];
    const account = await givenAccount(at, may);
    stores.google.secrets.set(google("one"), ["kept-there"]);
    const here = { gcp_secret_name: "one", namespace: at.name, name: "one" };
    expect(await runner.run(await secretSync(account, [here]))).toMatchObject({
      status: "finished",
    });
    const elsewhere = await secretSync(account, [{ ...here, namespace: `${at.name}-no` }]);
    const ended = await runner.run(elsewhere);
    expect(ended.result?.error_metadata).toMatchObject({ class: "forbidden" });
    expect(ended.description).toContain(`${at.name}-no`);
  });

  test("that only looks writes nothing, and no key of the plan that is gone is taken away", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    stores.google.secrets.set(google("one"), ["kept-there"]);
    const one = { gcp_secret_name: "one", namespace: at.name, name: "kept" };
    const dry = { operation: "create-apply-plan" } as const;
    const looked = await runner.run({ ...(await secretSync(at, [one])), ...dry });
    expect(looked.description).toBe("Secrets found: 1 of 1; keys to write: 1.");
    expect(await keysIn(at, "kept")).toBeUndefined();
    await runner.run(await secretSync(at, [one]));
    await runner.run(await secretSync(at, [{ ...one, key_name: "other" }]));
    expect(await keysIn(at, "kept")).toEqual({ value: "kept-there", other: "kept-there" });
  });
});
