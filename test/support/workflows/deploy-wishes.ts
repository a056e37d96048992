/** What may happen to what is deployed besides, each as often as a walk needs it. */
export const deployWishWeights = {
  "state-moved": 1,
  busy: 2,
  "build-ended": 3,
  "no-op": 2,
} as const;
export type DeployWish = keyof typeof deployWishWeights;

export const isDeployWish = (wish: string): wish is DeployWish =>
  Object.hasOwn(deployWishWeights, wish);
