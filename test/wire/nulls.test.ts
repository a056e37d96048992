import { glob } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { validateBody } from "../../broker/http/gate/validate.ts";
import type { RouteRule } from "../../shared/route-rule.ts";

type Route = {
  readonly operationId: string;
  readonly rule: RouteRule;
  readonly request?: {
    readonly body?: { readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> };
  };
};

/** Where null says something in what programs and operators send, and what. Everywhere else it is as if the member were left out. */
const meanings: readonly (readonly [place: RegExp, meaning: string])[] = [
  [/^updateCurrentOrg #\/retention_days\/\w+$/, "as long as the broker keeps it"],
  [/^(create|update)InstallConfig #\/\w+$/, "the app's default"],
  [/^\w+ #\/install_config\/\w+$/, "the app's default"],
  [/^\w+ #\/inputs\/\{\}(\/\{\})?$/, "there is no value, also where there was one"],
  [/^(create|update)Webhook #\/match$/, "the whole org"],
  [/^updateEmitter #\/(dedupe_key|signal_expires_in)$/, "none any more"],
  [/^createInstall(OfApp)? #\/sandbox_mode$/, "as its runner group, which is the default"],
  [/^createAdhocRun #\/enable_kube_config$/, "the default"],
  [/\/plan$/, "none, which is the default"],
  [/\/(plan|signal|signal_template|body|result)(\/\{\})+$/, "data, which is kept as it is"],
];

test("null is as if a member were left out, but where it has a meaning", async () => {
  const taken = new Set<string>();
  const routes = await routesWithBody();
  expect(routes.length).toBeGreaterThan(80);
  for (const [name, schema] of routes)
    walk(schema, `${name} #`, {
      takesNull: (at) => taken.add(at),
      optional: (at, member) => {
        const one = z.strictObject({ it: member });
        const read = (given: object): unknown => validateBody(one, given, { isNullAbsent: true });
        expect({ at, read: read({ it: null }) }).toEqual({ at, read: read({}) });
      },
    });
  const unknown = [...taken].filter((at) => !meanings.some(([place]) => place.test(at)));
  expect(unknown).toEqual([]);
  const unused = meanings.filter(([place]) => ![...taken].some((at) => place.test(at)));
  expect(unused).toEqual([]);
});

test("a null goes from the text that is kept of a body, too; within such a text none goes", () => {
  const schema = z.strictObject({
    signal: z.record(z.string(), z.string()).default({}),
    note: z.string().optional(),
  });
  const verbatim = new Map([["#/signal", "null"]]);
  const rules = { isNullAbsent: true, verbatim };
  expect(validateBody(schema, { signal: null, note: null }, rules)).toEqual({ signal: {} });
  expect([...verbatim]).toEqual([]);
  verbatim.set("#/signal", '{"a":null}');
  expect(() => validateBody(schema, { signal: { a: null } }, rules)).toThrow();
});

type Found = {
  readonly takesNull: (at: string) => void;
  readonly optional: (at: string, member: z.ZodType) => void;
};

/** Deeper lies only what contains itself. */
const mostLevels = 24;

function walk(schema: z.ZodType, at: string, found: Found, levels = 0): void {
  if (levels > mostLevels) return;
  const inner = (one: unknown, name = ""): void =>
    walk(one as z.ZodType, `${at}${name}`, found, levels + 1); // parts of schemas are schemas
  if (schema instanceof z.ZodObject)
    for (const [name, member] of Object.entries(schema.shape)) {
      look(member as z.ZodType, `${at}/${name}`, found);
      inner(member, `/${name}`);
    }
  else if (schema instanceof z.ZodRecord) {
    if (takesNull(schema.valueType as z.ZodType)) found.takesNull(`${at}/{}`);
    inner(schema.valueType, "/{}");
  } else if (schema instanceof z.ZodArray) inner(schema.element, "/[]");
  else if (schema instanceof z.ZodUnion) for (const one of schema.options) inner(one);
  else if (schema instanceof z.ZodPipe) inner(schema.in);
  else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    inner(schema.unwrap());
}

const takesNull = (schema: z.ZodType): boolean => schema.safeParse(null).success;

function look(member: z.ZodType, at: string, found: Found): void {
  if (takesNull(member)) found.takesNull(at);
  else if (member.safeParse(undefined).success) found.optional(at, member);
}

/** The bodies of all routes that no runner's program calls, by operation. */
async function routesWithBody(): Promise<readonly (readonly [string, z.ZodType])[]> {
  const found = new Map<string, z.ZodType>();
  for await (const file of glob("shared/api/*.ts")) {
    if (file.endsWith(".test.ts")) continue;
    const all = (await import(/* @vite-ignore */ `../../${file}`)) as Readonly<
      Record<string, unknown>
    >;
    for (const one of Object.values(all)) {
      if (typeof one !== "object" || one === null || !("operationId" in one)) continue;
      const { operationId, rule, request } = one as Route;
      const schema = request?.body?.content["application/json"]?.schema;
      if (schema !== undefined && rule.surface !== "runner" && rule.archive !== true)
        found.set(operationId, schema);
    }
  }
  return [...found];
}
