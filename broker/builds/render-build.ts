import { findReferences } from "../../shared/app-config/templates/find-references.ts";
import type { Json } from "../../shared/app-config/templates/json-value.ts";
import { renderValue } from "../../shared/app-config/templates/render-template.ts";
import { quickBudget, RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { type Brands, rootsOf } from "../../shared/brands.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";

type Named = { readonly id: string; readonly name: string };
type Known = { readonly org: Named; readonly app: Named; readonly brands: Brands };
type Members = Readonly<Record<string, unknown>>;

/** What a build uses, rendered with what is known before there is an install. */
export function renderBuild(
  { org, app, brands }: Known,
  { file, words }: { readonly file: string; readonly words: string },
  given: { readonly own: Members; readonly source: Members | null },
): { readonly value: Json } | CompositeFault {
  const svc = { org: { id: org.id, name: org.name }, app: { id: app.id, name: app.name } };
  const foreign = textsIn(given).flatMap((text) => foreignIn(text, brands))[0];
  if (foreign !== undefined)
    return faultOf(
      "missing_value",
      "It cannot be built as its config says",
      `${words} is built with .svc.${foreign}, which is of an install. What a build uses can refer to the org and the app only.`,
      { retryable: false },
    );
  const work = new RenderWork(quickBudget);
  const state = Object.fromEntries(rootsOf(brands).map((root) => [root, svc]));
  const place = { file, member: "" };
  const { value, faults } = renderValue(given as unknown as Json, state, place, { work });
  if (value !== undefined) return { value };
  const [first] = faults;
  const detail = `${first?.member ?? ""} line ${first?.line ?? 1}: ${first?.detail ?? "it takes too much"}`;
  return faultOf(
    first?.code ?? "render_failed",
    "It cannot be built as its config says",
    `${detail} (${file}). What a build uses can refer to the org and the app only.`,
    { retryable: false },
  );
}

/** What a text reads that no org and no app has, also where it would do without. */
const foreignIn = (text: string, brands: Brands): string[] =>
  findReferences(text, brands)
    .references.map(({ path }) => path.join("."))
    .filter((path) => !/^(?:org|app)(?:\.(?:id|name))?$/.test(path));

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return value.includes("{{") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
