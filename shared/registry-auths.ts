/** Who says what a caller may do at the registry of artifacts: nobody here, the broker by tokens that it signs, or the registry itself by logins that an org has there. */
export const registryAuths = ["none", "token", "fixed"] as const;
export type RegistryAuth = (typeof registryAuths)[number];
