import type { ComponentBuild } from "../../shared/api/builds.ts";
import type { SandboxBuild } from "../../shared/api/sandbox-builds.ts";
import { followRun } from "../actions/follow-run.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";

type Build = ComponentBuild | SandboxBuild;
type Context = Parameters<typeof followRun>[0];

/** Flags of what begins builds. */
export const buildFlags = {
  ref: {
    value: "REF",
    summary: "A branch, tag or commit in place of the branch that the config names.",
  },
  force: { summary: "Build also where the commit is the one that was built last." },
  "no-wait": { summary: "Do not follow it." },
} as const;

/** The body of the request that begins a build. */
export const buildBody = ({
  ref,
  force,
}: {
  readonly ref?: string | undefined;
  readonly force: boolean;
}) => ({
  ...(ref === undefined ? { use_latest: true } : { git_ref: ref }),
  ...(force && { force }),
});

type Begun = {
  readonly builds: readonly [Build, ...Build[]];
  /** They are printed as a list. */
  readonly isList: boolean;
  readonly isWaiting: boolean;
  readonly read: (build: Build) => Promise<Build>;
};

/** Follows builds that were begun together, or prints them; the exit code is 0 where all are built. */
export async function runBuilds(
  context: Context,
  { builds, isList, isWaiting, read }: Begun,
): Promise<number> {
  const { screen } = context;
  const [{ workflow_id: workflowId }] = builds;
  const isFollowed = screen.format === "table" && isWaiting;
  if (isFollowed)
    for (const build of builds) screen.say(`${build.id} of ${nameOf(build)} has begun.`);
  if (!isWaiting) {
    printBuilds(screen, builds, isList);
    screen.say(`Watch it: svc workflow watch ${workflowId}`);
    return exitCodes.ok.code;
  }
  process.once("SIGINT", () => {
    screen.say(`The build continues. See it: svc workflow watch ${workflowId}`);
    process.exit(exitCodes.interrupted.code);
  });
  const code = await followRun(context, { workflowId, isLone: builds.length === 1 });
  const ended = await Promise.all(builds.map(read));
  if (isFollowed) for (const build of ended) screen.say(endText(build));
  else printBuilds(screen, ended, isList);
  return code;
}

const nameOf = (build: Build): string =>
  "component_name" in build ? build.component_name : "the sandbox";

/** To standard output: all as one array, where all were asked for. */
function printBuilds(screen: Screen, builds: readonly Build[], isList: boolean): void {
  const isJson = screen.format === "json" || screen.format === "ndjson";
  if (isJson && isList) screen.out(JSON.stringify(builds));
  else for (const build of builds) screen.out(isJson ? JSON.stringify(build) : build.id);
}

/** What came of a build, in a line. */
function endText(build: Build): string {
  const { artifact, status, status_description, no_op } = build;
  const made = artifact === undefined ? "" : ` ${artifact.digest}`;
  const why = status === "active" ? "" : `: ${status_description}`;
  const same = no_op ? ", unchanged since the build before" : "";
  return `${nameOf(build)} is ${status}${why}${made}${same}`;
}
