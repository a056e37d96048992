import { readFile, stat } from "node:fs/promises";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import {
  isAddress,
  type NamedSource,
  namedSource,
  readLogin,
  sourceWords,
} from "../plans/named-source.ts";
import { packFolder } from "../plans/pack-folder.ts";

type Flags = {
  readonly repo: string | undefined;
  readonly version: string | undefined;
  readonly "plain-http": boolean;
  readonly login: string | undefined;
};

/** The members of a plan that say which chart it is. */
type PlanChart =
  | { readonly source: NamedSource | { readonly archive: string } }
  | { readonly chart: object };

const rules = {
  leftOut: /^(?:\.git|\.svc)$/,
  holds: /^Chart\.yaml$/,
  otherwise: "holds no chart: there is no Chart.yaml in it",
  hint: "What a .helmignore names is sent, too: helm leaves it out when it packs a chart.",
};
const mostPackedBytes = 8 * 2 ** 20;

/** The chart that CHART names: a folder or a package of this machine, in a registry, in git, or in a repository of charts. */
export async function readChart(given: string, flags: Flags): Promise<PlanChart> {
  const { repo, version } = flags;
  const login = await readLogin(flags.login);
  if (repo !== undefined) {
    return { chart: { repository: repo, name: given, ...(version && { version }), ...login } };
  }
  if (isAddress(given)) {
    if (given.startsWith("git::")) refuseVersion(version, "what is in git: ?ref= says which");
    const isPlain = flags["plain-http"];
    return { source: namedSource(given, { tag: version, isPlain, login }) };
  }
  refuseVersion(version, "a chart of this machine");
  const found = await stat(given).catch(() => undefined);
  if (found === undefined) {
    throw new UsageError(
      `There is no chart ${given} here.`,
      `A chart of a repository takes --repo URL; ${sourceWords} name others.`,
    );
  }
  const archive = found.isFile() ? await readPacked(given) : await packFolder(given, rules);
  return { source: { archive } };
}

function refuseVersion(version: string | undefined, what: string): void {
  if (version === undefined) return;
  throw new UsageError(`--version goes with --repo and oci://, not with ${what}.`);
}

/** As `helm package` makes it. */
async function readPacked(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code ?? "unknown"}).`);
  });
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    throw new UsageError(`${file} is no chart: a folder is, or what helm package makes.`);
  }
  if (bytes.length <= mostPackedBytes) return bytes.toString("base64");
  throw new UsageError(`${file} is too large to be sent: 8 MiB are the most.`);
}
