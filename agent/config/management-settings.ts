import {
  commandWords,
  durationMs,
  imageRepositories,
  releaseUrls,
  text,
  words,
} from "./parsers.ts";
import type { Setting } from "./setting.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Settings of management mode: what `svc-agent mng` may do on its host. No plan and no setting of a runner adds to it. */
export const managementSettings = {
  "management-dir": {
    value: "DIR",
    schema: text,
    doc: "Directory with programs for jobs of mode mng, each named like its job type. A program there is run instead of what svc-agent mng does itself.",
  },
  "mng-driver": {
    value: "child|systemd|docker",
    schema: words("child", "systemd", "docker"),
    byDefault: "child",
    doc: "How svc-agent mng runs the install agent: as its child process, as a systemd unit, or as a docker container.",
  },
  "mng-agent-config": {
    value: "FILE",
    schema: text,
    byDefault: "/etc/svc-agent/agent.conf",
    doc: "Settings file of the install agent, which svc-agent mng starts with --config.",
  },
  "mng-agent-data-dir": {
    value: "DIR",
    schema: text,
    byDefault: "/var/lib/svc-agent",
    doc: "Data directory of the install agent, in its container with the driver docker: there svc-agent mng reads which process it is.",
  },
  "mng-agent-token-file": {
    value: "FILE",
    schema: text,
    doc: "The token-file of the install agent. If it is set, svc-agent mng writes its own token there when there is none, and rotates it for jobs mng-fetch-token.",
  },
  "mng-versions-dir": {
    value: "DIR",
    schema: text,
    doc: "Directory with versions of the agent (drivers child and systemd), as VERSION/svc-agent.mjs or VERSION/svc-agent. Only svc-agent mng may be able to write to it. Default: versions/ in the data directory.",
  },
  "mng-releases": {
    value: "URL,…|off",
    schema: releaseUrls,
    byDefault: "off",
    doc: "URLs from which versions may be downloaded; the first is used unless runner_binary_url of the runner's settings is another of them. off: only versions that are in mng-versions-dir.",
  },
  "mng-release-key": {
    value: "FILE",
    schema: text,
    doc: "File with OpenPGP keys. One of them must have signed the checksums of a downloaded version. Without it nothing is downloaded.",
  },
  "mng-oldest-version": {
    value: "VERSION",
    schema: text,
    doc: "Oldest version that svc-agent mng switches to, such as 1.4.0.",
  },
  "mng-unit": {
    value: "UNIT",
    schema: text,
    byDefault: "svc-agent.service",
    doc: "The unit of the install agent (driver systemd). What mng-link points at is what it must start.",
  },
  "mng-unit-scope": {
    value: "system|user",
    schema: words("system", "user"),
    byDefault: "system",
    doc: "Whether mng-unit belongs to the host's service manager, or to that of the user.",
  },
  "mng-link": {
    value: "FILE",
    schema: text,
    doc: "Symbolic link that svc-agent mng points at the program of a version (driver systemd). Default: current in mng-versions-dir.",
  },
  "mng-container": {
    value: "NAME",
    schema: text,
    byDefault: "svc-agent",
    doc: "Name of the install agent's container (driver docker).",
  },
  "mng-container-args": {
    value: "FILE",
    schema: text,
    doc: "File with arguments of docker create, one a line, such as --volume=svc-agent:/var/lib/svc-agent.",
  },
  "mng-image": {
    value: "IMAGE",
    schema: text,
    doc: "Image of the container when it does not exist yet and the runner's settings name none.",
  },
  "mng-images": {
    value: "REPOSITORY,…",
    schema: imageRepositories,
    doc: "Repositories of images that svc-agent mng may switch to, without tags. Default: none.",
  },
  "mng-image-issuer": {
    value: "URL",
    schema: text,
    doc: "With mng-image-identity: cosign must verify that this issuer's certificate signed an image before svc-agent mng switches to it, whatever the runner's settings say. Default: what those say, which may be nothing.",
  },
  "mng-image-identity": {
    value: "REGEXP",
    schema: text,
    doc: "The identity that must have signed it. It matches anywhere in the identity unless it begins with ^ and ends with $.",
  },
  "mng-probation": {
    value: "DURATION",
    schema: durationMs(100, hourMs),
    byDefault: "1m",
    doc: "How long a new version may take to send its first heartbeat before the previous one is started again.",
  },
  "mng-update-window": {
    value: "DURATION",
    schema: durationMs(0, 24 * hourMs),
    byDefault: "10m",
    doc: "Window in which hosts follow a changed version or image of the runner's settings, each at a moment of its own. 0: at once.",
  },
  "mng-power-off": {
    value: "yes|no",
    schema: words("yes", "no"),
    byDefault: "no",
    doc: "Whether svc-agent mng may power this host off: for jobs mng-vm-shut-down, and for vm_max_uptime of the runner's settings.",
  },
  "mng-power-off-command": {
    value: "COMMAND",
    schema: commandWords,
    byDefault: "systemctl poweroff",
    doc: "Command that powers this host off: a program and its arguments, separated by spaces, without a shell.",
  },
} as const satisfies Record<string, Setting>;
