import { gzipSync } from "node:zlib";
import { tarEnd, tarEntry } from "../../test/support/apps/tar-entry.ts";

/** What a loud org's app is: a readme and an action whose templates take nearly all the steps that one may. */
export const noisyApp = {
  "metadata.toml": { name: "noise", readme: heavyTemplate(60) },
  actions: {
    "heavy.toml": {
      name: "heavy",
      steps: [{ name: "run", command: `echo "${heavyTemplate(60)}"` }],
    },
  },
};

/** Loops in loops in loops over so many things. */
export function heavyTemplate(things: number): string {
  const list = Array.from({ length: things }, () => "a").join(",");
  return `{{ $l := split "," "${list}" }}{{ range $l }}{{ range $l }}{{ range $l }}{{ end }}{{ end }}{{ end }}`;
}

/** Directories of configs, packed, in base64: what checking costs is in few bytes. The second is legal, and near every bound. */
export const noisyArchives = {
  deepNames: packed([["inputs.toml", `[${"a.".repeat(63_999)}a]\n`]]),
  templates: packed(
    files(14).flatMap((name) => [
      [`actions/${name}.toml`, actionOf(name, `inline_contents = "./${name}.sh"`)],
      [`${name}.sh`, "echo {{ .svc.install.name }}\n".repeat(34_000)],
    ]),
  ),
  unknownKeys: packed(
    files(15).map((name) => {
      const keys = Array.from({ length: 9_000 }, (_, key) => `k${key} = 1\n`).join("");
      return [`actions/${name}.toml`, keys + actionOf(name, 'command = "true"')];
    }),
  ),
};

/** The document of a large config that is legal and is stored, for reads. */
export const largeConfig = {
  "metadata.toml": { name: "large" },
  actions: Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [
      `a${n}.toml`,
      {
        name: `a${n}`,
        steps: [{ name: "run", inline_contents: `# ${"x".repeat(78)}\n`.repeat(800) }],
      },
    ]),
  ),
};

function files(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `f${n}`);
}

function actionOf(name: string, runs: string): string {
  return `name = "${name}"\n[[steps]]\nname = "run"\n${runs}\n`;
}

function packed(entries: readonly (readonly string[])[]): string {
  const named = [["metadata.toml", 'name = "costly"\n'] as const, ...entries];
  const parts = named.map(([name = "", text]) => tarEntry(name, text));
  return gzipSync(Buffer.concat([...parts, tarEnd])).toString("base64");
}
