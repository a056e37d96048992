/** What the last look for a newer image of a component came to. */
export const imageUpdateStatuses = ["pending", "current", "new", "tried", "failed"] as const;
export type ImageUpdateStatus = (typeof imageUpdateStatuses)[number];
