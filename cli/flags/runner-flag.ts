/** The flag that names a runner, where one is needed; without it `runnerOf` knows one or refuses. */
export const runnerFlag = <const Summary extends string>(summary: Summary) =>
  ({
    value: "RUNNER",
    offers: "runners",
    summary: `${summary} Default: that of the profile, or of the project's svc dev.`,
  }) as const;
