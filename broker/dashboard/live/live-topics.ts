/** What a page can wait for: jobs of the org, a log, signals of a queue, the next minute. */
export const liveTopicPattern = /^(?:jobs|minute|log:lgs_\w{1,40}|queue:que_\w{1,40})$/;
export type LiveTopic = "jobs" | "minute" | `log:${string}` | `queue:${string}`;

/** Whether it is one that a browser may ask for. */
export function isLiveTopic(text: string): text is LiveTopic {
  return liveTopicPattern.test(text);
}
