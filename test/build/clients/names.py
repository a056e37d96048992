"""Names where ids stand, by a client that openapi-python-client made: names.py URL, with the tokens on standard input.

Each line that it prints is a call and what came of it: who made it, the status, and what the answer says.
"""

import json
import sys

from svc.api.actions import get_action
from svc.api.apps import get_app
from svc.api.installs import create_install, get_install, update_install
from svc.client import AuthenticatedClient
from svc.models.install_changes import InstallChanges
from svc.models.new_install import NewInstall
from svc.models.new_install_inputs import NewInstallInputs

tokens = json.load(sys.stdin)
clients = {who: AuthenticatedClient(base_url=sys.argv[1], token=token) for who, token in tokens.items()}


def tell(who: str, call, *args: str, **given) -> None:
    """Makes one call and says what came of it."""
    answer = call.sync_detailed(*args, client=clients[who], **given)
    body = json.loads(answer.content)
    errors = [error["detail"] for error in body.get("errors", [])] if answer.status_code >= 400 else []
    says = errors or [body.get("detail") or f"{body['id'][:3]} {body['name']}"]
    name = call.__name__.rsplit(".")[-1]
    print(json.dumps([who, name, *args, int(answer.status_code), *says], ensure_ascii=False))


def install(app: str, name: str) -> None:
    """Makes an install of this name in an app."""
    inputs = NewInstallInputs.from_dict({"audience": "world"})
    tell("org", create_install, app, body=NewInstall(name=name, inputs=inputs, start=False))


odd = ["a/b", "%2e", "%2F", "..", "a b", " a", "ä", "a?b#c", "health", "_"]
for name in odd:
    install("shop", name)
    for who in clients:
        tell(who, get_install, name)
for name in ["a/b", "%2e", " ", "ä", "a?b#c"]:
    tell("org", get_app, name)
    tell("app", get_action, name, "careful")
    tell("org", get_action, "shop", name)

# One name in two apps, renamed, and used again.
install("shop", "eu/1")
install("other", "eu/1")
for who in clients:
    tell(who, get_install, "eu/1")
tell("app", update_install, "eu/1", body=InstallChanges(name="eu/2"))
for who in clients:
    tell(who, get_install, "eu/1")
install("shop", "eu/1")
tell("app", get_install, "eu/1")
tell("install", get_install, "one 1/2")
