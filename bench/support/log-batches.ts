import {
  bytesField,
  eightField,
  textAttribute,
  varintField,
} from "../../test/support/logs/protobuf-writer.ts";

export type LogBatch = {
  /** The next request, whole with its head; it stands in the same memory as the one before. */
  readonly next: () => Uint8Array;
  /** How many records that were so far. */
  readonly sent: () => number;
};

const lineLength = 330;
const seqBytes = 5;
const words =
  "aws_subnet.private Still creating... module.vpc Refreshing state... id= elapsed complete after applying changes plan".split(
    " ",
  );

/** Lines as a terraform run writes them: words that repeat, and ids that do not. */
export function logLines(count: number): string[] {
  return Array.from({ length: count }, (_, nth) => {
    let line = `${nth} `;
    while (line.length < lineLength) {
      const id = Math.random().toString(36).slice(2);
      line += `${words[Math.floor(Math.random() * words.length)] ?? ""} ${id} `;
    }
    return line.slice(0, lineLength);
  });
}

/** Requests with numbered records of one execution, each as protobuf of the same bytes but for the numbers. */
export function logBatch(given: {
  readonly jobId: string;
  readonly token: string;
  readonly records: number;
}): LogBatch {
  const { jobId, token, records } = given;
  const body = bodyOf(jobId, records);
  const head =
    `POST /v1/log-streams/lgs_${jobId.slice(4)}/logs HTTP/1.1\r\nhost: broker\r\n` +
    `authorization: Bearer ${token}\r\ncontent-type: application/x-protobuf\r\n` +
    `content-length: ${body.length}\r\n\r\n`;
  const request = Buffer.concat([Buffer.from(head), body]);
  const places = seqPlaces(request);
  let sent = 0;
  return {
    next: () => {
      for (const place of places) writeSeq(request, place, ++sent);
      return request;
    },
    sent: () => sent,
  };
}

/** The size of such a request's body. */
export function batchBytes(records: number): number {
  return bodyOf("job_00000000000000000000000000", records).length;
}

function bodyOf(jobId: string, records: number): Buffer {
  const resource = bytesField(1, textAttribute(1, "service.name", "svc-agent"));
  const logs = logLines(records).map((line) =>
    bytesField(
      2,
      eightField(1, BigInt(Date.now()) * 1_000_000n),
      varintField(2, 9),
      bytesField(5, bytesField(1, line)),
      textAttribute(6, "runner_job_execution.id", jobId.replace("job", "exe")),
      textAttribute(6, "runner_job_execution_step.name", "apply"),
      bytesField(
        6,
        bytesField(1, "svc.seq"),
        bytesField(2, Buffer.from([0x18, 0x80, 0x80, 0x80, 0x80, 0])),
      ),
    ),
  );
  return bytesField(1, resource, bytesField(2, ...logs));
}

function seqPlaces(request: Buffer): number[] {
  const places: number[] = [];
  const name = Buffer.from("svc.seq");
  for (let at = request.indexOf(name); at !== -1; at = request.indexOf(name, at + 1)) {
    places.push(at + name.length + 3); // after the value's tag, its length and the number's tag
  }
  return places;
}

/** A number in five bytes, as long as it may be. */
function writeSeq(request: Buffer, at: number, seq: number): void {
  let rest = seq;
  for (let nth = 0; nth < seqBytes; nth++) {
    request[at + nth] = (rest & 127) | (nth < seqBytes - 1 ? 128 : 0);
    rest >>>= 7;
  }
}
