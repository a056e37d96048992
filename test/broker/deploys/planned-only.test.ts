import { expect, test } from "vitest";
import type { InstallDeploy } from "../../../shared/api/install-deploys.ts";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { givenBuildsOf } from "../../support/deploys/given-built-config.ts";
import { svc } from "../../support/programs/svc.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { brokers, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const module = { type: "terraform_module", public_repo: { repo: "https://git.example.com/a.git" } };
const version = (size: string) => ({
  "metadata.toml": { name: "shop" },
  components: {
    "a.toml": { name: "a", vars: { size }, drift_schedule: "0 4 * * *", ...module },
  },
});

test("an upgrade that is only planned says what it would change, and nothing of drift; a look for drift does", async () => {
  let changed = 1;
  const how = { changes: () => changed };
  const { api, sync, id, provision, begin, ended, ...org } = await givenApplied(
    setup,
    version("1"),
    how,
  );
  await ended(provision);
  const newest = async () =>
    (await api<InstallDeploy[]>(`GET /v1/installs/${id}/deploys`)).body[0] as InstallDeploy; // there is one
  const synced = await sync(version("2"));
  await givenBuildsOf(org, synced.body.id);
  const body = { app_config_id: synced.body.id, plan_only: true };
  changed = 3;
  const planned = await ended(await begin("POST /app-config-updates", body));
  const says = "only planned: it would add 3";
  expect(planned.steps.map(({ status }) => status.status_human_description)).toContain(says);
  // The word is what clients know; the sentence is what it means.
  expect(await newest()).toMatchObject({
    status: "drift-detected",
    status_v2: { status: "drifted", status_human_description: says },
    changes: { added: 3 },
  });
  const [shown] = (await api<object[]>(`GET /v1/installs/${id}/components`)).body;
  expect(shown).toMatchObject({ status: "active" });
  expect(shown).not.toHaveProperty("drifted_object");
  const env = { SVC_URL: brokers[0]?.url ?? "", SVC_TOKEN: org.token };
  const list = (await svc(["deploy", "list", "acme"], { env })).out;
  expect(list).toMatch(/ would change, plan only +3 added /);
  expect(list).not.toContain("drift");
  const deploy = await svc(["deploy", "get", "acme", (await newest()).id], { env });
  expect(deploy.out).toContain(`would change: ${says}\n`);

  changed = 0;
  await ended(await begin("POST /app-config-updates", body));
  expect(await newest()).toMatchObject({
    status: "no-drift",
    status_description: "nothing would change",
  });

  changed = 2;
  const [emitter] = (
    await api<{ items: { id: string; name: string }[] }>("GET /v1/emitters?cursor=")
  ).body.items.filter(({ name }) => name.startsWith("drift of a"));
  expect((await api(`POST /v1/emitters/${emitter?.id ?? ""}/fire`)).status).toBeLessThan(300);
  const seen = {
    status: "drift-detected",
    status_description: expect.stringMatching(/drifted.* add 2$/) as string,
  };
  await expect.poll(newest).toMatchObject(seen);
});
