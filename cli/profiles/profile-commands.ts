import { UsageError } from "../../shared/command-line/usage-error.ts";
import { brandFlag, brandsIn } from "../apps/find-brands.ts";
import { type Command, defineCommand } from "../command.ts";
import type { CliConfig } from "../config.ts";
import { readDevFile } from "../connection/dev-file.ts";
import {
  devName,
  type Profile,
  readProfiles,
  requireProfileName,
  unknownProfile,
  withoutProfile,
  writeProfiles,
} from "../connection/profile.ts";
import { defineList } from "../lists/define-list.ts";
import type { View } from "../output/print.ts";

/** A profile as it is shown: without its token. */
type Shown = Omit<Profile, "token"> & { readonly name: string; readonly is_current: boolean };

const args = { profile: { summary: "The profile's name.", offers: "profiles" } } as const;

const profileLine: View<Shown> = {
  nameOf: ({ name }) => name,
  columns: {
    NAME: ({ name }) => name,
    USED: ({ is_current: isCurrent }) => (isCurrent ? "yes" : ""),
    URL: ({ url }) => url,
    ORG: ({ org }) => org ?? "",
    RUNNER: ({ runner }) => runner ?? "",
    BRANDS: ({ brands = [] }) => brands.join(","),
  },
};

const listProfiles = defineList({
  name: "profile list",
  summary: "List the saved profiles, and what the project's svc dev keeps as dev.",
  isLocal: true,
  isWhole: true,
  flags: { url: { value: "URL", summary: "Only profiles of this broker." } },
  examples: [{ does: "Show which profile commands use.", run: "svc profile list" }],
  view: profileLine,
  empty: "No profiles saved. Save one: svc auth login --profile NAME",
  read: async ({ config, flags }) => {
    const all = await shownProfiles(config);
    const items = all.filter(({ url }) => flags.url === undefined || flags.url === url);
    const page = { items, next_cursor: null };
    return { text: JSON.stringify(page), body: page };
  },
});

const useProfile = defineCommand({
  name: "profile use",
  summary: "Use a profile in later commands; dev is what the project's svc dev keeps.",
  isLocal: true,
  args,
  examples: [
    { does: "Switch to another broker.", run: "svc profile use staging" },
    { does: "Use the project's svc dev again.", run: "svc profile use dev" },
  ],
  run: async ({ args: { profile: name }, config, screen }) => {
    const saved = await readProfiles(config.profileFile);
    if (name !== devName && !Object.hasOwn(saved.profiles, name)) throw unknownProfile(name, saved);
    await writeProfiles(config.profileFile, { ...saved, current: name });
    screen.say(`Later commands use the profile ${name}.`);
    if (config.profile !== undefined && config.profile !== name)
      screen.say(`But SVC_PROFILE is ${config.profile}, which takes precedence.`);
  },
});

const updateProfile = defineCommand({
  name: "profile update",
  summary:
    "Change a profile's name, its brands, or the org and the runner that its commands act on.",
  isLocal: true,
  args,
  flags: {
    name: { value: "NAME", summary: "A new name." },
    org: { value: "ORG", summary: "The org of commands that name none." },
    runner: {
      value: "RUNNER",
      summary: "The runner of commands that name none; the empty string for none.",
    },
    brand: { ...brandFlag, summary: `${brandFlag.summary} The empty string for none.` },
  },
  examples: [
    {
      does: "Run jobs of later commands on one runner.",
      run: "svc profile update staging --runner run_…",
    },
  ],
  run: async ({ args: { profile: name }, flags, config, screen }) => {
    const saved = await readProfiles(config.profileFile);
    const found = Object.hasOwn(saved.profiles, name) ? saved.profiles[name] : undefined;
    if (found === undefined) throw unknownProfile(name, saved);
    const { org, runner, brand } = flags;
    const newName = flags.name === undefined ? name : requireProfileName(flags.name);
    if (newName === name && org === undefined && runner === undefined && brand === undefined)
      throw new UsageError("Nothing to change: give --name, --org, --runner or --brand.");
    if (newName !== name && Object.hasOwn(saved.profiles, newName))
      throw new UsageError(`There is already a profile "${newName}".`);
    const changed = {
      ...found,
      ...(org !== undefined && { org }),
      ...(runner !== undefined && { runner: runner || undefined }),
      ...(brand !== undefined && { brands: brandsIn(brand) }),
    };
    const rest = withoutProfile(saved, name);
    const current = saved.current === name ? newName : saved.current;
    const profiles = { ...rest.profiles, [newName]: changed };
    await writeProfiles(config.profileFile, { current, profiles });
    screen.say(`The profile ${newName} is changed.`);
  },
});

const deleteProfile = defineCommand({
  name: "profile delete",
  summary: "Forget a profile and its token. The token itself stays valid.",
  isLocal: true,
  args,
  examples: [{ does: "Forget a profile.", run: "svc profile delete staging" }],
  run: async ({ args: { profile: name }, config, screen }) => {
    const saved = await readProfiles(config.profileFile);
    if (!Object.hasOwn(saved.profiles, name)) throw unknownProfile(name, saved);
    await writeProfiles(config.profileFile, withoutProfile(saved, name));
    screen.say(`The profile ${name} is gone. To revoke its token: svc token revoke TOKEN`);
  },
});

async function shownProfiles(config: CliConfig): Promise<Shown[]> {
  const { current, profiles } = await readProfiles(config.profileFile);
  const dev = await readDevFile(config.dataDir);
  const isDevFirst = config.isDataDirTold && dev !== undefined;
  const used = config.profile ?? (isDevFirst ? devName : (current ?? devName));
  const own: Record<string, Omit<Profile, "token">> = dev === undefined
    ? {}
    : { [devName]: { url: dev.url, org: dev.org_id, runner: dev.runner_id } };
  return Object.entries({ ...profiles, ...own }).map(([name, { url, org, runner, brands }]) => ({
    name,
    is_current: name === used,
    url,
    org,
    runner,
    brands,
  }));
}

/** The commands of saved profiles. */
export const profileCommands: readonly Command[] = [
  listProfiles,
  useProfile,
  updateProfile,
  deleteProfile,
];
