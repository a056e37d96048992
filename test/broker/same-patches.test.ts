import { describe, expect, test } from "vitest";
import type { Install } from "../../shared/api/install.ts";
import { until } from "../support/broker/given-polling.ts";
import { endpoints } from "../support/broker/route-rules.ts";
import { advanceClock } from "../support/database/clock.ts";
import { givenInstall, givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

const { call, db, setup } = await givenWorkflowsApi();
const org = await setup();
const { api } = org;
const asks = { install_config: { approval_option: "prompt" } }; // by itself, and not as the app says
const { installId, runner } = await givenInstall(org, asks);

type Shown = Readonly<Record<string, unknown>>;

const made = async (what: string, body: unknown): Promise<string> => {
  const answer = await api<{ id: string }>(what, body);
  if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
};
const install = (await api<Install>(`GET /v1/installs/${installId}`)).body;
const queue = await made("POST /v1/queues", { name: "q" });
const emitter = await made(`POST /v1/queues/${queue}/emitters`, {
  name: "e",
  mode: "scheduled",
  scheduled_at: "2099-01-01T00:00:00Z",
  signal_type: "noop",
  signal_template: {},
});
const role = await made("POST /v1/roles", {
  title: "Looker",
  role_type: "org_read_only",
  policies: [
    { name: "queues", permissions: ["queues.read"] },
    { name: "orgs", permissions: ["orgs.read", "roles.read"] },
  ],
});
// Its agent falls silent now, and not at one of the looks below: all that clocks make of that is over.
await advanceClock(db, "1 hour");
await until(async () => {
  const seen = await db<{ status: string }[]>`
    select status from runner_processes where runner_id = ${runner.runnerId}`;
  return seen.every(({ status }) => status === "inactive");
});
// Of an install that nothing happens to: a delivery that fails would change the webhook beside its PATCH.
const match = { installs: { ids: ["ins_01k9zq5v3t8w2x4y6z8a0b2c4d"] } };
const hook = { url: "http://127.0.0.1:1/hook", webhook_secret: "a long enough secret", match };
const webhook = await made("POST /v1/orgs/current/webhooks", hook);
const configId = install.install_config?.id ?? "";
const service = await made("POST /v1/service-accounts", { name: "ci", role: "org_builder" });
const action = await made(`POST /v1/apps/${org.appId}/actions`, { name: "by-hand" });
const component = await made(`POST /v1/apps/${org.appId}/components`, { name: "by-hand" });
const runbook = await made(`POST /v1/apps/${org.appId}/runbooks`, { name: "by-hand" });

/** Where a thing is read and patched, and which of its members say again what it is; `as`: what is sent in their place. */
type Patched = {
  readonly at: string;
  readonly members?: readonly string[];
  readonly as?: Shown;
  /** What it is read by, where not at the same path. */
  readonly readAt?: string;
};
const groupSettings = `/v1/runner-groups/${runner.groupId}/settings`;
const patches: Readonly<Record<string, Patched>> = {
  updateApp: { at: `/v1/apps/${org.appId}`, members: ["name", "display_name", "description"] },
  updateAction: { at: `/v1/apps/${org.appId}/actions/${action}`, members: ["name", "labels"] },
  updateComponent: {
    at: `/v1/apps/${org.appId}/components/${component}`,
    members: ["name", "labels", "dependencies", "var_name"],
  },
  updateRunbook: {
    at: `/v1/apps/${org.appId}/runbooks/${runbook}`,
    members: ["name", "labels", "description"],
  },
  updateCurrentOrg: {
    at: "/v1/orgs/current",
    members: ["name", "prevent_self_approval", "auto_skip_noops", "retention_days"],
  },
  updateOrgFeatures: {
    at: "/v1/orgs/current/features",
    readAt: "/v1/orgs/current",
    as: { features: { prevent_self_approval: false } },
  },
  setOrgAccountRole: {
    at: `/v1/orgs/current/accounts/${service}/role`,
    readAt: `/v1/accounts/${service}`,
    as: { role_type: "org_builder" },
  },
  updateServiceAccount: {
    at: `/v1/service-accounts/${service}`,
    readAt: `/v1/accounts/${service}`,
    as: { name: "ci" },
  },
  setServiceAccountRole: {
    at: `/v1/service-accounts/${service}/role`,
    readAt: `/v1/accounts/${service}`,
    as: { role: "org_builder" },
  },
  updateEmitter: {
    at: `/v1/emitters/${emitter}`,
    members: [
      "name",
      "description",
      "scheduled_at",
      "signal_type",
      "signal_template",
      "retry_delay",
    ],
  },
  updateInstall: {
    at: `/v1/installs/${installId}`,
    members: ["name", "metadata"],
    as: asks,
  },
  updateInstallConfig: {
    at: `/v1/installs/${installId}/configs/${configId}`,
    readAt: `/v1/installs/${installId}`,
    as: asks.install_config,
  },
  updateInstallInputs: {
    at: `/v1/installs/${installId}/inputs`,
    readAt: `/v1/installs/${installId}/inputs/current`,
    as: { inputs: { audience: "world" } },
  },
  updateQueue: {
    at: `/v1/queues/${queue}`,
    members: ["name", "max_depth", "max_in_flight", "idle_timeout", "metadata"],
  },
  updateRole: {
    at: `/v1/roles/${role}`,
    readAt: "/v1/roles",
    as: {
      title: "Looker",
      policies: [
        { name: "orgs", permissions: ["orgs.read", "roles.read"] },
        { name: "queues", permissions: ["queues.read"] },
      ],
    },
  },
  updateRunner: { at: `/v1/runners/${runner.runnerId}`, members: ["name", "display_name"] },
  updateRunnerGroup: {
    at: `/v1/runner-groups/${runner.groupId}`,
    members: ["name", "owner_id", "owner_type", "platform"],
  },
  updateRunnerGroupSettings: { at: groupSettings, members: ["heart_beat_timeout"] },
  updateRunnerSettings: {
    at: `/v1/runners/${runner.runnerId}/settings`,
    readAt: groupSettings,
    members: ["heart_beat_timeout"],
  },
  updateWebhook: {
    at: `/v1/orgs/current/webhooks/${webhook}`,
    members: ["interests", "match"],
    as: { webhook_secret: hook.webhook_secret },
  },
};

/** What they change is a status that is reported or asked for, which is no value that stays: a job's, a process's, an execution's, a step's of a person's journey … */
const ofMoves = [
  "setJobStatus",
  "updateAppConfig",
  "updateExecution",
  "updateProcess",
  "updateUserJourneyStep",
  "updateWorkflow",
];

test("every PATCH is looked at", () => {
  const all = endpoints.filter(({ method }) => method === "patch");
  const known = [...Object.keys(patches), ...ofMoves];
  expect(all.map(({ operationId }) => operationId).toSorted()).toEqual(known.toSorted());
});

/** A thing by itself: a group's runners, and that of an install, have their own signs of life. */
const read = async (path: string) => {
  const { headers, body } = await call<Shown>(`GET ${path}`, { token: org.token });
  const { runners: _, ...own } = body;
  const told = Object.entries(own).filter(([name]) => !name.startsWith("runner_status"));
  return { etag: headers.get("etag"), body: Object.fromEntries(told) };
};

describe.each(Object.entries(patches))("%s", (_, { at, members = [], as = {}, readAt = at }) => {
  test("leaves a thing as it was, its version and when it was changed, if it says what is so already", async () => {
    const before = await read(readAt);
    const same = Object.fromEntries(members.map((name) => [name, before.body[name]]));
    expect(Object.values(same)).not.toContain(undefined);
    await advanceClock(db, "5 minutes");
    const answer = await api(`PATCH ${at}`, { ...same, ...as });
    expect([200, 201]).toContain(answer.status);
    expect(await read(readAt)).toEqual(before);
  });
});
