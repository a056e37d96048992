import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { givenRunnerWithAgent, type RunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { secretWord } from "../../support/agent/secret-word.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { dumpOf } from "../../support/broker/planted-secrets.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenNamespace } from "../../support/cluster/given-namespace.ts";
import { type Moto, startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { askSecretsManager, givenAwsSecret } from "../../support/secrets/aws-secrets.ts";
import { startStores, type Stores } from "../../support/secrets/given-stores.ts";
import { keysIn, secretSync } from "../../support/secrets/secret-plans.ts";

let fleet: Fleet;
let stores: Stores;
let moto: Moto;

const google = (name: string): string => `projects/acme-1/secrets/${name}`;
const vault = "https://acme.vault.azure.net/secrets";

async function givenSyncs(settings = {}): Promise<RunnerWithAgent> {
  return await givenRunnerWithAgent(fleet, settings, { ...moto.env, ...stores.env });
}

describeWithTools([...clusterTools, "moto_server"], "a sync of secrets", () => {
  beforeAll(async () => {
    const started = [givenFleet(), startStores(), startMoto(undefined, true)] as const;
    [fleet, stores, moto] = await Promise.all(started);
  });
  beforeEach(() => {
    stores.instead = undefined;
  });

  test("writes values of three clouds to every target, and shows none of them anywhere", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    const words = [secretWord(), secretWord(`"\n`), secretWord()] as const;
    const [one, two, three] = [words[0].plain, words[1].plain, words[2].plain];
    stores.google.secrets.set(google("token"), ["old", Buffer.from(two).toString("base64")]);
    stores.azure.secrets.set("acme/database", [{ version: "1".repeat(32), value: three }]);
    await at.kubectl(["create", "secret", "generic", "shared", "--from-literal=theirs=stays"]);
    const [fresh, license] = [`${at.name}-new`, await givenAwsSecret(moto, at.name, one)];
    onTestFinished(
      async () => void (await at.kubectl(["delete", "namespace", fresh, "--wait=false"])),
    );
    const targets = [
      { name: "license", key: "license.key", namespaces: [at.name, fresh] },
      { name: "shared", key: "license", namespaces: [at.name] },
    ];
    const job = await secretSync(at, [
      { secret_name: "license", secret_arn: license, targets },
      {
        secret_name: "token",
        gcp_secret_name: "token",
        format: "base64",
        namespace: at.name,
        name: "shared",
        key_name: "token",
      },
      {
        secret_name: "db",
        azure_key_vault_secret_id: `${vault}/database`,
        namespace: fresh,
        name: "db",
      },
      { secret_name: "extra", gcp_secret_name: "absent", namespace: at.name, name: "extra" },
    ]);
    const ended = await runner.run(job);
    expect(ended).toMatchObject({
      status: "finished",
      description: "Secrets found: 3 of 4; keys written: 5.",
    });
    expect(await keysIn(at, "license")).toEqual({ "license.key": one });
    expect(await keysIn(at, "license", fresh)).toEqual({ "license.key": one });
    expect(await keysIn(at, "shared")).toEqual({ theirs: "stays", license: one, token: two });
    expect(await keysIn(at, "db", fresh)).toEqual({ value: three });
    expect(await keysIn(at, "extra")).toBeUndefined();
    const marked = ["get", "secret", "-l", "svc/secrets=synced", "-o", "jsonpath={..type}"];
    expect(await at.kubectl(marked)).toBe("Opaque Opaque");
    const nowhere = { arn: "", gcp_secret_name: "", azure_key_vault_secret_id: "" };
    expect(ended.outputs).toEqual({
      license: {
        ...nowhere,
        name: "license",
        arn: license,
        kubernetes_namespace: at.name,
        kubernetes_name: "license",
        kubernetes_key: "license.key",
        length: Buffer.byteLength(one),
        exists: true,
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        targets: expect.arrayContaining([
          { namespace: fresh, name: "license", key: "license.key" },
        ]) as object[],
      },
      token: expect.objectContaining({
        gcp_secret_name: google("token"),
        length: Buffer.byteLength(two),
      }) as object,
      db: expect.objectContaining({
        azure_key_vault_secret_id: `${vault}/database`,
        kubernetes_namespace: fresh,
        kubernetes_key: "value",
      }) as object,
      extra: expect.objectContaining({ exists: false, length: 0 }) as object,
    });
    const log = await runner.logOf(ended.id);
    expect(log).toContain(`Secret ${at.name}/shared: the key token was written.`);
    expect(log).toContain("extra: it has no value there, and nothing is written.");
    const seen = [
      JSON.stringify([ended, log]),
      await dumpOf(fleet),
      runner.agent.logged.join("\n"),
    ];
    for (const { isIn, onDisk } of words) {
      expect(seen.filter(isIn)).toEqual([]);
      expect(await onDisk(runner.agent.dataDir)).toEqual([]);
    }
  });

  test("writes nothing where not all can be read, and names each with its reason", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    const to = { namespace: at.name };
    const word = secretWord();
    const license = await givenAwsSecret(moto, at.name, `no base64: ${word.plain}`);
    stores.google.secrets.set(google("there"), ["kept-there"]);
    stores.google.forbidden.add(google("theirs"));
    const ended = await runner.run(
      await secretSync(at, [
        { ...to, secret_name: "there", gcp_secret_name: "there", name: "there" },
        { ...to, secret_name: "license", secret_arn: license, format: "base64", name: "license" },
        { ...to, secret_name: "theirs", gcp_secret_name: "theirs", name: "theirs" },
        { ...to, secret_name: "absent", gcp_secret_name: "absent", name: "absent", required: true },
        { ...to, secret_name: "placeless", name: "placeless", required: true },
      ]),
    );
    expect(ended).toMatchObject({ status: "failed", outputs: {} });
    expect(ended.description).toMatch(/^No secret was written, as not all can be read\. /);
    for (const words of [
      `license (${license}): its value is not base64`,
      "theirs (projects/acme-1/secrets/theirs): PERMISSION_DENIED",
      "absent (projects/acme-1/secrets/absent): it has no value there",
      "placeless: the plan does not say where it is",
    ])
      expect(ended.description).toContain(words);
    expect(ended.result).toMatchObject({
      error_metadata: { reason: "secrets_failed", class: "format" },
      composite_error: { type: "secrets.format", retryable: false },
    });
    expect(await keysIn(at, "there")).toBeUndefined();
    const seen = JSON.stringify([ended, await runner.logOf(ended.id)]) + (await dumpOf(fleet));
    expect(word.isIn(seen)).toBe(false);
  });

  test("passes over what is busy for a while, and says that a repeat may help where it stays so", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    stores.google.secrets.set(google("slow"), ["kept-there"]);
    let left = 2;
    stores.instead = ({ host }) =>
      host.startsWith("secretmanager") && left-- > 0 ? { status: 500, body: "" } : undefined;
    const job = await secretSync(at, [
      { gcp_secret_name: "slow", namespace: at.name, name: "slow" },
    ]);
    expect(await runner.run(job)).toMatchObject({ status: "finished" });
    expect(await keysIn(at, "slow")).toEqual({ value: "kept-there" });
    left = Infinity;
    expect((await runner.run(job)).result).toMatchObject({
      error_metadata: { class: "network" },
      composite_error: { retryable: true },
    });
  });

  test("is stopped while a store does not answer", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    const asked = Promise.withResolvers<void>();
    stores.instead = ({ host }) => {
      if (!host.startsWith("secretmanager")) return undefined;
      asked.resolve();
      return new Promise(() => {});
    };
    const job = await secretSync(at, [
      { gcp_secret_name: "slow", namespace: at.name, name: "slow" },
    ]);
    const id = await runner.enqueue(job);
    await asked.promise;
    await runner.operate(`POST /v1/runner-jobs/${id}/cancel`);
    const ended = await runner.ended(id);
    expect(ended.status).toBe("cancelled");
    expect(await keysIn(at, "slow")).toBeUndefined();
  });

  test("makes what is to be made once, of two at the same time too", async () => {
    const [runner, at] = [await givenSyncs(), await givenNamespace()];
    const empty = await givenAwsSecret(moto, at.name);
    stores.google.secrets.set(google(at.name), []);
    const to = { namespace: at.name, auto_generate: true };
    const job = await secretSync(at, [
      { ...to, secret_name: "a", secret_arn: empty, name: "made" },
      { ...to, secret_name: "g", gcp_secret_name: at.name, name: "made", key_name: "g" },
      {
        ...to,
        secret_name: "v",
        azure_key_vault_secret_id: `${vault}/${at.name}`,
        name: "made",
        key_name: "v",
      },
    ]);
    const looked = await runner.run({ ...job, operation: "create-apply-plan" });
    expect(looked).toMatchObject({
      status: "finished",
      description: "Secrets found: 0 of 3; keys to write: 0.",
    });
    expect(stores.google.secrets.get(google(at.name))).toEqual([]);
    const both = await Promise.all([runner.run(job), runner.run(job)]);
    expect(both.map(({ status }) => status)).toEqual(["finished", "finished"]);
    const stored = {
      value: String(
        (await askSecretsManager(moto, "GetSecretValue", { SecretId: empty }))["SecretString"],
      ),
      g: stores.google.secrets.get(google(at.name))?.at(-1),
      v: stores.azure.secrets.get(`acme/${at.name}`)?.at(-1)?.value,
    };
    expect(await keysIn(at, "made")).toEqual(stored);
    for (const value of Object.values(stored)) expect(value).toMatch(/^[A-Za-z0-9]{44}$/);
    const seen = JSON.stringify(
      await Promise.all(both.map(async ({ id }) => await runner.logOf(id))),
    );
    for (const value of Object.values(stored)) expect(seen).not.toContain(value);
    expect(await runner.run(job)).toMatchObject({ status: "finished" });
    expect(await keysIn(at, "made")).toEqual(stored);
  });
});
