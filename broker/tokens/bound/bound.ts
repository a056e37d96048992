import type { BoundType } from "../../../shared/permissions.ts";

/** The app or the install that a token is bound to: it reaches this alone, and of an app its installs. */
export type Bound = { readonly type: BoundType; readonly id: string };
