import path from "node:path";
import { readJobText } from "../../job-users/job-files.ts";
import type { CommandEnd } from "../../jobs/execution-state.ts";
import { type FailureReason, JobFailure } from "../../jobs/job-failure.ts";
import { type ActionStep, type GitSource, stepTitle } from "./action-steps.ts";
import { gitAccess } from "./git-access.ts";
import type { StepGround } from "./step-ground.ts";

/** Where a source is, and how much of its step's time it took. */
export type FetchedSource = { readonly folder: string; readonly tookMs: number };

/** Fetches a step's source, within the step's time; steps that name the same one share it. */
export async function fetchSource(
  ground: StepGround,
  step: ActionStep,
  source: GitSource,
): Promise<FetchedSource> {
  const { job, run } = ground;
  const key = JSON.stringify(source);
  const first = run.steps.find((other) => JSON.stringify(other.source) === key) ?? step;
  const folder = path.join(job.place.workspace, "sources", `${first.index + 1}`);
  const access = await gitAccess(job, source, `git-${first.index + 1}`);
  const saidFile = path.join(job.place.secrets, `git-${first.index + 1}.said`);
  const end = await job.run({
    key: `${first.index}/source`,
    step: step.name,
    argv: ["sh", "-c", fetchScript],
    cwd: path.dirname(folder),
    env: {
      ...ground.env({}),
      ...access.env,
      SVC_GIT_FOLDER: folder,
      SVC_GIT_SAID: saidFile,
      SVC_GIT_URL: access.url,
      SVC_GIT_REF: source.tag === undefined ? (source.ref ?? "") : `refs/tags/${source.tag}`,
      SVC_GIT_COMMIT: source.commit ?? "",
      SVC_GIT_SUBMODULES: source.withSubmodules ? "yes" : "",
    },
    timeoutMs: step.timeoutMs,
    isCleanup: step.isAlways,
  });
  if (end.why === "exited" && end.code === 0) {
    return { folder, tookMs: first.index === step.index ? end.tookMs : 0 };
  }
  throw await fetchFailure(ground, { step, url: access.url, source, end, saidFile });
}

/**
 * One commit, without history. A server may refuse to hand out a commit by its name: then everything is fetched. What
 * git complains of is kept in memory, to be told.
 */
const fetchScript = `
set -u
complain() { cat "$SVC_GIT_SAID" >&2; exit "$1"; }
say() { "$@" 2>"$SVC_GIT_SAID"; }
command -v git >/dev/null || exit 70
rm -rf "$SVC_GIT_FOLDER"
say git init -q "$SVC_GIT_FOLDER" || complain 71
cd "$SVC_GIT_FOLDER" || exit 71
say git remote add origin "$SVC_GIT_URL" || complain 71
want=\${SVC_GIT_COMMIT:-\${SVC_GIT_REF:-HEAD}}
if say git fetch -q --depth 1 --no-tags origin "$want"; then
  found=FETCH_HEAD
else
  case $want in
    *[!0-9a-f]*) complain 72 ;;
  esac
  [ "\${#want}" -ge 7 ] || complain 72
  say git fetch -q --tags origin '+refs/heads/*:refs/remotes/origin/*' || complain 72
  found=$want
fi
commit=$(say git rev-parse --verify -q "$found^{commit}") || {
  echo "fatal: there is no commit $want in it" >"$SVC_GIT_SAID"
  complain 72
}
say git checkout -q --detach "$commit" || complain 73
if [ -n "$SVC_GIT_SUBMODULES" ]; then
  say git submodule --quiet update --init --recursive --depth 1 || complain 74
fi
echo "source at $commit"
`;

/** What git complains of is at the end of a few lines. */
const mostSaidBytes = 2 ** 20;

type Failed = {
  readonly step: ActionStep;
  /** The URL without credentials. */
  readonly url: string;
  readonly source: GitSource;
  readonly end: CommandEnd;
  readonly saidFile: string;
};

const phases: Readonly<Record<number, string>> = {
  71: "no repository could be made",
  72: "it could not be fetched",
  73: "it could not be checked out",
  74: "its submodules could not be fetched",
};

const reasons: Partial<Record<CommandEnd["why"], FailureReason>> = {
  lost: "lost",
  "timed-out": "timeout_step",
};

async function fetchFailure(
  { job }: StepGround,
  { step, url, source, end, saidFile }: Failed,
): Promise<JobFailure> {
  const { commit, tag, ref } = source;
  const what = `${url}${(commit ?? tag ?? ref) ? ` at ${commit ?? tag ?? ref}` : ""}`;
  const fail = (words: string, reason: FailureReason): JobFailure =>
    new JobFailure(`${stepTitle(step)}: the source ${what}: ${job.shown(words)}.`, { reason });
  if (end.code === 70) return fail("git is not on this machine", "tool_missing");
  const phase = end.why === "exited" ? phases[end.code ?? 0] : undefined;
  if (phase === undefined) return fail(end.words, reasons[end.why] ?? "source_unavailable");
  const said = await readJobText(saidFile, job.place.owner, mostSaidBytes);
  return fail(
    [phase, complaintOf(job.shown(said))].filter(Boolean).join(": "),
    "source_unavailable",
  );
}

/** The last thing that git called fatal or an error; of a text without secrets, for it is cut. */
function complaintOf(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  const fatal =
    lines.findLast((line) => /^(?:fatal|error|remote):/i.test(line)) ?? lines.at(-1) ?? "";
  return fatal.slice(0, 500).replace(/\.$/, "");
}
