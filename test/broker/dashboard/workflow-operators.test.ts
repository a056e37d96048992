import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { Install } from "../../../shared/api/install.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenDashboard, postForm, signIn } from "../../support/browser/given-dashboard.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const dashboard = await givenDashboard();
const { broker, db, orgId, link, call, html } = dashboard;
const config = {
  "metadata.toml": { name: "shop" },
  components: {
    "cache.toml": {
      name: "cache",
      type: "container_image",
      public: { image_url: "redis", tag: "7" },
    },
  },
};

const signedIn = async (role: "org_builder" | "org_support") =>
  await signIn(await link(await givenToken(db, { orgId, role })));

/** A workflow of the app that ended as an error, as there is no registry, and one of an install. */
async function givenWorkflows() {
  const app = (await call<{ id: string }>("POST /v1/apps", { body: { name: "shop" } })).body.id;
  await call(`POST /v1/apps/${app}/configs/sync`, { body: config });
  const builds = await call<ComponentBuild[]>(`POST /v1/apps/${app}/components/build-all`, {
    body: {},
  });
  const ofApp = builds.body[0]?.workflow_id ?? "";
  const read = async (id: string) => (await call<WholeWorkflow>(`GET /v1/workflows/${id}`)).body;
  await until(async () => (await read(ofApp)).status.status === "error");
  const bare = (await call<{ id: string }>("POST /v1/apps", { body: { name: "bare" } })).body.id;
  const body = { "metadata.toml": { name: "bare" } };
  await call(`POST /v1/apps/${bare}/configs/sync`, { body });
  const install = await call<Install>(`POST /v1/apps/${bare}/installs`, { body: { name: "acme" } });
  expect(install.status).toBe(201);
  const listed = await call<WholeWorkflow[]>(`GET /v1/installs/${install.body.id}/workflows`);
  return { ofApp, ofInstall: listed.body[0]?.id ?? "", read };
}

test("pages offer to operate a workflow, and let do it, whom the API lets: by whose the workflow is", async () => {
  const { ofApp, ofInstall, read } = await givenWorkflows();
  const [builder, support] = [await signedIn("org_builder"), await signedIn("org_support")];
  const may = { [ofApp]: builder, [ofInstall]: support };
  const mayNot = { [ofApp]: support, [ofInstall]: builder };
  const actOf = { [ofApp]: "resume", [ofInstall]: "cancel" };
  for (const id of [ofApp, ofInstall]) {
    const at = `/workflows/${id}/${actOf[id]}`;
    const before = (await read(id)).status.status;
    expect((await html(`/workflows/${id}`, mayNot[id] ?? "")).text).not.toContain(`href="${at}"`);
    expect((await html(at, mayNot[id] ?? "")).status).toBe(403);
    expect((await postForm(broker.url + at, mayNot[id] ?? "")).status).toBe(403);
    expect((await read(id)).status.status).toBe(before);
    expect((await html(`/workflows/${id}`, may[id] ?? "")).text).toContain(`href="${at}"`);
    expect((await html(at, may[id] ?? "")).status).toBe(200);
    expect((await postForm(broker.url + at, may[id] ?? "")).status).toBe(303);
  }
  await until(async () => (await read(ofApp)).workflow_runs.length === 2);
  expect((await read(ofInstall)).cancelling || (await read(ofInstall)).finished).toBe(true);
});
