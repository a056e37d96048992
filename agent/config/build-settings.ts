import { idRange, sizeBytes, text, words } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** Settings of jobs that build images. */
export const buildSettings = {
  "build-isolation": {
    value: "on|off",
    schema: words("on", "off"),
    byDefault: "on",
    doc: "Whether what a Dockerfile runs is kept apart from this host, by namespaces of its own. on: where that is not possible, docker-build jobs fail; off: it runs as the agent's own user, with the host's network.",
  },
  "build-network": {
    value: "public|none",
    schema: words("public", "none"),
    byDefault: "public",
    doc: "What a Dockerfile reaches when it runs something. public: public addresses, by slirp4netns; none: nothing. Private networks, metadata servers and this host are never reached.",
  },
  "build-ids": {
    value: "ID-ID",
    schema: idRange,
    byDefault: "1900000000-1965535999",
    doc: "Range of user and group ids that nothing else on this host uses, of which each build of an image has 65,536. Only an agent that is root uses them; another takes what /etc/subuid and /etc/subgid give its user.",
  },
  "git-credentials": {
    value: "FILE",
    schema: text,
    doc: "File that says who signs in at which git server when a build fetches sources: lines of HOST USER token-file=PATH, or HOST USER ssh-key=PATH known-hosts=PATH. Each is offered to that host and port alone. The file and those that it names must be readable by the agent's user only.",
  },
  "build-disk": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "20GiB",
    doc: "Limit of what one build of an image may take of the disk, and of the images that it is made of.",
  },
  "build-cache": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "10GiB",
    doc: "Limit of the layers that are kept in the data directory for the next builds of the same images. Those of components that were built longest ago go first. 0: none are kept.",
  },
  "registry-credentials": {
    value: "FILE",
    schema: text,
    doc: "File with logins to registries, like docker's config.json, for the images that Dockerfiles begin with. Only its owner may read it. Each login goes to its own registry alone, and to nothing that a Dockerfile runs.",
  },
} as const satisfies Record<string, Setting>;
