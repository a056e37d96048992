import { idKinds, kindOfId } from "../../../shared/id-prefixes.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import { type AuditEntry, auditText } from "../../audit/audit-entry.ts";
import { summarizeChange } from "../../audit/summarize-change.ts";
import { newId } from "../../database/new-id.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppContext } from "../app-types.ts";
import { paramsOf } from "./params-of.ts";
import { requestHeader } from "./request-header.ts";
import type { FindOrigin } from "./trusted-proxies.ts";

export type AuditedRoute = {
  readonly operationId: string;
  /** Hono's spelling: `/v1/runners/:runner_id`. */
  readonly path: string;
  readonly rule: RouteRule;
};

/** What the audit log tells of a request before it is handled; `body` is what the route's schema read. */
export function auditEntryOf(
  c: AppContext,
  { operationId, path, rule }: AuditedRoute,
  { findOrigin, body }: { readonly findOrigin: FindOrigin; readonly body?: unknown },
): AuditEntry {
  const { orgId, id, accountId, tokenId }: Actor = c.get("actor");
  const { incoming, signedIn } = c.env ?? {};
  const seen = incoming === undefined ? "" : findOrigin(incoming).address;
  return {
    id: newId("aud"),
    org_id: orgId,
    action: operationId,
    permission: rule.permission,
    actor_id: id,
    account_id: accountId,
    token_id: tokenId,
    ...targetOf(c, path),
    ip: signedIn?.address ?? seen,
    user_agent: auditText(requestHeader(c, "user-agent") ?? "", 200),
    request_id: c.get("requestId"),
    reason: reasonOf(body),
    changes: summarizeChange(body),
  };
}

/** The entry of a request that created something: that is its target, and what the path names the target's parent. */
export function withCreated(entry: AuditEntry, answer: unknown): AuditEntry {
  if (typeof answer !== "object" || answer === null) return entry;
  const { id, queue_id, runner_id } = answer as Record<string, unknown>;
  if (typeof id !== "string" || id === entry.target_id) return entry;
  const owner = [queue_id, runner_id].find((one) => typeof one === "string");
  const parent = entry.target_type === "org" ? owner : entry.target_id || owner;
  return {
    ...entry,
    target_type: kindOfId(id),
    target_id: auditText(id, 100),
    parent_id: auditText(typeof parent === "string" ? parent : "", 100),
  };
}

type Target = Pick<AuditEntry, "target_type" | "target_id" | "parent_id">;

/** The last id of the path is the target, the first one what it belongs to; a state route names its workspace in its query. */
function targetOf(c: AppContext, path: string): Target {
  const ids = [...path.matchAll(/:(\w+)_id\b/g)].map(([, name = ""]) => ({
    name,
    id: auditText(paramsOf(c)[`${name}_id`] ?? "", 100),
  }));
  const [first, last] = [ids[0], ids.at(-1)];
  if (first !== undefined && last !== undefined) {
    const parent_id = first === last ? "" : first.id;
    return { target_type: kindOf(last), target_id: last.id, parent_id };
  }
  const workspaceId = c.req.query("workspace_id");
  if (workspaceId !== undefined) {
    return { target_type: "workspace", target_id: auditText(workspaceId, 100), parent_id: "" };
  }
  const { tokenId, orgId, runnerId } = c.get("actor");
  if (path.startsWith("/v1/tokens/current")) {
    return { target_type: "token", target_id: tokenId ?? "", parent_id: "" };
  }
  if (path === "/v1/enrol") {
    return { target_type: "runner", target_id: runnerId ?? "", parent_id: "" };
  }
  return { target_type: "org", target_id: orgId, parent_id: "" };
}

/** The word of the one table, by the path's own name where that has it: former ids began otherwise. */
const kindOf = ({ name, id }: { readonly name: string; readonly id: string }): string =>
  idKinds.has(name) ? name : kindOfId(id) || name;

function reasonOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  const { reason, note } = body as Record<string, unknown>;
  const given = [reason, note].find((one) => typeof one === "string" && one !== "");
  return typeof given === "string" ? auditText(given, 500) : "";
}
