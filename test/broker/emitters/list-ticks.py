"""Lists ticks as croniter sees them: reads [[expression, zone, from, to, most], …] and writes a list of instants for each, in seconds."""

import json
import sys
from datetime import datetime
from zoneinfo import ZoneInfo

from croniter import croniter


def list_ticks(expression, zone, start, end, most):
    after = datetime.fromtimestamp(start, ZoneInfo(zone))
    # Its name for what crontabs do: a day field that begins with * leaves the days to the other one.
    ticks = croniter(expression, after, implement_cron_bug=True)
    listed = []
    while len(listed) < most:
        tick = ticks.get_next(datetime).timestamp()
        if tick > end:
            break
        listed.append(tick)
    return listed


json.dump([list_ticks(*asked) for asked in json.load(sys.stdin)], sys.stdout)
