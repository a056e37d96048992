/** The kinds of account. */
export const accountTypes = ["auth", "auth0", "service", "canary", "integration"] as const;
