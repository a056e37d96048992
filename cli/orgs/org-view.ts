import type { Org } from "../../shared/api/orgs.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** An org as a line of a list, and by itself. */
export const orgView: View<Org> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};
