import { childFiles as files } from "./child-files.ts";

const readBytes = 4_096;
const mostReads = 1_024;
const fewestReads = 16;
/** From this many unread segments on, their size is checked. */
const segmentsAhead = 3;
/** This many children whose output is not read fit into the run directory. */
const childrenThatFit = 8;

/** How much of a child's output may wait to be read. */
export type OutputBound = {
  /** The most reads of 4 KiB in a segment. */
  readonly readsPerSegment: number;
  /** With this much unread output, and one more segment, the child blocks. */
  readonly aheadKilobytes: number;
};

/** Limits unread output to 16 MiB for each child, or to its share of a small run directory. */
export function boundOutput(freeBytes: number): OutputBound {
  const reads = Math.floor(freeBytes / childrenThatFit / (segmentsAhead + 1) / readBytes);
  const readsPerSegment = Math.max(fewestReads, Math.min(mostReads, reads));
  return {
    readsPerSegment,
    aheadKilobytes: (segmentsAhead * readsPerSegment * readBytes) / 1_024,
  };
}

/**
 * What outlives the agent: a shell of two halves with a pipe between them. The first starts the child in a session
 * of its own, waits for it and writes its exit code. The second carries what the child prints into segments,
 * and when too much is unread, waits, so that the child waits, too. Nobody reads from the agent's own pipes, so
 * its death breaks none.
 *
 * `dd` tells its reads as "whole+partial records in": fewer than it was told to do mean the end of the output.
 * That spares a further `dd` which would read nothing. A warning of partial reads may come before.
 *
 * When the run directory is full, the next segment is begun empty: so the last one counts as whole, is read and
 * deleted, and there is room again. What `dd` had in hand is lost then, which is remembered.
 *
 * The child begins when the agent says so, by a word through descriptor 3. An agent that dies before says nothing: its end of
 * that is closed by the kernel, and the supervisor goes. What has not begun has written nothing but its end.
 *
 * The child enters its cgroup before anything of it is stored or run: from there nothing of it gets out. The
 * supervisor itself stays outside, for it has to tell how the child ended when all in there is killed.
 *
 * Its variables bear the agent's prefix: an ordinary name could be one of the child's environment, and would
 * be changed there. Programs are called by their whole path, for PATH is the child's.
 */
export const supervisorScript = `
SVC_AGENT_D=$1 SVC_AGENT_E=$2 SVC_AGENT_S=$3 SVC_AGENT_W=$4
SVC_AGENT_DD=$5 SVC_AGENT_SETSID=$6 SVC_AGENT_SLEEP=$7 SVC_AGENT_DU=$8
SVC_AGENT_R=$9
shift 9
SVC_AGENT_H=$1 SVC_AGENT_G=$2
shift 2
umask 077
trap : HUP INT TERM
{
  trap : HUP INT TERM
  exec 2>"$SVC_AGENT_D/${files.said}"
  read -r SVC_AGENT_A </proc/self/stat
  (
    read -r SVC_AGENT_B <&3 && [ "$SVC_AGENT_B" = go ] || exit 126
    exec 3<&-
    [ -z "$SVC_AGENT_G" ] || echo 0 >"$SVC_AGENT_G/cgroup.procs" || exit 126
    exec 2>&1
    echo 500 >/proc/self/oom_score_adj
    export SVC_AGENT_EXECUTION="$SVC_AGENT_E" SVC_AGENT_STEP="$SVC_AGENT_S"
    read -r SVC_AGENT_B </proc/self/stat
    printf '%s\\n%s\\n' "$SVC_AGENT_A" "$SVC_AGENT_B" >"$SVC_AGENT_D/${files.born}"
    cd -- "$SVC_AGENT_W" || exit 126
    [ -e "$SVC_AGENT_D/${files.born}" ] || exit 126
    exec "$SVC_AGENT_SETSID" "$@"
  )
  echo "$?" >"$SVC_AGENT_D/${files.code}"
} | {
  exec 3<&-
  trap '' HUP INT TERM
  SVC_AGENT_N=0
  while [ -d "$SVC_AGENT_D" ]; do
    if LC_ALL=C "$SVC_AGENT_DD" bs=${readBytes} count="$SVC_AGENT_R" \\
      of="$SVC_AGENT_D/$SVC_AGENT_N" 2>"$SVC_AGENT_D/${files.took}"
    then
      [ -s "$SVC_AGENT_D/$SVC_AGENT_N" ] || break
      while read -r SVC_AGENT_T; do
        case "$SVC_AGENT_T" in [0-9]*+[0-9]*' records in') break ;; esac
      done <"$SVC_AGENT_D/${files.took}"
      SVC_AGENT_T=\${SVC_AGENT_T%% *}
      case "$SVC_AGENT_T" in
        '' | *[!0-9+]*) ;;
        *) [ $(($SVC_AGENT_T)) -ge "$SVC_AGENT_R" ] || break ;;
      esac
      SVC_AGENT_N=$((SVC_AGENT_N + 1))
    else
      SVC_AGENT_N=$((SVC_AGENT_N + 1))
      : >"$SVC_AGENT_D/$SVC_AGENT_N"
      while [ -d "$SVC_AGENT_D" ]; do
        echo full >"$SVC_AGENT_D/${files.gap}" && break
        "$SVC_AGENT_SLEEP" 1
      done
    fi
    SVC_AGENT_T=0
    while [ -e "$SVC_AGENT_D/$((SVC_AGENT_N - ${segmentsAhead}))" ]; do
      SVC_AGENT_K=$("$SVC_AGENT_DU" -sk "$SVC_AGENT_D") || SVC_AGENT_K=$SVC_AGENT_H
      [ "\${SVC_AGENT_K%%[!0-9]*}" -lt "$SVC_AGENT_H" ] && break
      SVC_AGENT_T=$((SVC_AGENT_T + 1))
      if [ "$SVC_AGENT_T" -lt 100 ]; then "$SVC_AGENT_SLEEP" 0.05; else "$SVC_AGENT_SLEEP" 1; fi
    done
  done 2>/dev/null
  : >"$SVC_AGENT_D/${files.end}"
} 2>/dev/null
`;
