/** What a sandbox is handed of policies of its cluster: they travel in its plan. */
export const mostClusterPolicies = { files: 200, bytes: 2 ** 20 } as const;
