import { getComponentRoute, listComponentsRoute } from "../../../shared/api/components.ts";
import type { Caller } from "../../command.ts";
import { pageOfListing } from "../../lists/listing-pages.ts";
import { findApp } from "../find-app.ts";
import { findPart } from "./find-part.ts";

/** The component that a name or an id means, and what names it in paths. */
export async function findComponent(
  call: Caller,
  given: { readonly app: string; readonly component: string },
) {
  const { id: app_id, name: app } = (await findApp(call, given.app)).body;
  const wanted = { kind: "component", prefix: "cmp", app, given: given.component } as const;
  const found = await findPart(wanted, {
    read: (id) => call(getComponentRoute, { params: { app_id, component_id: id } }),
    byName: async (name) => {
      const query = { name, limit: "1", cursor: "" };
      return pageOfListing(await call(listComponentsRoute, { params: { app_id }, query }));
    },
  });
  return { found, params: { app_id, component_id: found.body.id } };
}
