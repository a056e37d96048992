/** What may happen to a workflow, each as often as a walk needs it to get anywhere: what ends a workflow is seldom asked for. */
export const wishWeights = {
  look: 2,
  turn: 3,
  "job-finished": 4,
  "job-failed": 4,
  "job-cancelled": 1,
  "job-stopped": 4,
  condition: 3,
  approve: 4,
  deny: 1,
  "deny-skip-current": 1,
  replan: 1,
  "approve-all": 1,
  retry: 6,
  skip: 2,
  cancel: 1,
  "cancel-step": 1,
  resume: 2,
  hours: 3,
  days: 1,
} as const;
export type Wish = keyof typeof wishWeights;
