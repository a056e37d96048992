import { z } from "zod";
import { parseDurationMs } from "../../shared/duration.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import {
  type RunnerJobGroup,
  runnerJobGroups,
  runnerJobTypeNames,
} from "../../shared/runner-job-types.ts";

/** Slots by group, as `--groups deploy=1,actions=4` gives them. */
export type GroupSlots = Readonly<Partial<Record<RunnerJobGroup, number>>>;

const mostSlots = 100;
const unitBytes: Readonly<Record<string, number>> = {
  "": 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** One of these words. */
export const words = <const W extends readonly [string, ...string[]]>(
  ...all: W
): z.ZodEnum<{ [K in W[number]]: K }> => z.enum(all, { error: `must be one of ${all.join(", ")}` });

/** Some text. */
export const text = z.string().min(1);

/** An http or https URL, kept without slashes at its end. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((url) => url.replace(/\/+$/, ""));

/** The same, or `off`. */
export const urlOrOff = z.union([z.literal("off"), httpUrl], {
  error: "must be an http or https URL, or off",
});

/** A program and its arguments, separated by spaces. */
export const commandWords = z.string().transform((given, ctx): readonly string[] => {
  const parts = given.split(" ").filter((part) => part !== "");
  if (parts.length > 0) return parts;
  ctx.addIssue({ code: "custom", message: "must be a program and its arguments" });
  return z.NEVER;
});

/** http or https URLs, without slashes at their ends; `off` for none. */
export const releaseUrls = z.string().transform((given, ctx): readonly string[] => {
  if (given === "off") return [];
  const urls = listed(given).map((one) => httpUrl.safeParse(one));
  if (urls.length > 0 && urls.every(({ success }) => success)) {
    return urls.flatMap(({ data }) => data ?? []);
  }
  ctx.addIssue({ code: "custom", message: "must be a comma-separated list of URLs, or off" });
  return z.NEVER;
});

/** Repositories of container images, without tags: `registry.example.com/svc-agent`. */
export const imageRepositories = z.string().transform((given, ctx): readonly string[] => {
  const names = listed(given);
  if (names.length > 0 && names.every((name) => imageRepository.test(name))) return names;
  const words = "must be a comma-separated list of image repositories without tags";
  ctx.addIssue({ code: "custom", message: words });
  return z.NEVER;
});

const imageRepository = /^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9][a-z0-9._-]*)*$/;

/** A duration like 30s or 1h30m, as milliseconds. */
export function durationMs(least: number, most: number): z.ZodType<number, string> {
  const words = `must be a duration like 30s or 10m, from ${least} ms to ${most / 60_000} min`;
  return z.string().transform((given, ctx) => {
    const ms = parseDurationMs(given);
    if (ms !== undefined && ms >= least && ms <= most) return ms;
    ctx.addIssue({ code: "custom", message: words });
    return z.NEVER;
  });
}

/** A size like 512MiB or 2GiB, as bytes. */
export const sizeBytes = z.string().transform((given, ctx) => {
  const [, amount, unit = ""] = /^(\d+)\s*(KiB|MiB|GiB)?$/.exec(given) ?? [];
  if (amount !== undefined) return Number(amount) * (unitBytes[unit] ?? 1);
  ctx.addIssue({ code: "custom", message: "must be a size like 512MiB or 2GiB" });
  return z.NEVER;
});

/** An amount of memory that a few processes fit into. */
export const memorySize = sizeBytes.refine((bytes) => bytes >= 16 * 2 ** 20, {
  error: "must be a size like 512MiB or 2GiB, 16MiB or more",
});

/** A whole number from 0 on. */
export const count = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number, 0 or more")
  .transform(Number);

/** The limit of a job's processes: at least its shell and some programs. */
export const processCount = count.refine((most) => most >= 8, {
  error: "must be a whole number, 8 or more",
});

