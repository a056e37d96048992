import type { Actor } from "../tokens/actor.ts";
import { lackedBy } from "../tokens/token-rules.ts";
import { permissionsIn } from "./permissions-in.ts";
import { factsOf, type ListedRole } from "./row.ts";

/** The ids of those roles that somebody may give and take: they have all that these permit. */
export const takeableRoles = (
  roles: readonly ListedRole[],
  by: Pick<Actor, "permissions">,
): string[] =>
  roles
    .filter((role) => lackedBy(by, permissionsIn(factsOf(role), false)) === undefined)
    .map(({ id }) => id);
