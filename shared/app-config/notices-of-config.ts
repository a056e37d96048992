import type { Path } from "./config-fault.ts";
import type { Section } from "./config-files.ts";
import { notDeployed } from "./not-deployed.ts";
import type { RawConfig } from "./raw-config.ts";
import { isTable, tablesAt, textIn } from "./rules/rule.ts";

/** Something of a config on which this version does not act: where it is, and in words. */
type Notice = { readonly path: Path; readonly detail: string };
type Config = Pick<RawConfig, "tree" | "fileOf">;
/** A thing of a section, or the section as a whole. */
type Thing = { readonly path: Path; readonly is: string };

/** Tells of each part of a config on which this version does not act, at the first thing of it. */
export function noticesOfConfig(config: Config): Notice[] {
  return notDeployed.flatMap(({ sections, only, today }) =>
    sections.flatMap((section) => {
      const [first, ...others] =
        only === undefined ? thingsOf(config, section) : someOf(config, section, only);
      return first === undefined ? [] : [noticeOf(first, others.length, today.replaceAll("`", ""))];
    }),
  );
}

function noticeOf({ path, is }: Thing, others: number, today: string): Notice {
  const more = others === 0 ? "" : ` and ${others} more`;
  return { path, detail: `${is}${more}: in this version ${today}` };
}

type Only = NonNullable<(typeof notDeployed)[number]["only"]>;

const someOf = ({ tree }: Config, section: Section, { list, member, value }: Only): Thing[] =>
  inOrder(
    tablesAt(tree, section, list)
      .filter((one) => textIn(one, member) === value)
      .map((one) => ({ path: [...one.path, member], is: `${list} ${textIn(one, "name") ?? ""}` })),
  );

/** So that a directory and its document say the same. */
const inOrder = (things: Thing[]): Thing[] => things.sort((a, b) => (a.is < b.is ? -1 : 1));

function thingsOf(config: Config, section: Section): Thing[] {
  const value = config.tree[section];
  if (Array.isArray(value))
    return inOrder(
      tablesAt(config.tree, section).map((one) => ({
        path: one.path,
        is: `${nounOf(section)} ${textIn(one, "name") ?? ""}`.trim(),
      })),
    );
  if (!isTable(value)) return [];
  return [{ path: placeOf(config, section, value), is: section.replaceAll("_", " ") }];
}

/** `branches` are each a branch. */
const nounOf = (section: Section): string => section.replace(/(?<=ch)es$|s$/, "");

/** Where a section is: the first of what is in it, where it is nothing but lists or many files. */
function placeOf({ fileOf }: Config, section: Section, value: object): Path {
  const members = Object.entries(value) as [string, unknown][];
  const inner = members.map(([key, one]) =>
    Array.isArray(one) ? [section, key, 0] : [section, key],
  );
  const areLists = members.every(([, one]) => Array.isArray(one));
  const paths = areLists ? [...inner, [section]] : [[section], ...inner];
  return paths.find((path) => fileOf(path) !== "") ?? [section];
}
