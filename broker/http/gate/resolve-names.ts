import { isNamedParam } from "../../../shared/id-names.ts";
import { isIdShaped } from "../../../shared/reserved-names.ts";
import type { Broker } from "../../broker.ts";
import { findAppOf, findNamed } from "../../names/find-named.ts";
import { someApp, tablesOfApp } from "../../names/named-kinds.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppContext } from "../app-types.ts";
import { paramsOf } from "./params-of.ts";
import { permitFor } from "./with-permit.ts";

type Params = Readonly<Record<string, string>>;

/** Longer names are nobody's. */
const mostLength = 255;

/**
 * Puts ids where the path has names of apps, installs, components, actions and runbooks, and the app for `_`. A path with ids alone costs
 * nothing; what is not found stays as it was, which the check of the path refuses.
 */
export function resolveNames(
  c: AppContext,
  broker: Broker,
  actor: Actor,
): Promise<void> | undefined {
  if (actor.runnerId !== null) return undefined; // agents know ids
  const params = paramsOf(c);
  if (!Object.entries(params).some(isName)) return undefined;
  return permitFor(c, broker)(async () => c.set("params", await idsFor(broker, actor, params)));
}

const isName = ([param, value]: [string, string]): boolean =>
  isNamedParam(param) && !isIdShaped(value) && value.length <= mostLength;

async function idsFor({ db }: Broker, actor: Actor, params: Params): Promise<Params> {
  const found: Record<string, string> = {};
  let app: string | undefined;
  for (const [param, value] of Object.entries(params)) {
    const isLast = Object.keys(params).at(-1) === param;
    if (param === "app_id" && value === someApp) continue;
    if (isName([param, value]) && isNamedParam(param)) {
      const one = await findNamed(db, actor, {
        param,
        name: value,
        ...(app !== undefined && { app }),
      });
      if (one === undefined) break;
      found[param] = one.id;
      app ??= one.app_id;
    } else if (param === "app_id") app = value;
    else if (param === "install_id" && !isLast) {
      app = await findAppOf(db, actor, { table: "installs", id: value });
      if (app === undefined) break;
    } else if (app === undefined && Object.hasOwn(tablesOfApp, param)) {
      app = await findAppOf(db, actor, { table: tablesOfApp[param] ?? "", id: value });
      if (app === undefined) break;
    }
  }
  if (params["app_id"] === someApp && app !== undefined) found["app_id"] = app;
  return { ...params, ...found };
}
