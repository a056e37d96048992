import { z } from "@hono/zod-openapi";

/** The kinds of things that a subscription may be narrowed to. */
export const matchKinds = ["installs", "components", "actions"] as const;
export type MatchKind = (typeof matchKinds)[number];

const mostIds = 500;
const mostLabels = 64;
const mostBytes = 16 * 1024;
const labelKey = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;

const idsSchema = z
  .array(z.string().min(1).max(100))
  .min(1, { error: "Give at least one id, or leave ids out." })
  .max(mostIds)
  .transform((ids) => [...new Set(ids)].toSorted());

const labelsSchema = z
  .record(
    z.string().regex(labelKey, {
      error: "A key is a letter or digit, then up to 62 of letters, digits, dot, _, / and -.",
    }),
    z.string().max(255),
  )
  .refine((labels) => Object.keys(labels).length > 0, {
    params: { code: "empty_selector" },
    message: "Give at least one label: without any, the selector would mean everything.",
  })
  .refine((labels) => Object.keys(labels).length <= mostLabels, {
    message: `At most ${mostLabels} labels are allowed.`,
  })
  .transform((labels) => Object.fromEntries(Object.entries(labels).toSorted(byKey)))
  .describe("All of them must be there. The value * means any value.");

const kindSchema = z
  .strictObject({
    ids: idsSchema.optional(),
    selector: z.strictObject({ match_labels: labelsSchema }).optional(),
  })
  .describe("One of the ids, or labels that fit the selector. Empty: any of this kind.");

/** What a webhook is narrowed to, in its one form; null is everything in the org. */
export type Match = Partial<Readonly<Record<MatchKind, z.infer<typeof kindSchema>>>> | null;

const givenSchema = z
  .strictObject({
    installs: kindSchema.optional(),
    components: kindSchema.optional(),
    actions: kindSchema.optional(),
  } satisfies Record<MatchKind, z.ZodType>)
  .openapi("NewWebhookMatch");

/** A match as it is given, read into its one form: sorted, without doubles; an empty one is null. */
export const matchSchema = z
  .union([givenSchema, z.null()])
  .transform((given): Match => {
    if (given === null) return null;
    const kinds = matchKinds.flatMap((kind) => {
      const { ids, selector } = given[kind] ?? {};
      if (given[kind] === undefined) return [];
      return [[kind, { ...(ids && { ids }), ...(selector && { selector }) }] as const];
    });
    return kinds.length === 0 ? null : Object.fromEntries(kinds);
  })
  .refine((match) => Buffer.byteLength(JSON.stringify(match)) <= mostBytes, {
    params: { code: "too_big" },
    message: "A match has at most 16 KiB as JSON without doubles. Use fewer ids, or labels.",
  });

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
