import { z } from "zod";

const modes = ["strict", "internal", "off"] as const;

/** To which addresses the broker may make the calls that orgs ask for. */
export type EgressMode = (typeof modes)[number];

/** The setting of outgoing calls. */
export const egressSettings = {
  SVC_EGRESS: {
    schema: z.enum(modes, { error: `must be one of ${modes.join(", ")}` }).default("internal"),
    doc: "To which addresses the broker calls out for orgs: strict (public ones only), internal (all but link-local addresses and cloud metadata), off (all). The image and the systemd unit set strict.",
  },
} as const;
