import type { FlagSpecs } from "../../shared/command-line/command.ts";
import { helpFlag } from "../../shared/command-line/program.ts";

export const outputFormats = ["table", "json", "ndjson", "name"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Flags that every command knows. */
export const everyFlags = {
  output: {
    short: "o",
    value: "FORMAT",
    choices: outputFormats,
    summary:
      "The output format: table, json (as the API returns it), ndjson (one object a line), name (ids only).",
  },
  "no-color": { summary: "Disable colors." },
  ...helpFlag,
} as const satisfies FlagSpecs;

/** Flags of every command that asks a broker. */
export const brokerFlags = {
  profile: {
    value: "NAME",
    offers: "profiles",
    summary:
      "The saved broker, token and org to use; dev is the project's svc dev (default: SVC_PROFILE, or svc profile use).",
  },
  url: {
    value: "URL",
    summary: "The broker's URL (default: SVC_URL, the profile, or the project's svc dev).",
  },
  org: {
    value: "ORG",
    summary: "The org to use, if the token has access to several (default: SVC_ORG).",
  },
  "token-file": {
    value: "FILE",
    summary: "Read the token from a file, or from standard input with - (default: SVC_TOKEN).",
  },
} as const satisfies FlagSpecs;

export type GlobalValues = {
  readonly output: OutputFormat;
  readonly "no-color": boolean;
  readonly profile: string | undefined;
  readonly url: string | undefined;
  readonly org: string | undefined;
  readonly "token-file": string | undefined;
};
