/** What brokers tell each other and themselves: something changed under this name, look again. */
export type Topic =
  | `queue:${string}`
  | `org:${string}`
  | `events:${string}`
  | `process:${string}`
  | `token:${string}`
  | `logs:${string}`
  | `claim:${string}`
  | `signals:${string}`
  | `webhook:${string}`
  | `policies:${string}`
  | `workflow:${string}`;

export const topics = {
  /** A job of this runner is available. */
  queue: (runnerId: string): Topic => `queue:${runnerId}`,
  /** Job events of this org were written. */
  org: (orgId: string): Topic => `org:${orgId}`,
  /** Events of this org's workflows were written. */
  events: (orgId: string): Topic => `events:${orgId}`,
  /** There is an order for this process. */
  process: (processId: string): Topic => `process:${processId}`,
  /** Workers can claim a signal of this queue. */
  signals: (queueId: string): Topic => `signals:${queueId}`,
  /** There is something to deliver to this webhook. */
  webhook: (webhookId: string): Topic => `webhook:${webhookId}`,
  /** Policies are to judge something of this org. */
  policies: (orgId: string): Topic => `policies:${orgId}`,
  /** This workflow was moved. */
  workflow: (workflowId: string): Topic => `workflow:${workflowId}`,
  /** This token was revoked or changed. */
  token: (tokenId: string): Topic => `token:${tokenId}`,
  /** Records were added to this log stream, or it was closed. */
  logs: (streamId: string): Topic => `logs:${streamId}`,
  /** This process parked a poll at a broker, which ends its older poll at another. */
  claim: (processId: string, instanceId: string): Topic => `claim:${processId}/${instanceId}`,
};

export type Wakes = {
  /** Call after the commit: wakes this broker's listeners now and the other brokers' within 10 ms. */
  readonly notify: (changed: readonly Topic[]) => void;
  /** Hears one topic, or with a prefix like "token:" all of its kind, until the returned function is called. */
  readonly subscribe: (topic: Topic | `${string}:`, listener: (topic: Topic) => void) => () => void;
};

/** The local half: `send` carries topics to other brokers, `heard` takes what they sent. */
export function makeWakes(send: (changed: readonly Topic[]) => void): Wakes & {
  receive: (changed: readonly Topic[]) => void;
} {
  const listeners = new Map<string, Set<(topic: Topic) => void>>();

  function receive(changed: readonly Topic[]): void {
    for (const topic of changed) {
      const kind = topic.slice(0, topic.indexOf(":") + 1);
      for (const listener of listeners.get(topic) ?? []) listener(topic);
      for (const listener of listeners.get(kind) ?? []) listener(topic);
    }
  }

  function notify(changed: readonly Topic[]): void {
    if (changed.length === 0) return;
    receive(changed);
    send(changed);
  }

  function subscribe(topic: string, listener: (topic: Topic) => void): () => void {
    const set = listeners.get(topic) ?? new Set();
    listeners.set(topic, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
    };
  }

  return { notify, subscribe, receive };
}
