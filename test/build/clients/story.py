"""The README's story, told with what openapi-python-client makes of /openapi.json.

story.py URL TOKEN RUNNER_GROUP CONFIG_FOLDER: syncs the app greeter, installs it for acme, runs its action greet,
approves it, reads its log, and hears of it all by a webhook. Prints what came of it as JSON.
"""

import hashlib
import hmac
import io
import json
import sys
import tarfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from svc.api.actions import create_action_run, get_install_action_run
from svc.api.apps import create_app, sync_app_config
from svc.api.installs import create_install
from svc.api.logs import list_logs
from svc.api.webhooks import create_webhook, ping_webhook
from svc.api.workflows import await_workflow, get_approval_contents, respond_to_approval
from svc.client import AuthenticatedClient
from svc.models.new_action_run import NewActionRun
from svc.models.new_app import NewApp
from svc.models.new_approval_response import NewApprovalResponse
from svc.models.new_approval_response_response_type import NewApprovalResponseResponseType
from svc.models.new_install import NewInstall
from svc.models.new_install_inputs import NewInstallInputs
from svc.models.new_webhook import NewWebhook
from svc.models.problem import Problem
from svc.models.whole_workflow import WholeWorkflow
from svc.types import File, Unset

url, token, runner_group, folder = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, timeout=60)
secret = "a secret that signs"


def done(answer):
    """What a call answers; a refusal ends the story."""
    if answer is None or isinstance(answer, Problem):
        sys.exit(f"refused: {answer}")
    return answer


def settled(workflow_id: str) -> WholeWorkflow:
    """A workflow that has finished, or waits for a person."""
    while True:
        workflow = done(await_workflow.sync(workflow_id, client=client))
        if workflow.finished or workflow.status.status == "approval-awaiting":
            return workflow


def finished(workflow_id: str) -> WholeWorkflow:
    """A workflow that has finished; one that was answered just now may seem to wait for a moment."""
    while True:
        workflow = settled(workflow_id)
        if workflow.finished:
            return workflow
        time.sleep(0.1)


class Receiver(BaseHTTPRequestHandler):
    """Keeps the kind of each event of a workflow whose signature is good: the ping's, and two of each workflow."""

    heard: list[str] = []
    all_heard = threading.Event()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        is_ours = hmac.compare_digest(signature, self.headers["x-svc-signature"])
        event = json.loads(body)
        name = event["data"]["workflow"]["type"]
        self.send_response(204 if is_ours else 400)
        self.end_headers()
        if is_ours and event["svckind"] == "workflow":
            self.heard.append(f"{name} {event['svctransition']}")
            if len(self.heard) == 5:
                self.all_heard.set()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
there = f"http://127.0.0.1:{receiver.server_port}/"
webhook = done(create_webhook.sync(client=client, body=NewWebhook(webhook_url=there, webhook_secret=secret)))
ping = done(ping_webhook.sync(webhook.id, client=client))

archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w:gz") as tar:
    tar.add(folder, arcname=".")
app = done(create_app.sync(client=client, body=NewApp(name="greeter")))
config = done(sync_app_config.sync(app.id, client=client, body=File(payload=archive.getvalue())))

inputs = NewInstallInputs.from_dict({"audience": "world"})
wanted = NewInstall(name="acme", inputs=inputs, runner_group_id=runner_group)
install = done(create_install.sync("greeter", client=client, body=wanted))
provisioned = finished(install.workflow_id)

run = done(create_action_run.sync(install.id, client=client, body=NewActionRun(name="greet")))
asking = settled(run.workflow_id)
step = next(step for step in asking.steps if step.status.status == "approval-awaiting")
asked = step.approval
if isinstance(asked, Unset):
    sys.exit("there is no approval")
contents = done(get_approval_contents.sync(asking.id, step.id, asked.id, client=client))
yes = NewApprovalResponse(NewApprovalResponseResponseType.APPROVE, plan_digest=asked.plan_digest)
answer = done(respond_to_approval.sync(asking.id, step.id, asked.id, client=client, body=yes))
ended = finished(run.workflow_id)

ran = done(get_install_action_run.sync(install.id, run.id, client=client))
records = done(list_logs.sync(ran.log_stream_id, client=client, cursor=""))
Receiver.all_heard.wait(60)

print(
    json.dumps(
        {
            "config": [config.version, config.status.value],
            "provisioned": provisioned.status.status,
            "asked": "Hello" in json.dumps(contents.to_dict()),
            "answered": answer.outcome.value,
            "ended": ended.status.status,
            "log": [record.body for record in records.items],
            "pinged": ping.result.value,
            "heard": Receiver.heard,
        }
    )
)
