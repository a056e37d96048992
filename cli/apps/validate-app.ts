import type { CheckedConfig } from "../../shared/app-config/check-config.ts";
import type { ConfigFault } from "../../shared/app-config/config-fault.ts";
import type { ConfigFolder } from "../../shared/app-config/config-folder.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";
import { brandFlag, findBrands } from "./find-brands.ts";

/** The flag of commands that check a config. */
export const strictFlag = {
  strict: { summary: "Refuse keys and files that nothing knows, which is a warning else." },
} as const;

/** The flags of commands that may fetch texts. */
export const fetchFlags = {
  fetch: {
    summary:
      "Fetch the texts of URLs that stand in the place of texts, by HTTPS: at most 1 MiB each.",
  },
  "fetch-private": { summary: "With --fetch: also from private networks and from this host." },
} as const;

/** A directory that fetches texts, if it is to. */
export async function withFetch(
  folder: ConfigFolder,
  flags: { readonly fetch: boolean; readonly "fetch-private": boolean },
): Promise<ConfigFolder> {
  const isPrivateAllowed = flags["fetch-private"];
  if (isPrivateAllowed && !flags.fetch) throw new UsageError("--fetch-private needs --fetch.");
  if (!flags.fetch) return folder;
  const { makeFetchText } = await import("./fetch-text.ts");
  return { ...folder, fetch: makeFetchText({ isPrivateAllowed }) };
}

export const validateApp = defineCommand({
  name: "app validate",
  summary:
    "Check an app's config without a broker: every fault at once, with its file, line and column.",
  details:
    "Exits with 1 where there are faults; warnings are no faults, nor are notices of what this version does not deploy yet. With -o json, the faults as a broker answers them, " +
    "and the checksum of a config without any.",
  isLocal: true,
  args: { folder: { summary: "The config's directory." } },
  flags: { brand: brandFlag, ...strictFlag, ...fetchFlags },
  examples: [
    { does: "Check the example.", run: "svc app validate examples/app" },
    { does: "Refuse what nothing knows.", run: "svc app validate examples/app --strict" },
    { does: "The same for programs.", run: "svc app validate examples/app -o json" },
  ],
  run: async ({ args, flags, config: settings, screen }) => {
    const { checkConfigFolder } = await import("../../shared/app-config/check-config.ts");
    const { appNameOf, openConfigFolder } = await import("./open-config-folder.ts");
    const folder = await withFetch(await openConfigFolder(args.folder), flags);
    const checked = await checkConfigFolder(folder, {
      appName: await appNameOf(args.folder),
      isStrict: flags.strict,
      brands: await findBrands(settings, { brand: flags.brand, profile: undefined }),
    });
    if (screen.format === "json" || screen.format === "ndjson") {
      const { errors, warnings, notices, config } = checked;
      screen.out(
        JSON.stringify({
          valid: config !== undefined,
          checksum: config?.checksum,
          errors,
          warnings,
          notices,
        }),
      );
    } else {
      showNotices(screen, checked.notices);
      showChecked(screen, checked, args.folder);
    }
    return checked.config === undefined ? exitCodes.failed.code : exitCodes.ok.code;
  },
});

/** Shows what is wrong with a config, a fault a line, and what may be meant otherwise. */
export function showChecked(screen: Screen, checked: CheckedConfig, folder: string): void {
  const { errors, errorCount, warnings, config } = checked;
  for (const fault of errors) screen.out(lineOf(fault));
  for (const fault of warnings) screen.say(`${lineOf(fault)} (warning)`);
  if (errorCount > errors.length) screen.say(`… and ${errorCount - errors.length} more.`);
  if (config === undefined) {
    screen.say(`${folder}: ${errorCount} ${errorCount === 1 ? "fault" : "faults"}.`);
    return;
  }
  const { components = [], actions = [], runbooks = [] } = config.document;
  const counts = `${count(actions, "action")}, ${count(components, "component")}, ${count(runbooks, "runbook")}`;
  screen.say(`${folder}: valid: ${counts}. Checksum ${config.checksum.slice(0, 12)}.`);
}

/** Says on what of a config nothing acts, a part a line. */
export function showNotices(screen: Screen, notices: readonly ToldFault[]): void {
  for (const notice of notices) screen.say(`${lineOf(notice)} (notice)`);
}

const count = (list: readonly unknown[], noun: string): string =>
  `${list.length} ${noun}${list.length === 1 ? "" : "s"}`;

/** What is told of a place. */
export type ToldFault = Pick<ConfigFault, "file" | "line" | "column" | "detail"> & {
  readonly code: string;
};

/** As compilers write it, so that editors and terminals make links of it. */
function lineOf({ file, line, column, code, detail }: ToldFault): string {
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  return `${place}: ${code}: ${detail}`;
}
