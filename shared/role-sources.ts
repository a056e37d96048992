/** Why a role was looked at for a job of an install, the first that count more; `runner`: it runs as its runner. */
export const roleSources = ["break_glass", "entity", "matrix", "default", "runner"] as const;
export type RoleSource = (typeof roleSources)[number];
