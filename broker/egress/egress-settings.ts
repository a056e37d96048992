import { z } from "zod";
import { egressModes } from "../../shared/network/egress-mode.ts";
import { words } from "../setting-schemas.ts";
import { readOpened } from "./opened-receivers.ts";

const faults = {
  form: "is no network (10.1.0.0/16) and no host with its port (hooks.internal:8443, [fd12::1]:443)",
  never: "is in a link-local network or one of cloud metadata, which are never opened",
} as const;

/** Its values are not told: entries are counted. */
const opened = words.transform((entries, context) => {
  const read = readOpened(entries);
  if (!("fault" in read)) return read;
  const message = `has an entry that cannot be: number ${read.entry} ${faults[read.fault]}`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** The settings of outgoing calls. */
export const egressSettings = {
  SVC_EGRESS: {
    schema: z
      .enum(egressModes, { error: `must be one of ${egressModes.join(", ")}` })
      .default("strict"),
    doc: "To which addresses the broker calls out for orgs: strict (public ones only), internal (all but link-local addresses and cloud metadata), off (all). svc dev sets internal.",
  },
  SVC_EGRESS_ALLOW: {
    schema: opened.default([]),
    doc: "What strict additionally allows: networks (10.1.0.0/16) and hosts with their port (hooks.internal:8443, [fd12::1]:443). Link-local addresses and cloud metadata stay closed.",
  },
} as const;
