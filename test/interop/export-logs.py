"""Writes numbered records with OpenTelemetry's exporter for Python: URL, token, execution, how many."""

import sys

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

url, token, execution, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
exporter = OTLPLogExporter(
    endpoint=url, headers={"authorization": f"Bearer {token}"}, compression=Compression.Gzip
)
provider = LoggerProvider(resource=Resource.create({"service.name": "python-runner"}))
provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_export_batch_size=100))
logger = provider.get_logger("runner")
for seq in range(1, count + 1):
    logger.emit(
        LogRecord(
            timestamp=1_790_000_000_000_000_000 + seq * 1000,
            severity_number=SeverityNumber.INFO,
            severity_text="INFO",
            body=f"line {seq} – ünïcode 🙂",
            attributes={
                "svc.seq": seq,
                "runner_job_execution.id": execution,
                "runner_job_execution_step.name": "apply",
                "list": ["a", "b"],
            },
        )
    )
provider.force_flush()
provider.shutdown()
