/** A key for ssh: the file that has it, and the one server that is offered it. */
export type GitKey = {
  readonly host: string;
  readonly port: number;
  readonly file: string;
  /** The file of the only keys by which the server is known. */
  readonly hostsFile?: string;
};

const alone = "ssh -o BatchMode=yes";

/** How git calls ssh: without keys of a plan or of the agent's settings as this host's user would, else by this file. */
export const sshCommand = (configFile: string | undefined): string =>
  configFile === undefined
    ? `${alone} -o StrictHostKeyChecking=accept-new`
    : `${alone} -F '${configFile}'`;

/**
 * The settings for ssh: each key is offered to its server alone, by host and port, whatever else ssh is asked to reach.
 * What this host's user has set follows, but its own keys are offered to nobody where `isAlone`. A name that git was given
 * is never a part of a command here.
 */
export function sshConfig(
  keys: readonly GitKey[],
  { isAlone }: { readonly isAlone: boolean },
): string {
  const own = keys.map(
    ({ host, port, file, hostsFile }) =>
      `Match originalhost "${host}" exec "test %p -eq ${port}"\n  IdentityFile "${file}"\n${noOther}${
        hostsFile === undefined ? "" : knownBy(hostsFile)
      }`,
  );
  const rest =
    "Match all\n  StrictHostKeyChecking accept-new\n  Include ~/.ssh/config\n  Include /etc/ssh/ssh_config";
  return `${[...own, ...(isAlone ? refuseOthers(keys) : []), rest].join("\n")}\n`;
}

/** What comes first is what ssh takes. */
const knownBy = (file: string): string =>
  `\n  UserKnownHostsFile "${file}"\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  UpdateHostKeys no`;

const noOther = "  IdentitiesOnly yes\n  IdentityAgent none";

/** Other servers, and other ports of those that have a key. */
function refuseOthers(keys: readonly GitKey[]): string[] {
  const hosts = [...new Set(keys.map(({ host }) => host))];
  const ofHosts = hosts.map((name) => {
    const ports = keys.filter(({ host }) => host === name).map(({ port }) => port);
    const isOne = ports.map((port) => `test %p -eq ${port}`).join(" || ");
    return `Match originalhost "${name}" exec "! { ${isOne}; }"`;
  });
  const others = `Match originalhost "${["*", ...hosts.map((host) => `!${host}`)].join(",")}"`;
  return [...ofHosts, others].map((match) => `${match}\n  IdentityFile none\n${noOther}`);
}
