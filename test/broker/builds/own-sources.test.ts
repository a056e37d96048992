import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { SourcePart } from "../../../shared/api/get-job-source.ts";
import type { SandboxBuild } from "../../../shared/api/sandbox-builds.ts";
import { tarEnd, tarEntry } from "../../support/apps/tar-entry.ts";
import { until } from "../../support/broker/given-polling.ts";
import type { BuildPlan } from "../../support/builds/given-builder.ts";
import { built, givenShopOf } from "../../support/builds/given-shop.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup, db, call } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});

const folder = [
  tarEntry("metadata.toml", 'name = "shop"\n'),
  tarEntry("components/db.toml", 'name = "db"\ntype = "terraform_module"\ndirectory = "net"\n'),
  tarEntry("sandbox.toml", 'terraform_version = "1.9.0"\ndirectory = "base"\n'),
  tarEntry("net/main.tf", "# a network\n"),
  tarEntry("net/large.txt", Buffer.alloc(3 * 2 ** 19, "svc ")),
  tarEntry("base/main.tf", "# a base\n"),
];
const archive = gzipSync(Buffer.concat([...folder, tarEnd]));

test("the job that builds a folder beside the config reads it part by part, and nobody else, and only while it runs", async () => {
  const plans: BuildPlan[] = [];
  const shop = await givenShopOf(setup, (plan) => {
    plans.push(plan);
    return { isHeld: true };
  });
  const { orgId, appId, builder, token } = shop;
  const synced = await call(`POST /v1/apps/${appId}/configs/sync`, {
    token,
    body: archive,
    headers: { "content-type": "application/gzip" },
  });
  expect(synced.status).toBe(201);
  await until(() => builder.held.length > 0 && plans.length > 0);
  const [held] = builder.held;
  if (held === undefined) throw new Error("nothing is built");
  const { source } = plans[0] as unknown as { source: { archive: { blob: string } } }; // as planned
  const at = `GET /v1/runner-jobs/${held.job.id}/source`;
  const own = await givenToken(db, builder.runner);
  const parts: Buffer[] = [];
  for (let [part, count] = [0, 1]; part < count; part++) {
    const { status, body } = await call<SourcePart>(`${at}?part=${part}`, { token: own });
    expect([status, body.digest, body.part]).toEqual([200, source.archive.blob, part]);
    parts.push(Buffer.from(body.contents, "base64"));
    count = body.parts;
  }
  const whole = Buffer.concat(parts);
  const digest = createHash("sha256").update(whole).digest("hex");
  expect(`sha256:${digest}`).toBe(source.archive.blob);
  expect((await call(`${at}?part=${parts.length}`, { token: own })).status).toBe(404);
  const another = await givenToken(db, await givenRunner(db, { orgId }));
  const viewer = await givenToken(db, { orgId, role: "org_read_only" });
  const foreign = await givenToken(db, await givenRunner(db));
  const statuses = [];
  for (const one of [another, viewer, foreign])
    statuses.push((await call(at, { token: one })).status);
  expect(statuses).toEqual([404, 403, 404]);
  await builder.release(held, built(plans[0] as BuildPlan));
  await until(async () => (await call(at, { token: own })).status === 404);
});

test("the sandbox may be in such a folder, too, whose build says so", async () => {
  const shop = await givenShopOf(setup, built);
  const { appId, token, api } = shop;
  const sent = { token, body: archive, headers: { "content-type": "application/gzip" } };
  expect((await call(`POST /v1/apps/${appId}/configs/sync`, sent)).status).toBe(201);
  let builds: SandboxBuild[] = [];
  await until(async () => {
    builds = (await api<SandboxBuild[]>(`GET /v1/apps/${appId}/sandbox/builds`)).body;
    return builds[0]?.status === "active";
  });
  expect(builds[0]).toMatchObject({ config_folder: true });
  const other = await shop.build("db");
  expect(other.body).toMatchObject({ config_folder: true });
});
