import { homedir } from "node:os";
import path from "node:path";
import { quoted } from "./output/quoted.ts";

/** What the environment says to the command line. */
export type CliConfig = {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly orgId: string | undefined;
  /** The profile that is used, unless a flag names one. */
  readonly profile: string | undefined;
  /** Where profiles are kept. */
  readonly profileFile: string;
  /** Where `svc dev` keeps its own; told by SVC_DATA_DIR, or this project's .svc/. */
  readonly dataDir: string;
  readonly isDataDirTold: boolean;
  readonly hasColor: boolean;
  /** Whether the terminal, if there is one, can take back what it shows. */
  readonly canRedraw: boolean;
  /** How it is typed here: `svc` where that is on the PATH, else what the launcher was called by, like `./svc`. */
  readonly launchedAs: string;
  readonly databaseUrl: string | undefined;
  /** Handed whole to a broker that this process starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** The variables that the command line reads, with what they are for; docs/cli.md lists them. */
export const variables = {
  SVC_URL: "The broker's URL.",
  SVC_TOKEN:
    "The API token. There is no flag for it, because other users of the machine could read it.",
  SVC_ORG: "The org to use, if the token has access to several.",
  SVC_PROFILE: "The profile to use, in place of the one that `svc profile use` chose.",
  SVC_DATA_DIR: "Where `svc dev` stores its database and tokens (default: the project's .svc/).",
  DATABASE_URL:
    "The Postgres that `svc broker`, `svc migrate`, `svc token create` and `svc dev` use.",
  SVC_OPA: "The program of OPA that `svc policy test` uses (default: `opa` on the PATH).",
  XDG_CONFIG_HOME: "Profiles are stored in svc/config.json there (default: ~/.config).",
  NODE_EXTRA_CA_CERTS: "More CA certificates to trust, in a file (PEM).",
  NO_COLOR: "Any value disables colors.",
} as const;

const projectDir = path.resolve(import.meta.dirname, "..");

/** Reads the environment; an empty variable is an absent one. */
export function readCliConfig(
  given: Readonly<Record<string, string | undefined>> = process.env,
): CliConfig {
  const { SVC_LAUNCHED_AS: _, ...env } = given; // of this process alone
  const read = (name: keyof typeof variables | "TERM" | "SVC_LAUNCHED_AS") =>
    given[name] || undefined;
  const configHome = read("XDG_CONFIG_HOME") ?? path.join(homedir(), ".config");
  return {
    url: read("SVC_URL")?.replace(/\/+$/, ""),
    token: read("SVC_TOKEN"),
    orgId: read("SVC_ORG"),
    profile: read("SVC_PROFILE"),
    profileFile: path.join(configHome, "svc", "config.json"),
    dataDir: path.resolve(read("SVC_DATA_DIR") ?? path.join(projectDir, ".svc")),
    isDataDirTold: read("SVC_DATA_DIR") !== undefined,
    hasColor: read("NO_COLOR") === undefined && read("TERM") !== "dumb",
    canRedraw: read("TERM") !== "dumb",
    launchedAs: quoted(read("SVC_LAUNCHED_AS") ?? "svc"),
    databaseUrl: read("DATABASE_URL"),
    env,
  };
}
