/** What can be on or off in an org; each is a setting of the org by this name. */
export const orgFeatures = [
  {
    name: "prevent_self_approval",
    description: "Who is behind a workflow can neither approve it nor set approve-all on it.",
  },
  {
    name: "auto_skip_noops",
    description: "A deploy whose plan changes nothing asks nobody and ends as noop.",
  },
] as const;

export const orgFeatureNames = orgFeatures.map(({ name }) => name);
