/** The id of a job's or a process's log stream: its owner's, with another prefix. As log_stream_of in SQL. */
export function logStreamOf(ownerId: string): string {
  return `lgs_${ownerId.slice(4)}`;
}
