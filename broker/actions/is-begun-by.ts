import type { ShownAction } from "../../shared/api/actions.ts";

/** Whether the active config says that one of these begins the action; each that it has may be begun by hand. */
export const isBegunBy =
  (types: readonly string[]) =>
  ({ config }: ShownAction): boolean => {
    if (config === null) return false;
    const triggers = config["triggers"];
    const own = Array.isArray(triggers) ? (triggers as readonly { readonly type?: unknown }[]) : []; // by the config's schema
    return [{ type: "manual" }, ...own].some(({ type }) => types.some((one) => one === type));
  };
