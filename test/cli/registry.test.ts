import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { digestOf, givenBuilder } from "../support/builds/given-builder.ts";
import { svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const host = "registry.example.com";
const { brokers, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: `https://${host}/acme`, SVC_REGISTRY_AUTH: "token" },
});
const [broker] = brokers;
const config = {
  "metadata.toml": { name: "shop" },
  components: { "web.toml": { name: "web", type: "kubernetes_manifest", manifest: "{}" } },
};

async function given() {
  const org = await setup(config);
  const env = { SVC_URL: broker?.url ?? "", SVC_TOKEN: org.token };
  return { org, run: async (line: string) => await svc(line.split(" "), { env }) };
}

test("a login is written beside what docker's file has, for its owner alone", async () => {
  const { org, run } = await given();
  const file = path.join(await testFolder(), "config.json");
  await writeFile(file, JSON.stringify({ auths: { "other.example.com": {} }, detachKeys: "a" }));
  const done = await run(`registry login --file ${file}`);
  expect(done).toMatchObject({ code: 0, out: "" });
  expect(done.err).not.toContain(org.token);
  const auth = Buffer.from(`svc:${org.token}`).toString("base64");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    auths: { "other.example.com": {}, [host]: { auth } },
    detachKeys: "a",
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await run("registry login --password")).toMatchObject({ code: 0, out: `${org.token}\n` });
});

test("a helper of docker's is handed the login by whoever signs in", async () => {
  const { run } = await given();
  const file = path.join(await testFolder(), "config.json");
  await writeFile(file, JSON.stringify({ credsStore: "pass" }));
  const refused = await run(`registry login --file ${file}`);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("docker login registry.example.com -u svc --password-stdin");
});

test("artifacts are listed with their digests and sizes, and the keys are printed", async () => {
  const { org, run } = await given();
  const outputs = { digest: digestOf("a"), media_type: "a/b", size: 1234 };
  await givenBuilder(org, () => ({ outputs }));
  expect((await run("registry ls")).err).toContain("No artifacts found.");
  expect((await run("component build shop web")).code).toBe(0);
  const { out } = await run("registry ls --app shop");
  expect(out).toMatch(/^COMPONENT +BUILD +REPOSITORY +TAG +DIGEST +BYTES +AGE +KEPT\nweb +bld_/);
  expect(out).toContain(`${host}/acme/${org.orgId}/${org.appId}/`);
  expect(out).toContain(digestOf("a"));
  const { keys } = JSON.parse((await run("registry keys")).out) as { keys: { kty: string }[] };
  expect(keys.map(({ kty }) => kty)).toEqual(["EC", "EC"]);
});

test("logins of a registry with users of its own are set from a file, listed and deleted", async () => {
  const { run } = await given();
  const file = path.join(await testFolder(), "password");
  await writeFile(file, "a password\n");
  const set = await run(`registry logins set push --user builds --file ${file}`);
  expect(set).toMatchObject({ code: 0, out: "", err: "The push login is builds.\n" });
  expect((await run("registry logins list")).out).toMatch(
    /^ID +USE +USER +SET\nrgl_\w+ +push +builds /,
  );
  expect((await run(`registry logins set both --user builds --file ${file}`)).code).toBe(2);
  expect((await run("registry logins delete push")).code).toBe(2);
  expect((await run("registry logins delete push --yes")).code).toBe(0);
  expect((await run("registry logins list")).out).toBe("");
});
