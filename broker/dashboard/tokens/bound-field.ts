import { apps } from "../../../shared/api/app.ts";
import { installs } from "../../../shared/api/install.ts";
import type { BoundType } from "../../../shared/permissions.ts";
import type { Html, View } from "../page.ts";
import { choiceField, wrongField } from "../parts/fields.ts";
import { listed } from "../parts/listed.ts";

type Bound = { readonly bound_type: BoundType; readonly bound_id: string };

/** As many as one page of the API has; the pages of all others lead here with theirs chosen. */
const most = "100";

/** A choice among the org's apps and installs; the one that the address names, before all others. */
export async function boundField(view: View, entered: URLSearchParams): Promise<Html> {
  const asked = { query: { limit: most, cursor: "" } };
  const [appsFound, found] = await Promise.all([
    view.can("apps.read") ? view.ask(apps.list, asked) : [],
    view.can("installs.read") ? view.ask(installs.list, asked) : [],
  ]);
  const nameOf = new Map(listed(appsFound).items.map(({ id, name }) => [id, name]));
  const values = [
    ...listed(appsFound).items.map(
      ({ id, name }) => [`apps/${id}`, `App ${name}, with its installs`] as const,
    ),
    ...listed(found).items.map(
      ({ id, name, app_id: app }) =>
        [`installs/${id}`, `Install ${name} of ${nameOf.get(app) ?? app}`] as const,
    ),
  ];
  const named = entered.get("bound") ?? view.query.get("bound") ?? "";
  const isListed = named === "" || values.some(([value]) => value === named);
  return choiceField(
    {
      name: "bound",
      label: "Bound to",
      hint: "A bound token reaches that alone. An installer works on installs only with one.",
      value: named,
      values: [
        ["", "nothing: it reaches the org"],
        ...(isListed ? [] : [[named, named.split("/")[1] ?? named] as const]),
        ...values,
      ],
    },
    entered,
  );
}

/** What the form binds the token to. */
export function boundOf(form: URLSearchParams): Bound | undefined {
  const given = form.get("bound") ?? "";
  if (given === "") return undefined;
  const [, type, id = ""] = /^(apps|installs)\/(\w+)$/.exec(given) ?? [];
  if (type === undefined) throw wrongField("bound", "Choose an app or an install, or nothing.");
  return { bound_type: type as BoundType, bound_id: id }; // by the expression
}
