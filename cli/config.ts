import { homedir } from "node:os";
import path from "node:path";

/** What the environment says to the command line. */
export type CliConfig = {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly orgId: string | undefined;
  /** Where profiles are kept. */
  readonly profileFile: string;
  /** Where `svc dev` keeps its own; told by SVC_DATA_DIR, or this project's .svc/. */
  readonly dataDir: string;
  readonly isDataDirTold: boolean;
  readonly hasColor: boolean;
  readonly databaseUrl: string | undefined;
  /** Handed whole to a broker that this process starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** The variables that the command line reads, with what they are for; docs/cli.md lists them. */
export const variables = {
  SVC_URL: "The broker's URL.",
  SVC_TOKEN:
    "The token to call it with. A token is never a flag's value: other users would see it.",
  SVC_ORG: "The org to act in, where the token reaches several.",
  SVC_DATA_DIR: "Where `svc dev` keeps its database and tokens; the project's .svc/, unless told.",
  DATABASE_URL: "The Postgres of `svc broker`, `svc migrate`, `svc token create` and `svc dev`.",
  XDG_CONFIG_HOME: "Profiles are kept in svc/config.json there; in ~/.config, unless told.",
  NO_COLOR: "Any value: no colours.",
} as const;

const projectDir = path.resolve(import.meta.dirname, "..");

/** Reads the environment; an empty variable is an absent one. */
export function readCliConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): CliConfig {
  const read = (name: keyof typeof variables | "TERM") => env[name] || undefined;
  const configHome = read("XDG_CONFIG_HOME") ?? path.join(homedir(), ".config");
  return {
    url: read("SVC_URL")?.replace(/\/+$/, ""),
    token: read("SVC_TOKEN"),
    orgId: read("SVC_ORG"),
    profileFile: path.join(configHome, "svc", "config.json"),
    dataDir: path.resolve(read("SVC_DATA_DIR") ?? path.join(projectDir, ".svc")),
    isDataDirTold: read("SVC_DATA_DIR") !== undefined,
    hasColor: read("NO_COLOR") === undefined && read("TERM") !== "dumb",
    databaseUrl: read("DATABASE_URL"),
    env,
  };
}
