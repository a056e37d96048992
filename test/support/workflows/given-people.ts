import { createAccount } from "../../../broker/accounts/create-account.ts";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { ShownStep } from "../../../shared/api/workflow.ts";
import type { TestBroker } from "../broker/broker.ts";
import {
  givenInstall,
  type givenWorkflowsApi,
  type Refused,
  shopConfig,
  stepIn,
} from "./workflows-api.ts";

type Given = Awaited<ReturnType<typeof givenWorkflowsApi>>;
type Made = Refused & { readonly id: string; readonly secret: string };

/** One who acts: a person by their own token, or a token that acts for itself. */
export type Caller = Awaited<ReturnType<typeof givenPeople>>["x"];

/** What the agent of these orgs fails at. */
export const failing = { run_env_vars: { WHAT: "fail-now" } };

const resting = ["success", "approval-awaiting", "failed-pending-retry"];

/** An org with an install, whose people may not approve what they began themselves, and four of them who may do all. */
export async function givenPeople(given: Given, config: object = shopConfig) {
  const { db, call } = given;
  const org = await given.setup(config);
  const { orgId } = org;
  const { installId, runner, agent } = await givenInstall(org, {
    ends: (plan) => (plan.includes("fail-now") ? "failed" : "finished"),
  });
  await org.api("PATCH /v1/orgs/current", { prevent_self_approval: true });
  const person = async () => {
    const account = { accountType: "auth", name: "", email: "", subject: "", createdById: "" };
    const { id } = await createAccount(db, orgId, { ...account, roles: ["org_admin"] });
    const own = { name: "own", kind: "pat", accountId: id, createdById: id } as const;
    const { secret } = await createToken(db, orgId, { ...own, reach: "account" });
    return caller(call, { installId, secret, accountId: id });
  };
  /** Ends all that waits for somebody, as that keeps its place in its lane. */
  const cancelAll = async () => {
    const open = await db<{ id: string }[]>`
      select id from workflows where org_id = ${orgId} and finished_at is null`;
    for (const { id } of open) {
      const { status } = await org.reach(id, ...resting);
      if (status.status === "success") continue;
      await org.api(`POST /v1/workflows/${id}/cancel`);
      await org.reach(id, "cancelled");
    }
  };
  const [w, x, y, z] = [await person(), await person(), await person(), await person()];
  const people = { w, x, y, z };
  return { ...org, ...people, installId, runner, agent, cancelAll };
}

type Who = { readonly installId: string; readonly secret: string; readonly accountId?: string };

function caller(call: TestBroker["call"], { installId, secret, ...who }: Who) {
  const api = <Body = Refused>(what: string, body?: unknown) =>
    call<Body & Refused>(what, { token: secret, ...(body !== undefined && { body }) });
  const made = (token: Made) =>
    caller(call, { installId, secret: token.secret, accountId: token.id });
  return {
    api,
    id: who.accountId ?? "",
    /** Makes a token that may do all. */
    mint: async (body: object = {}) => {
      const token = { name: "t", role: "org_admin", ...body };
      return made((await api<Made>("POST /v1/tokens", token)).body);
    },
    rotate: async (id: string) => made((await api<Made>(`POST /v1/tokens/${id}/rotate`)).body),
    begin: async (more: object = {}): Promise<string> => {
      const run = { name: "careful", ...more };
      const begun = await api<{ workflow_id: string }>(
        `POST /v1/installs/${installId}/actions/runs`,
        run,
      );
      if (begun.status !== 201) throw new Error(JSON.stringify(begun.body));
      return begun.body.workflow_id;
    },
    respond: ({ workflow_id, id, approval }: ShownStep, response_type = "approve") =>
      api(
        `POST /v1/workflows/${workflow_id}/steps/${id}/approvals/${approval?.id ?? "-"}/response`,
        { response_type },
      ),
    approveAll: (workflowId: string) =>
      api(`PATCH /v1/workflows/${workflowId}`, { approval_option: "approve-all" }),
  };
}

/** The step at which a workflow waits for an approval. */
export async function waitingStep(
  { reach }: Pick<Awaited<ReturnType<typeof givenPeople>>, "reach">,
  workflowId: string,
): Promise<ShownStep> {
  return stepIn(await reach(workflowId, "approval-awaiting"), "approval-awaiting");
}

/** The step at which a workflow failed. */
export async function failedStep(
  { reach }: Pick<Awaited<ReturnType<typeof givenPeople>>, "reach">,
  workflowId: string,
): Promise<ShownStep> {
  return stepIn(await reach(workflowId, "failed-pending-retry"), "failed-pending-retry");
}
