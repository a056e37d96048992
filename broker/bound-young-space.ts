import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/*
 * V8 lets the space for young objects grow to 128 MiB, most of it while the modules are loaded, and gives it back only
 * to a process that does nothing. A broker gains nothing by more than an eighth of that, and what large requests leave
 * behind is found late. The bound is an option of the process, which is read before any of
 * this runs; whether the space grows can be changed at any time.
 */

const enoughBytes = 12 * 1024 ** 2;
const usualLookEveryMs = 250;

/** Keeps the space small while the modules of a program are loaded: call it before. */
export function holdYoungSpace(): void {
  growBy(1);
}

/** Lets the space grow whenever it is smaller than is useful, and no further. */
export function boundYoungSpace(lookEveryMs = usualLookEveryMs): void {
  let factor: 1 | 2 = 1;
  const look = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    const wanted = young === undefined || young.space_size < enoughBytes ? 2 : 1;
    if (wanted !== factor) growBy(wanted);
    factor = wanted;
  };
  look();
  setInterval(look, lookEveryMs).unref();
}

function growBy(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
