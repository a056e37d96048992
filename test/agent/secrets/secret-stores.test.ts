import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openStoreOf, startStores, type Stores } from "../../support/secrets/given-stores.ts";
import { googleKey } from "../../support/secrets/google-stores.ts";

let stores: Stores;

beforeAll(async () => {
  stores = await startStores();
});

beforeEach(() => {
  stores.instead = undefined;
});

const text = async (read: ReturnType<ReturnType<typeof openStoreOf>["read"]>) =>
  (await read)?.value.toString("latin1");

/** Answers with a fault so many times, and then as it would. */
function faulty(times: number, answer: { status: number; body: object | string }): () => number {
  let asked = 0;
  stores.instead = ({ host }) => {
    if (!/secretmanager|vault/.test(host)) return undefined;
    asked += 1;
    return asked <= times ? answer : undefined;
  };
  return () => asked;
}

describe("Google's Secret Manager", () => {
  const key = googleKey();
  const name = "projects/acme-1/secrets/license";
  const google = (gcp_secret_name = name, identity: object = { key }) =>
    openStoreOf({ gcp_secret_name }, { gcp: identity }, stores);

  test("gives the newest value, or the version that is meant, and bytes as they are", async () => {
    stores.google.secrets.set(name, ["first", "s\u00e9cond\u0000\u00ff"]);
    expect(await text(google().read())).toBe("s\u00e9cond\u0000\u00ff");
    expect(await text(google(`${name}/versions/1`).read())).toBe("first");
    const there = "projects/acme-1/locations/europe-west3/secrets/license";
    stores.google.secrets.set(there, ["there"]);
    expect(await text(google(there).read())).toBe("there");
    expect(stores.asked.at(-1)?.host).toBe("secretmanager.europe-west3.rep.googleapis.com");
  });

  test("is asked in the name of another account, by one token for all", async () => {
    const account = "reader@acme-1.iam.gserviceaccount.com";
    const store = google(name, { key, account });
    stores.google.secrets.set(name, ["mine"]);
    const before = stores.asked.length;
    expect(await text(store.read())).toBe("mine");
    expect(await text(store.read())).toBe("mine");
    const hosts = stores.asked.slice(before).map(({ host }) => host.split(".")[0]);
    expect(hosts).toEqual(["oauth2", "iamcredentials", "secretmanager", "secretmanager"]);
    expect(stores.asked.at(-1)?.headers.authorization).toContain(account);
  });

  test("has no value where there is no version, and takes a first one", async () => {
    const empty = "projects/acme-1/secrets/empty";
    expect(await google(empty).read()).toBeUndefined();
    await expect(google(empty).fill("made")).rejects.toMatchObject({ class: "not_found" });
    stores.google.secrets.set(empty, []);
    expect(await google(empty).read()).toBeUndefined();
    const made = await google(empty).fill("made");
    expect(made?.version).toBe(`${empty}/versions/1`);
    expect(await google(empty).read()).toEqual(made);
  });

  test("is believed only with the checksum of what it sent", async () => {
    const payload = { data: Buffer.from("half").toString("base64"), dataCrc32c: "1" };
    faulty(1, { status: 200, body: { name: `${name}/versions/1`, payload } });
    await expect(google().read()).rejects.toMatchObject({ class: "network" });
  });

  test("says itself why it refuses", async () => {
    stores.google.forbidden.add("projects/acme-1/secrets/theirs");
    await expect(google("projects/acme-1/secrets/theirs").read()).rejects.toMatchObject({
      class: "forbidden",
      message: expect.stringContaining("PERMISSION_DENIED: Permission 'secretmanager") as string,
    });
    const state = { status: "FAILED_PRECONDITION", message: "It is in DISABLED state." };
    faulty(1, { status: 400, body: { error: state } });
    await expect(google().read()).rejects.toMatchObject({
      class: "refused",
      message: "FAILED_PRECONDITION: It is in DISABLED state",
    });
  });

  test.each([500, 503, 429])("is asked again after %d", async (status) => {
    stores.google.secrets.set(name, ["patience"]);
    const asked = faulty(2, { status, body: "<html>busy</html>" });
    expect(await text(google().read())).toBe("patience");
    expect(asked()).toBe(3);
  });

  test("is not asked for ever", async () => {
    const asked = faulty(99, { status: 503, body: "" });
    await expect(google().read()).rejects.toMatchObject({ class: "network" });
    expect(asked()).toBe(4);
  });

  test("that does not answer is left when the job is stopped", async () => {
    const stop = new AbortController();
    stores.instead = ({ host }) => {
      if (!host.startsWith("secretmanager")) return undefined;
      stop.abort(new Error("stopped"));
      return new Promise(() => {});
    };
    const store = openStoreOf(
      { gcp_secret_name: name },
      { gcp: { key } },
      {
        env: stores.env,
        signal: stop.signal,
      },
    );
    await expect(store.read()).rejects.toThrow("stopped");
  });
});

describe("an Azure Key Vault", () => {
  const app = { tenantId: "t-1", clientId: "c-1", clientSecret: "client-secret-1" };
  const azure = (path: string, identity: object = app) =>
    openStoreOf(
      { azure_key_vault_secret_id: `https://acme.vault.azure.net/secrets/${path}` },
      { azure: identity },
      stores,
    );

  test("gives the newest value, or the version that is meant", async () => {
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    stores.azure.secrets.set("acme/license", [
      { version: one, value: "first" },
      { version: two, value: "s\u00e9cond" },
    ]);
    const newest = await azure("license").read();
    expect(newest?.value.toString()).toBe("s\u00e9cond");
    expect(newest?.version).toBe(`https://acme.vault.azure.net/secrets/license/${two}`);
    expect(await text(azure(`license/${one}`).read())).toBe("first");
  });

  test("has no value where there is no secret, and takes one", async () => {
    expect(await azure("fresh").read()).toBeUndefined();
    const made = await azure("fresh").fill("made");
    expect(await azure("fresh").read()).toEqual(made);
  });

  test("says itself why it refuses", async () => {
    stores.azure.forbidden.add("acme/theirs");
    await expect(azure("theirs").read()).rejects.toMatchObject({
      class: "forbidden",
      message: expect.stringContaining("Forbidden: ForbiddenByRbac: Caller is not") as string,
    });
  });

  test("leads no identity to whom its challenge names", async () => {
    stores.azure.resource = "https://vault.evil.example";
    const before = stores.asked.length;
    await expect(azure("license").read()).rejects.toMatchObject({
      class: "auth",
      message: expect.stringContaining(
        "it wants a token for https://vault.evil.example, not https://vault.azure.net",
      ) as string,
    });
    stores.azure.resource = "https://vault.azure.net";
    const hosts = stores.asked.slice(before).map(({ host }) => host);
    expect(hosts).toEqual(["login.microsoftonline.com", "acme.vault.azure.net"]);
  });

  test("is read by nobody whom Entra ID does not know, in its words", async () => {
    const wrong = azure("license", { ...app, clientSecret: "wrong-secret-1" }).read();
    await expect(wrong).rejects.toThrow("invalid_client: AADSTS7000215");
    await expect(wrong).rejects.not.toThrow("wrong-secret-1");
  });
});
