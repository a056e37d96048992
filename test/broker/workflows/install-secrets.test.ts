import { describe, expect, test } from "vitest";
import type { InstallSecret } from "../../../shared/api/install-secrets.ts";
import { givenWorkflowsApi, type Refused } from "../../support/workflows/workflows-api.ts";

const { db, setup: setupOrg } = await givenWorkflowsApi();

const arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license-AbCdEf";
const google = "projects/acme-1/secrets/license";
const vault = "https://acme.vault.azure.net/secrets/license";

async function setup() {
  const org = await setupOrg();
  const { id } = (await org.create({ inputs: { audience: "x" }, start: false })).body;
  const at = `/v1/installs/${id}/secrets`;
  const set = async (name: string, body: object) =>
    await org.api<InstallSecret & Refused>(`PUT ${at}/${name}`, body);
  const list = async (query = "") => (await org.api<InstallSecret[]>(`GET ${at}${query}`)).body;
  return { ...org, id, at, set, list };
}

describe("a secret of an install", () => {
  test("is said to be in one place, replaced by its name, listed and forgotten", async () => {
    const { set, list, api, at, id } = await setup();
    const first = await set("db-url", { arn });
    expect(first).toMatchObject({
      status: 200,
      body: {
        install_id: id,
        name: "db-url",
        arn,
        gcp_secret_name: "",
        azure_key_vault_secret_id: "",
      },
    });
    const again = await set("db_url", { gcp_secret_name: google });
    expect(again.body).toMatchObject({
      id: first.body.id,
      name: "db_url",
      arn: "",
      gcp_secret_name: google,
    });
    await set("license", { azure_key_vault_secret_id: vault });
    expect((await list()).map(({ name }) => name)).toEqual(["license", "db_url"]);
    expect(await list("?name=db-url")).toHaveLength(1);
    const forget = async () => await api<InstallSecret & Refused>(`DELETE ${at}/db-url`);
    expect(await forget()).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(await forget()).toMatchObject({
      status: 404,
      body: { code: "install_secret_not_found" },
    });
    expect((await list()).map(({ name }) => name)).toEqual(["license"]);
  });

  test.each<[string, object]>([
    ["/", {}],
    ["/", { arn, gcp_secret_name: google }],
    ["/arn", { arn: "license" }],
    ["/gcp_secret_name", { gcp_secret_name: "license" }],
    ["/azure_key_vault_secret_id", { azure_key_vault_secret_id: "https://evil.example/secrets/a" }],
    ["/value", { arn, value: "hunter2" }],
  ])("is refused what is no place, at %s", async (pointer, body) => {
    const { set, list } = await setup();
    const refused = await set("license", body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors?.map((one) => one.pointer)).toEqual([
      pointer === "/" ? "#" : `#${pointer}`,
    ]);
    expect(await list()).toEqual([]);
  });

  test("is set once by many at once, and 500 are the most of an install", async () => {
    const { set, list, id } = await setup();
    const all = await Promise.all(
      Array.from({ length: 8 }, async () => await set("raced", { arn })),
    );
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
    expect(await list()).toHaveLength(1);
    await db`
      insert into install_secrets (id, org_id, install_id, name, arn, created_at, updated_at)
      select 'ise_' || lpad(n::text, 26, '0'), s.org_id, s.install_id, 'n' || n, s.arn, svc_now(), svc_now()
        from install_secrets s, generate_series(1, 499) n where s.install_id = ${id}`;
    expect(await set("one-more", { arn })).toMatchObject({
      status: 409,
      body: { code: "too_many_secrets" },
    });
    expect((await set("raced", { gcp_secret_name: google })).status).toBe(200);
  });

  test("is nobody's by another org, and of no install that is gone", async () => {
    const { set, at, api } = await setup();
    await set("license", { arn });
    const theirs = await setup();
    for (const what of [`PUT ${at}/license`, `DELETE ${at}/license`, `GET ${at}`]) {
      const body = what.startsWith("PUT") ? { arn } : undefined;
      expect({ what, status: (await theirs.api(what, body)).status }).toEqual({
        what,
        status: 404,
      });
    }
    expect((await api(`DELETE ${at.replace("/secrets", "")}`)).status).toBe(200);
    expect(await set("license", { arn })).toMatchObject({ status: 404 });
    expect((await api(`DELETE ${at}/license`)).status).toBe(404);
  });
});
