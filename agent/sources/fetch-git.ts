import path from "node:path";
import { readJobText } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import type { JobFailure } from "../jobs/job-failure.ts";
import type { CommandEnd } from "../jobs/stored-execution.ts";
import { gitAccess } from "./git-access.ts";
import { type SourceClass, sourceFailure } from "./source-failure.ts";
import type { FetchedSource, GitSource, SourceFetch } from "./source.ts";

/**
 * Fetches a commit of a git repository into a directory of the job. Repeated with the same name, also by another
 * process of the agent, it returns the earlier result. Throws JobFailure.
 */
export async function fetchGit(
  job: Job,
  source: GitSource,
  fetch: SourceFetch,
): Promise<FetchedSource> {
  const { workspace, secrets, owner } = job.directories;
  const folder = path.join(workspace, "sources", fetch.name);
  const access = await gitAccess(job, source, `git-${fetch.name}`);
  const saidFile = path.join(secrets, `git-${fetch.name}.said`);
  const commitFile = path.join(secrets, `git-${fetch.name}.commit`);
  const { key, step, env, timeoutMs, isCleanup } = fetch;
  const end = await job.run({
    key,
    step,
    argv: ["sh", "-c", fetchScript],
    cwd: path.dirname(folder),
    env: {
      ...env,
      ...access.env,
      SVC_GIT_FOLDER: folder,
      SVC_GIT_SAID: saidFile,
      SVC_GIT_FOUND: commitFile,
      SVC_GIT_URL: access.url,
      SVC_GIT_REF: source.tag === undefined ? (source.ref ?? "") : `refs/tags/${source.tag}`,
      SVC_GIT_COMMIT: source.commit ?? "",
      SVC_GIT_SUBMODULES: source.withSubmodules ? "yes" : "",
    },
    timeoutMs,
    ...(isCleanup !== undefined && { isCleanup }),
  });
  if (end.why === "exited" && end.code === 0) {
    const found = foundIn(await readJobText(commitFile, owner, 100));
    return { folder, tookMs: end.tookMs, ...found };
  }
  throw await fetchFailure(job, { title: fetch.title, url: access.url, source, end, saidFile });
}

/** What the script found. Its file in memory is gone after a reboot: then there may be files of Git LFS. */
export function foundIn(text: string): Required<Pick<FetchedSource, "revision" | "hasLfs">> {
  const [revision = "", besides] = text.split("\n");
  return { revision, hasLfs: besides === "lfs" || text === "" };
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
lfs='git ls-files -z | git check-attr -z --stdin filter | tr "\\0" "\\n" | grep -x lfs || :'
found=
if [ -n "$(git ls-files -- '*.gitattributes')" ]; then found=$(sh -c "$lfs" | head -n 1); fi
if [ -n "$SVC_GIT_SUBMODULES" ]; then
  found=$found$(git submodule --quiet foreach --recursive "$lfs" | head -n 1)
fi
{ echo "$commit"; [ -z "$found" ] || echo lfs; } >"$SVC_GIT_FOUND"
echo "source at $commit"
`;

/** What git complains of is at the end of a few lines. */
const mostSaidBytes = 2 ** 20;

type Failed = {
  readonly title: string;
  /** The URL without credentials. */
  readonly url: string;
  readonly source: GitSource;
  readonly end: CommandEnd;
  readonly saidFile: string;
};

const phases: Readonly<Record<number, string>> = {
  71: "creating the repository failed",
  72: "fetching it failed",
  73: "checking it out failed",
  74: "fetching its submodules failed",
};

async function fetchFailure(
  job: Job,
  { title, url, source, end, saidFile }: Failed,
): Promise<JobFailure> {
  const { commit, tag, ref } = source;
  const what = `${url}${(commit ?? tag ?? ref) ? ` at ${commit ?? tag ?? ref}` : ""}`;
  const fail = sourceFailure.bind(undefined, { title, what, end });
  if (end.code === 70)
    return fail({ words: "git is not installed on this host", reason: "tool_missing" });
  const phase = end.why === "exited" ? phases[end.code ?? 0] : undefined;
  if (phase === undefined) return fail({ words: job.redact(end.words) });
  const said = await readJobText(saidFile, job.directories.owner, mostSaidBytes);
  const complaint = complaintOf(job.redact(said));
  const words = [phase, complaint].filter(Boolean).join(": ");
  return fail({ words: job.redact(words), class: classOf(complaint) ?? classOf(said) });
}

/** The last error or fatal message of git, redacted before it is cut. */
function complaintOf(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  const fatal =
    lines.findLast((line) => /^(?:fatal|error|remote):/i.test(line)) ?? lines.at(-1) ?? "";
  return fatal.slice(0, 500).replace(/\.$/, "");
}

const complaints: readonly (readonly [RegExp, SourceClass])[] = [
  [
    /authentication failed|could not read (?:username|password)|permission denied|\b40[13]\b/i,
    "auth",
  ],
  [/invalid path|malicious/i, "unsafe"],
  [
    /not found|does not (?:exist|appear to be)|couldn't find remote ref|no commit|\b404\b/i,
    "not_found",
  ],
  [/resolve host|failed to connect|connection|timed out|early eof|certificate/i, "network"],
];

/** Recognized by git's messages in the C locale, which have been stable for years. */
function classOf(complaint: string): SourceClass | undefined {
  return complaints.find(([pattern]) => pattern.test(complaint))?.[1];
}
