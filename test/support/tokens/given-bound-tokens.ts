import type { Install } from "../../../shared/api/install.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import type { ShownStep } from "../../../shared/api/workflow.ts";
import type { RoleType } from "../../../shared/permissions.ts";
import type { Answer } from "../broker/broker.ts";
import { givenToken } from "../rows/given-token.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  type Refused,
  stepIn,
} from "../workflows/workflows-api.ts";

export type MadeToken = Token & Refused & { readonly secret: string };
type Bound = { readonly bound_type: "apps" | "installs"; readonly bound_id: string };
/** A call by one caller. */
export type CallAs = <Body = Refused>(
  what: string,
  body?: unknown,
) => Promise<Answer<Body & Refused>>;

export const toInstall = (id: string): Bound => ({ bound_type: "installs", bound_id: id });
export const toApp = (id: string): Bound => ({ bound_type: "apps", bound_id: id });

/**
 * Two installs of one app, an install of another app and one of another org; the first waits for an approval. And callers: bound to
 * the first install, to its app, and to nothing.
 */
export async function givenBoundTokens() {
  const { db, call, setup } = await givenWorkflowsApi();
  const org = await setup();
  const own = await givenInstall(org);
  const sibling = await givenInstall(org, { name: "sibling" });
  const other = await givenOtherApp(org.api);
  const foreign = await givenInstall(await setup());
  const asked = await org.run(own.installId, "careful");
  const awaiting = await org.reach(asked.body.workflow_id, "approval-awaiting");
  const as = (token: string): CallAs => {
    const send = <Body>(what: string, body?: unknown) =>
      call<Body & Refused>(what, { token, ...(body !== undefined && { body }) });
    return send;
  };
  async function tokenOf(bound: Bound, role: RoleType = "installer"): Promise<CallAs> {
    const wanted = { name: "b", kind: "it", role, ...bound };
    const made = await org.api<MadeToken>("POST /v1/tokens", wanted);
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return as(made.body.secret);
  }
  return {
    db,
    call,
    org,
    own,
    sibling,
    other,
    foreign,
    as,
    tokenOf,
    step: stepIn(awaiting, "approval-awaiting"),
    api: await tokenOf(toInstall(own.installId)),
    ofApp: await tokenOf(toApp(org.appId)),
    unbound: as(await givenToken(db, { orgId: org.orgId, role: "installer" })),
  };
}

async function givenOtherApp(api: CallAs) {
  const { body: app } = await api<{ id: string }>("POST /v1/apps", { name: "other" });
  const config = { "metadata.toml": { name: "other" } };
  await api(`POST /v1/apps/${app.id}/configs/sync`, config);
  const made = await api<Install>(`POST /v1/apps/${app.id}/installs`, { name: "o", start: false });
  return { appId: app.id, installId: made.body.id, runnerId: made.body.runner_id };
}

/** Where an approval is answered. */
export const approvalOf = ({ workflow_id, id, approval }: ShownStep): string =>
  `/v1/workflows/${workflow_id}/steps/${id}/approvals/${approval?.id ?? ""}`;
