import { z } from "zod";

const counts = z.record(z.string(), z.number());
const plannedChangesSchema = z.looseObject({
  op: z.string(),
  counts,
  /** For people: a line for each object, and for each changed member. */
  plan: z.string(),
  content_diff: z
    .array(z.looseObject({ action: z.string(), changes: z.array(z.looseObject({})).nullish() }))
    .nullish(),
  /** Of manifests: how many objects are not remembered by the name yet. */
  unremembered: z.number().nullish(),
  /** Of helm: where the release stands. */
  release: z.looseObject({ status: z.string() }).nullish(),
});

/** What a planning job of helm, manifests or cluster jobs has found that would change. */
export type PlannedChanges = z.infer<typeof plannedChangesSchema>;

/** Reads them from the JSON of a result; undefined when it is something else. */
export function parsePlannedChanges(text: string): PlannedChanges | undefined {
  try {
    return plannedChangesSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const words = {
  create: "to create",
  update: "to update",
  delete: "to delete",
  conflict: "in conflict",
  keep: "to keep",
  unchanged: "unchanged",
} as const;

/** "Plan: 2 to create, 1 to delete." */
export function changeCountWords({
  counts: all,
  unremembered,
}: Pick<PlannedChanges, "counts" | "unremembered">): string {
  const told = Object.entries(words).flatMap(([name, means]) => {
    const count = all[name] ?? 0;
    return count === 0 ? [] : [`${count} ${means}`];
  });
  const news = (all["create"] ?? 0) + (all["conflict"] ?? 0);
  const adopted = Math.max(0, (unremembered ?? 0) - news);
  if (adopted > 0) told.push(`${adopted} of them to remember by the name`);
  return `Plan: ${told.join(", ")}.`;
}
