/** Who says what a caller may do at the registry of artifacts: nobody here, or the broker by tokens that it signs. */
export const registryAuths = ["none", "token"] as const;
export type RegistryAuth = (typeof registryAuths)[number];
