import {
  type AuditEventBody,
  exportAuditEventsRoute,
  listAuditEventsRoute,
} from "../../shared/api/audit.ts";
import { openLines } from "../../shared/api/call-route.ts";
import { auditOutcomes } from "../../shared/audit.ts";
import { version } from "../../shared/version.ts";
import { type Command, defineCommand } from "../command.ts";
import type { Connection } from "../connection/connection.ts";
import { readInstant } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import type { Screen } from "../output/screen.ts";
import { auditLine } from "./audit-view.ts";

const filterFlags = {
  actor: { value: "ID", summary: "Only what this account, or token of its own, did." },
  "token-id": { value: "ID", summary: "Only what was done with the token of this id." },
  action: { value: "OPERATION", summary: "Only this operation, for example updateQueue." },
  "target-type": { value: "TYPE", summary: "Only objects of this type, for example queue." },
  target: { value: "ID", summary: "Only what was done to this object and what belongs to it." },
  outcome: { value: "OUTCOME", choices: auditOutcomes, summary: "Only with this outcome." },
  from: {
    value: "DURATION",
    summary: "Only events since then: a duration ago like 24h, or an instant.",
  },
  to: { value: "DURATION", summary: "Only events before then: a duration ago, or an instant." },
} as const;

type FilterFlags = {
  readonly [Name in keyof typeof filterFlags]: Name extends "outcome"
    ? (typeof auditOutcomes)[number] | undefined
    : string | undefined;
};

const listAudit = defineList({
  name: "audit list",
  summary: "List who did what in the org, newest first.",
  details: "What is kept and what is left out: docs/audit.md.",
  flags: filterFlags,
  examples: [
    { does: "Show what was done to a runner.", run: "svc audit list --target run_…" },
    {
      does: "Show what was refused in the last day.",
      run: "svc audit list --outcome refused --from 24h",
    },
  ],
  view: auditLine,
  empty: "No events found.",
  read: async ({ flags, call, page }) =>
    await call(listAuditEventsRoute, { query: { ...queryOf(flags), ...page } }),
});

type Line = AuditEventBody & { readonly cursor: string };

const exportAudit = defineCommand({
  name: "audit export",
  summary: "Print the audit log for an archive: one event a line, oldest first.",
  details:
    "Each line is JSON with its own `cursor`. Give the last cursor that you have with --cursor, and the same other flags, to continue after it: the next day, or after a lost connection. The events of the last ten seconds come with the next export.",
  flags: {
    ...filterFlags,
    cursor: { value: "CURSOR", summary: "Continue after the line with this cursor." },
  },
  examples: [
    { does: "Write everything to a file.", run: "svc audit export > audit.ndjson" },
    {
      does: "Add what is new.",
      run: 'svc audit export --cursor "$(tail -n 1 audit.ndjson | jq -r .cursor)" >> audit.ndjson',
    },
  ],
  run: async ({ flags, connect, screen }) => {
    const query = { ...queryOf(flags), cursor: flags.cursor };
    let count = 0;
    for await (const line of exportLines(await connect(), query, screen)) {
      count += 1;
      screen.out(screen.format === "name" ? (JSON.parse(line) as Line).id : line); // by the contract
    }
    screen.say(count === 0 ? "No events to export." : `${count} events.`);
  },
});

function queryOf(flags: FilterFlags) {
  return {
    actor: flags.actor,
    token: flags["token-id"],
    action: flags.action,
    target_type: flags["target-type"],
    target_id: flags.target,
    outcome: flags.outcome,
    from: readInstant("--from", flags.from),
    to: readInstant("--to", flags.to),
  };
}

async function* exportLines(
  { url, token, orgId }: Connection,
  query: ReturnType<typeof queryOf> & { readonly cursor: string | undefined },
  screen: Screen,
): AsyncGenerator<string> {
  const endpoint = { url, token, orgId, userAgent: `svc-cli/${version}` };
  const open = new AbortController();
  try {
    const opened = openLines(endpoint, exportAuditEventsRoute, { query }, open.signal);
    yield* await screen.during(`Waiting for ${url}: export audit events`, opened);
  } finally {
    open.abort();
  }
}

/** The commands of the audit log, in the order of help. */
export const auditCommands: readonly Command[] = [listAudit, exportAudit];
