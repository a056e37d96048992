/** To which addresses the broker may make the calls that orgs ask for, from the narrowest on. */
export const egressModes = ["strict", "internal", "off"] as const;
export type EgressMode = (typeof egressModes)[number];
