import { configLimits } from "../../../shared/app-config/config-fault.ts";
import type { ConfigTexts } from "./config-of.ts";

const { tomlBytes, tomlBytesOfAll, unpackedBytes, files: mostFiles, templates } = configLimits;

/** A valid config that is at every bound at once, but for less than a file: bytes, files, values, templates. */
export function configAtBounds(): ConfigTexts {
  const texts: Record<string, string> = {
    "metadata.toml": 'name = "bounds"\n',
    "inputs.toml": '[[input]]\nname = "map"\n',
  };
  const texted = 14;
  const named = Array.from(
    { length: texted },
    (_, at) => `[[var_file]]\ncontents = "./text${at}"\n`,
  );
  texts["sandbox.toml"] = `[public_repo]\nrepo = "r"\n${named.join("")}`;
  addThings(texts, mostFiles - texted - Object.keys(texts).length);
  const room = unpackedBytes - tomlBytesOfAll;
  for (let at = 0; at < texted; at++)
    texts[`text${at}`] = lineOf(room / texted, templates / texted, at);
  return texts;
}

/** Installs with as many values as may be, and all the TOML that may be, beside small actions, components and runbooks. */
function addThings(texts: Record<string, string>, files: number): void {
  const step = '[[steps]]\nname = "s"\n';
  const kinds: readonly [string, (name: string) => string][] = [
    ["actions", (name) => `name = "${name}"\n${step}command = "true"\n`],
    ["components", (name) => `type = "job"\nname = "${name}"\nimage_url = "i"\n`],
    ["runbooks", (name) => `name = "${name}"\n${step}type = "sandbox_reprovision"\n`],
    ["installs", (name) => `name = "${name}"\n`],
  ];
  let bytes = Object.values(texts).join("").length;
  for (let at = 0; at < files; at++) {
    const [folder, textOf] = kinds[at % kinds.length] ?? ["", String];
    const text = textOf(`n${at}`);
    texts[`${folder}/n${at}.toml`] = text;
    bytes += text.length;
  }
  for (let at = 3; bytes < tomlBytesOfAll && at < files; at += kinds.length) {
    const begin = `name = "n${at}"\n[[inputs]]\n[inputs.map]\n`;
    const most = Math.min(tomlBytes, tomlBytesOfAll - bytes);
    const pairs = Math.floor((most - begin.length) / pairBytes);
    if (pairs < 1) return;
    const text = begin + Array.from({ length: pairs }, (_, nth) => pairOf(nth)).join("");
    bytes += text.length - (texts[`installs/n${at}.toml`]?.length ?? 0);
    texts[`installs/n${at}.toml`] = text;
  }
}

/** So many bytes that values and TOML reach their bounds together. Names cost the most of all values. */
const pairBytes = 8;
const pairOf = (nth: number): string => `${(nth + 36 ** 4 * 10).toString(36)}=1\n`;

/** Lines with a template each; one letter of them makes all take twice the room in memory. */
function lineOf(bytes: number, lines: number, file: number): string {
  const template = `{{.svc.labels.x${file}}}`;
  const most = Math.floor((bytes - 3) / Math.floor(lines));
  const words = "x".repeat(Math.max(0, most - template.length - 1));
  return `€${`${template}${words}\n`.repeat(Math.floor(lines))}`;
}