/** A range of uids, the first and the last. */
export type UserRange = { readonly first: number; readonly last: number };

const mostUsers = 1_000;
const mostUserId = 2 ** 31 - 1;
/** The uid `nobody`, which stands for unmapped users. */
const nobody = 65_534;

/** `59800-59831`, or one uid: users that nothing else uses. */
export const userRange = z.string().transform((given, ctx): UserRange => {
  const [, from, to = from] = /^([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?$/.exec(given) ?? [];
  const [first, last] = [Number(from), Number(to)];
  const isRange = first <= last && last - first < mostUsers && last <= mostUserId;
  if (isRange && (last < nobody || first > nobody)) return { first, last };
  const words = `must be a range of user ids like 59800-59831: at most ${mostUsers} users, without 0 (root) and ${nobody} (nobody)`;
  ctx.addIssue({ code: "custom", message: words });
  return z.NEVER;
});

const fewestIds = 65_536;

/** A range of ids for at least one build. */
export const idRange = z.string().transform((given, ctx): UserRange => {
  const [, from, to] = /^([1-9]\d{0,9})-([1-9]\d{0,9})$/.exec(given) ?? [];
  const [first, last] = [Number(from), Number(to)];
  const isRange = last - first + 1 >= fewestIds && last <= mostUserId;
  if (isRange && (last < nobody || first > nobody)) return { first, last };
  const words = `must be a range of at least ${fewestIds} ids like 1900000000-1965535999, without ${nobody} (nobody)`;
  ctx.addIssue({ code: "custom", message: words });
  return z.NEVER;
});

/** A port, 0 for none, or `auto` for a free one. */
export const port = z.string().transform((given, ctx): number | "auto" => {
  if (given === "auto") return given;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  ctx.addIssue({ code: "custom", message: "must be a port number, 0 (disabled) or auto" });
  return z.NEVER;
});

/** `deploy=1,actions=4`; a group without a number has one slot. */
export const groupSlots = z.string().transform((given, ctx): GroupSlots => {
  const slots: Partial<Record<RunnerJobGroup, number>> = {};
  for (const part of given.split(",")) {
    const [name = "", amount = "1"] = part.trim().split("=");
    const group = runnerJobGroups.find((one) => one === name);
    if (group === undefined) {
      ctx.addIssue({ code: "custom", message: unknownGroup(name) });
    } else if (!/^\d{1,3}$/.test(amount) || Number(amount) > mostSlots) {
      ctx.addIssue({
        code: "custom",
        message: `sets ${name} to something other than a number from 0 to ${mostSlots}`,
      });
    } else {
      slots[group] = Number(amount);
    }
  }
  return slots;
});

/** `terraform-deploy,actions-workflow`. */
export const jobTypes = z.string().transform((given, ctx): ReadonlySet<string> => {
  const types = listed(given);
  for (const type of types) {
    if (runnerJobTypeNames.some((known) => known === type)) continue;
    const meant = nearestWord(type, runnerJobTypeNames);
    const hint = meant === undefined ? "" : `: did you mean ${meant}?`;
    ctx.addIssue({ code: "custom", message: `has an unknown job type "${type}"${hint}` });
  }
  return new Set(types);
});

/** Ids of workspaces. */
export const workspaceIds = z.string().transform((given, ctx): ReadonlySet<string> => {
  const ids = listed(given);
  const wrong = ids.find((id) => !/^[\w.:-]{1,200}$/.test(id));
  if (wrong !== undefined || ids.length === 0) {
    ctx.addIssue({
      code: "custom",
      message: "must be a comma-separated list of workspace ids",
    });
  }
  return new Set(ids);
});

const listed = (given: string): string[] =>
  given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function unknownGroup(name: string): string {
  const known = runnerJobGroups.filter((group) => group !== "");
  const meant = nearestWord(name, known);
  const hint =
    meant === undefined ? `the groups are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `has an unknown job group "${name}": ${hint}`;
}
