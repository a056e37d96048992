import { childFiles as files } from "./child-files.ts";

/** A segment holds at most this: as many reads of as many bytes as `dd` is told to do. */
const readBytes = 4_096;
const readsPerSegment = 1_024;
/** With this many segments unread, their size is looked at; with so many kilobytes, the child waits. */
const segmentsAhead = 3;
const aheadKilobytes = 12 * 1_024;

/**
 * What outlives the agent: a shell of two halves with a pipe between them. The first starts the child in a session
 * of its own, waits for it and writes its exit code. The second carries what the child prints into segments,
 * and when too much is unread, waits, so that the child waits, too. Nobody reads from the agent's own pipes, so
 * its death breaks none.
 *
 * `dd` tells its reads as "whole+partial records in": fewer than it was told to do mean the end of the output.
 * That spares a further `dd` which would read nothing.
 *
 * Its variables bear the agent's prefix: an ordinary name could be one of the child's environment, and would
 * be changed there. Programs are called by their whole path, for PATH is the child's.
 */
export const supervisorScript = `
SVC_AGENT_D=$1 SVC_AGENT_E=$2 SVC_AGENT_S=$3 SVC_AGENT_W=$4
SVC_AGENT_DD=$5 SVC_AGENT_SETSID=$6 SVC_AGENT_SLEEP=$7 SVC_AGENT_DU=$8
shift 8
umask 077
trap : HUP INT TERM
{
  trap : HUP INT TERM
  exec 2>"$SVC_AGENT_D/${files.said}"
  read -r SVC_AGENT_A </proc/self/stat
  (
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
  trap '' HUP INT TERM
  SVC_AGENT_N=0
  while [ -d "$SVC_AGENT_D" ]; do
    if LC_ALL=C "$SVC_AGENT_DD" bs=${readBytes} count=${readsPerSegment} \\
      of="$SVC_AGENT_D/$SVC_AGENT_N" 2>"$SVC_AGENT_D/${files.took}"
    then
      [ -s "$SVC_AGENT_D/$SVC_AGENT_N" ] || break
      read -r SVC_AGENT_T <"$SVC_AGENT_D/${files.took}"
      SVC_AGENT_T=\${SVC_AGENT_T%% *}
      case "$SVC_AGENT_T" in
        *[!0-9+]*) ;;
        [0-9]*+*[0-9]) [ $(($SVC_AGENT_T)) -ge ${readsPerSegment} ] || break ;;
      esac
    else
      while [ -d "$SVC_AGENT_D" ]; do
        "$SVC_AGENT_SLEEP" 1
        echo full >"$SVC_AGENT_D/${files.gap}" && break
      done
    fi
    SVC_AGENT_N=$((SVC_AGENT_N + 1))
    SVC_AGENT_T=0
    while [ -e "$SVC_AGENT_D/$((SVC_AGENT_N - ${segmentsAhead}))" ]; do
      SVC_AGENT_K=$("$SVC_AGENT_DU" -sk "$SVC_AGENT_D") || SVC_AGENT_K=${aheadKilobytes}
      [ "\${SVC_AGENT_K%%[!0-9]*}" -lt ${aheadKilobytes} ] && break
      SVC_AGENT_T=$((SVC_AGENT_T + 1))
      if [ "$SVC_AGENT_T" -lt 100 ]; then "$SVC_AGENT_SLEEP" 0.05; else "$SVC_AGENT_SLEEP" 1; fi
    done
  done 2>/dev/null
  : >"$SVC_AGENT_D/${files.end}"
} 2>/dev/null
`;
