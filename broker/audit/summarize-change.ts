import { auditText } from "./audit-entry.ts";

/**
 * Members of requests whose texts the log may show. Of all others it shows how long they are: plans, data, scripts, variables,
 * addresses and whatever comes to be later may hold secrets.
 */
const shownTexts: ReadonlySet<string> = new Set(
  [
    "name note reason description kind type mode status platform",
    "role roles role_type grants reach token_type account_type account_id bound_type bound_id",
    "runner_id runner_group_id queue_id owner_id owner_type group groups signal_ids",
    "created_after created_before cursor",
    "container_image_tag binary_version logging_level aws_auth_method job_group_parallelism",
    "cron_schedule time_zone scheduled_at until lasting expires_at expires_in",
    "missed_policy overlap_policy retention_days features user_id",
  ].flatMap((names) => names.split(" ")),
);

const mostMembers = 60;
const mostTextLength = 200;
const mostListed = 20;
const mostBytes = 3000;

/** What a request asked to change: names of members, and of those that cannot be secret what they are to be. */
export function summarizeChange(body: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  const summary = summarize(body);
  if (Object.keys(summary).length === 0) return null;
  const isShort = Buffer.byteLength(JSON.stringify(summary)) <= mostBytes;
  return isShort ? summary : { "…": `${Object.keys(body).length} members` };
}

function summarize(given: object): Record<string, unknown> {
  const members = Object.entries(given).slice(0, mostMembers);
  return Object.fromEntries(
    members.map(([name, value]) => [auditText(name, 64), shown(value, shownTexts.has(name))]),
  );
}

function shown(value: unknown, isTold: boolean): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "string") {
    return isTold ? auditText(value, mostTextLength) : `(${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    const isListed = isTold && value.length <= mostListed;
    return isListed ? value.map((one) => shown(one, true)) : `(${value.length} items)`;
  }
  if (typeof value !== "object") return `(${typeof value})`;
  const count = Object.keys(value).length;
  return isTold && count <= mostListed ? pairsOf(value) : `(${count} members)`;
}

/** Of a map that is shown, as the caps of job groups: what is one level down, and no deeper. */
function pairsOf(map: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      auditText(name, 64),
      typeof value === "object" && value !== null ? "(…)" : shown(value, true),
    ]),
  );
}
