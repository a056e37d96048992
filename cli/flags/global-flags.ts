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
      "How results are shown: table, json (the API's own), ndjson (one line each), name (ids).",
  },
  "no-color": { summary: "No colours." },
  ...helpFlag,
} as const satisfies FlagSpecs;

/** Flags of every command that asks a broker. */
export const brokerFlags = {
  url: {
    value: "URL",
    summary: "The broker; else SVC_URL, the profile, or the project's svc dev.",
  },
  org: {
    value: "ORG",
    summary: "The org to act in, where the token reaches several; else SVC_ORG.",
  },
  "token-file": {
    value: "FILE",
    summary: "Read the token from a file, or from standard input for -; else SVC_TOKEN.",
  },
} as const satisfies FlagSpecs;

export type GlobalValues = {
  readonly output: OutputFormat;
  readonly "no-color": boolean;
  readonly url: string | undefined;
  readonly org: string | undefined;
  readonly "token-file": string | undefined;
};

/** The flags of every command that shows a page of a list. */
export const pageFlags = {
  limit: { value: "N", summary: "How many to show, at most 100 (default 50)." },
  cursor: { value: "CURSOR", summary: "Continue where the previous page ended." },
} as const satisfies FlagSpecs;
