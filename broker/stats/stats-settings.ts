import { whole } from "../setting-schemas.ts";

/** For how long the figures of charts are kept. */
export const statsSettings = {
  SVC_RETAIN_MINUTE_STATS_DAYS: {
    schema: whole(1, 3650).default(2),
    doc: "Days after which figures by the minute are deleted.",
  },
  SVC_RETAIN_FIVE_MINUTE_STATS_DAYS: {
    schema: whole(1, 3650).default(14),
    doc: "Days after which figures by five minutes are deleted.",
  },
  SVC_RETAIN_HOUR_STATS_DAYS: {
    schema: whole(1, 3650).default(90),
    doc: "Days after which figures by the hour are deleted.",
  },
  SVC_RETAIN_DAY_STATS_DAYS: {
    schema: whole(1, 3650).default(1095),
    doc: "Days after which figures by the day are deleted.",
  },
} as const;

/** For how many days rollups of each width (in seconds) are kept. */
export type RetainStatsDays = Readonly<Record<60 | 300 | 3600 | 86_400, number>>;

/** The settings by the width that they are of. */
export function retainStatsDaysOf(
  read: Readonly<Record<keyof typeof statsSettings, number>>,
): RetainStatsDays {
  return {
    60: read.SVC_RETAIN_MINUTE_STATS_DAYS,
    300: read.SVC_RETAIN_FIVE_MINUTE_STATS_DAYS,
    3600: read.SVC_RETAIN_HOUR_STATS_DAYS,
    86_400: read.SVC_RETAIN_DAY_STATS_DAYS,
  };
}
